//! Numbers that begin on a cache line.

use std::ops::{Deref, DerefMut};

/// A cache line, in bytes.
const LINE: usize = 64;

/// Numbers that begin on a cache line, so that no vector of a panel lies across two.
pub(crate) struct Aligned {
    buffer: Vec<f32>,
    first: usize,
    len: usize,
}

impl Aligned {
    pub(crate) fn zero(len: usize) -> Self {
        let buffer = vec![0.0; len + LINE / size_of::<f32>()];
        let first = buffer.as_ptr().align_offset(LINE).min(buffer.len() - len);
        Self { buffer, first, len }
    }
}

impl Deref for Aligned {
    type Target = [f32];

    #[inline]
    fn deref(&self) -> &[f32] {
        &self.buffer[self.first..self.first + self.len]
    }
}

impl DerefMut for Aligned {
    #[inline]
    fn deref_mut(&mut self) -> &mut [f32] {
        &mut self.buffer[self.first..self.first + self.len]
    }
}

impl Clone for Aligned {
    fn clone(&self) -> Self {
        let mut copy = Self::zero(self.len);
        copy.copy_from_slice(self);
        copy
    }
}

impl std::fmt::Debug for Aligned {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.deref().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn begins_on_a_line_also_as_a_copy() {
        for len in [1, 15, 16, 1000] {
            let mut numbers = Aligned::zero(len);
            numbers[len - 1] = 2.0;
            let copies: Vec<Aligned> = (0..5).map(|_| numbers.clone()).collect();
            for copy in &copies {
                assert_eq!(copy.as_ptr().align_offset(LINE), 0);
                assert_eq!(copy[..], numbers[..]);
            }
        }
    }
}
