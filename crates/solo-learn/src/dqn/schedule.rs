//! Numbers that change while learning.

/// A number that moves in a straight line from one value to another, and then stays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Linear {
    /// At step 0.
    pub from: f64,
    /// At step `over` and after.
    pub to: f64,
    /// How many steps the way takes; with 0 the number is `to` from the start.
    pub over: f64,
}

impl Linear {
    /// The value at a step.
    pub fn at(&self, step: u64) -> f64 {
        let way = if self.over > 0.0 { (step as f64 / self.over).min(1.0) } else { 1.0 };
        self.from + (self.to - self.from) * way
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_ends_where_it_should() {
        let line = Linear { from: 1.0, to: 0.1, over: 300.0 };
        for (step, wanted) in [(0, 1.0), (150, 0.55), (300, 0.1), (900, 0.1)] {
            assert!((line.at(step) - wanted).abs() < 1e-12);
        }
        assert_eq!(Linear { from: 1.0, to: 0.0, over: 0.0 }.at(0), 0.0);
    }
}
