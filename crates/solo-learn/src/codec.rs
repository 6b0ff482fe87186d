//! Numbers in a row of bytes, as checkpoints hold them.

/// Writes numbers, smallest byte first.
#[derive(Clone, Debug, Default)]
pub struct Writer(pub Vec<u8>);

impl Writer {
    /// A whole number.
    pub fn whole(&mut self, number: u64) {
        self.0.extend(number.to_le_bytes());
    }

    /// A number.
    pub fn number(&mut self, number: f64) {
        self.0.extend(number.to_le_bytes());
    }

    /// Several whole numbers.
    pub fn wholes(&mut self, numbers: &[u64]) {
        numbers.iter().for_each(|number| self.whole(*number));
    }

    /// Several numbers.
    pub fn numbers(&mut self, numbers: &[f64]) {
        numbers.iter().for_each(|number| self.number(*number));
    }

    /// A list of numbers with its length.
    pub fn floats(&mut self, numbers: &[f32]) {
        self.whole(numbers.len() as u64);
        self.0.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    }

    /// A list of small whole numbers with its length.
    pub fn words(&mut self, words: &[u32]) {
        self.whole(words.len() as u64);
        self.0.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    }
}

/// Reads what a [`Writer`] wrote; `None` where it ends too soon.
#[derive(Clone, Debug)]
pub struct Reader<'b>(pub &'b [u8]);

impl<'b> Reader<'b> {
    /// So many bytes.
    pub fn bytes(&mut self, count: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.bytes(N)?.try_into().ok()
    }

    /// A whole number.
    pub fn whole(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    /// A number.
    pub fn number(&mut self) -> Option<f64> {
        self.array().map(f64::from_le_bytes)
    }

    fn list(&mut self, size: usize) -> Option<std::slice::ChunksExact<'b, u8>> {
        let length = usize::try_from(self.whole()?).ok()?;
        Some(self.bytes(length.checked_mul(size)?)?.chunks_exact(size))
    }

    /// A list of numbers.
    pub fn floats(&mut self) -> Option<Vec<f32>> {
        let number = |bytes: &[u8]| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        Some(self.list(4)?.map(number).collect())
    }

    /// A list of small whole numbers.
    pub fn words(&mut self) -> Option<Vec<u32>> {
        let word = |bytes: &[u8]| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        Some(self.list(4)?.map(word).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_can_be_read() {
        let mut writer = Writer::default();
        writer.whole(7);
        writer.floats(&[1.5, -0.0]);
        writer.words(&[3]);
        writer.number(f64::MIN_POSITIVE);
        let mut reader = Reader(&writer.0);
        assert_eq!((reader.whole(), reader.floats()), (Some(7), Some(vec![1.5, -0.0])));
        assert_eq!((reader.words(), reader.number()), (Some(vec![3]), Some(f64::MIN_POSITIVE)));
        assert_eq!((reader.0.len(), reader.whole()), (0, None));
        for cut in 0..writer.0.len() {
            let mut reader = Reader(&writer.0[..cut]);
            let all = (|| {
                reader.whole()?;
                reader.floats()?;
                reader.words()?;
                reader.number()
            })();
            assert_eq!(all, None);
        }
        assert_eq!(Reader(&[255; 16]).floats(), None);
    }
}
