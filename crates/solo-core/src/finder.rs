//! Finding by number.

/// Where things stand in a list that is sorted by their numbers. Asking is faster than a binary search where the numbers
/// have few gaps, as those of open jobs and customers do.
#[derive(Clone, Debug, Default)]
pub struct Finder {
    first: u32,
    /// The position of each number from the first on, or [`NOWHERE`]; empty where the gaps are too wide.
    table: Vec<u32>,
    /// The numbers, where there is no table.
    numbers: Vec<u32>,
}

const NOWHERE: u32 = u32::MAX;

impl Finder {
    /// For a list with these numbers, ascending.
    pub fn new(numbers: impl ExactSizeIterator<Item = u32> + DoubleEndedIterator + Clone) -> Self {
        let mut ends = numbers.clone();
        let Some(first) = ends.next() else { return Self::default() };
        let span = (ends.next_back().unwrap_or(first) - first) as usize + 1;
        if span > 4 * numbers.len() + 64 {
            return Self { first, table: Vec::new(), numbers: numbers.collect() };
        }
        let mut table = vec![NOWHERE; span];
        for (position, number) in (0..).zip(numbers) {
            table[(number - first) as usize] = position;
        }
        Self { first, table, numbers: Vec::new() }
    }

    /// Where the thing of this number stands, if it is there.
    #[inline]
    pub fn find(&self, number: u32) -> Option<usize> {
        if self.table.is_empty() {
            return self.numbers.binary_search(&number).ok();
        }
        let position = *self.table.get(number.checked_sub(self.first)? as usize)?;
        (position != NOWHERE).then_some(position as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_is_found_and_nobody_else() {
        let gaps: Vec<u32> = (0..200).map(|i| 5 + 3 * i).collect();
        let wide = vec![0, 7, u32::MAX - 1];
        for numbers in [vec![], vec![9], gaps, wide] {
            let finder = Finder::new(numbers.iter().copied());
            for number in (0..1_000).chain([u32::MAX - 1, u32::MAX]) {
                assert_eq!(finder.find(number), numbers.binary_search(&number).ok(), "{number}");
            }
        }
    }
}
