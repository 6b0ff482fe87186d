//! TensorBoard's event files: records of length, checksum, contents, checksum. Contents are
//! protocol buffers of a few fields, written by hand.

/// The start of an event file: it says which version of the format follows.
pub fn begin(wall_time: f64) -> Vec<u8> {
    let mut event = Message::default();
    event.double(1, wall_time);
    event.bytes(3, b"brain.Event:2");
    let mut file = Vec::new();
    record(&mut file, &event.0);
    file
}

/// Appends an event with scalars of a step.
pub fn scalars(file: &mut Vec<u8>, wall_time: f64, step: u64, scalars: &[(&str, f32)]) {
    let mut summary = Message::default();
    for (tag, value) in scalars {
        let mut entry = Message::default();
        entry.bytes(1, tag.as_bytes());
        entry.float(2, *value);
        summary.bytes(1, &entry.0);
    }
    let mut event = Message::default();
    event.double(1, wall_time);
    event.integer(2, step);
    event.bytes(5, &summary.0);
    record(file, &event.0);
}

fn record(file: &mut Vec<u8>, contents: &[u8]) {
    let length = (contents.len() as u64).to_le_bytes();
    file.extend(length);
    file.extend(masked(&length).to_le_bytes());
    file.extend(contents);
    file.extend(masked(contents).to_le_bytes());
}

/// A message of protocol buffers; a field begins with its number and the kind of what follows.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    fn integer(&mut self, field: u64, number: u64) {
        self.varint(field << 3);
        self.varint(number);
    }

    fn double(&mut self, field: u64, number: f64) {
        self.varint(field << 3 | 1);
        self.0.extend(number.to_le_bytes());
    }

    fn bytes(&mut self, field: u64, bytes: &[u8]) {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend(bytes);
    }

    fn float(&mut self, field: u64, number: f32) {
        self.varint(field << 3 | 5);
        self.0.extend(number.to_le_bytes());
    }
}

/// The checksum of the format: CRC-32C, rotated and shifted so that it can itself be part of what
/// is checked.
fn masked(bytes: &[u8]) -> u32 {
    crc32c(bytes).rotate_right(15).wrapping_add(0xa282_ead8)
}

/// CRC-32C (Castagnoli), bit by bit: event files are small.
fn crc32c(bytes: &[u8]) -> u32 {
    let mut crc = !0u32;
    for byte in bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = (crc >> 1) ^ (0x82f6_3b78 & (crc & 1).wrapping_neg());
        }
    }
    !crc
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_castagnolis() {
        assert_eq!(crc32c(b"123456789"), 0xe306_9283);
        assert_eq!(crc32c(&[0; 32]), 0x8a91_36aa);
    }

    #[test]
    fn an_event_file_byte_by_byte() {
        let mut file = begin(1.5);
        let header = file.len();
        assert_eq!(&file[..8], 24u64.to_le_bytes());
        assert_eq!(file[12..21], [0x09, 0, 0, 0, 0, 0, 0, 0xf8, 0x3f]);
        assert_eq!(&file[21..36], b"\x1a\x0dbrain.Event:2");
        assert_eq!(header, 8 + 4 + 24 + 4);
        scalars(&mut file, 2.0, 300, &[("cost", 0.5)]);
        let event = &file[header + 12..file.len() - 4];
        assert_eq!(event[9..12], [0x10, 0xac, 0x02]);
        assert_eq!(&event[12..], b"\x2a\x0d\x0a\x0b\x0a\x04cost\x15\0\0\0\x3f");
    }
}
