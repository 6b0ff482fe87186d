//! Means and paired differences.

/// The mean; 0 of nothing.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Half the width of the 95 % interval of the mean of `values`, by Student's distribution; infinite for fewer than
/// two values.
pub fn half_interval(values: &[f64]) -> f64 {
    if values.len() < 2 {
        return f64::INFINITY;
    }
    let mean = mean(values);
    let freedom = values.len() - 1;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    student(freedom) * (squares / freedom as f64 / values.len() as f64).sqrt()
}

/// The 97.5 % point of Student's distribution, by Cornish and Fisher's expansion beyond the first few.
fn student(freedom: usize) -> f64 {
    const FEW: [f64; 6] = [12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469];
    if let Some(point) = FEW.get(freedom - 1) {
        return *point;
    }
    let (z, n) = (1.959_964_f64, freedom as f64);
    let first = (z.powi(3) + z) / (4.0 * n);
    let second = (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / (96.0 * n * n);
    let third = 3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z;
    z + first + second + third / (384.0 * n.powi(3))
}

/// How much larger the values of one agent are than those of another on the same scenarios.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// Of the means, in percent of the other's.
    pub percent: f64,
    /// Half the width of its 95 % interval.
    pub half: f64,
}

/// The paired difference of `values` to `base`, scenario by scenario.
pub fn difference(values: &[f64], base: &[f64]) -> Difference {
    let gaps: Vec<f64> = values.iter().zip(base).map(|(value, base)| value - base).collect();
    let to_percent = |gap: f64| if gap == 0.0 { 0.0 } else { 100.0 * gap / mean(base).abs() };
    Difference { percent: to_percent(mean(&gaps)), half: to_percent(half_interval(&gaps)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn student_points_are_those_of_the_tables() {
        for (freedom, point) in [(1, 12.706), (6, 2.447), (7, 2.365), (10, 2.228), (30, 2.042)] {
            assert!((student(freedom) - point).abs() < 2e-3, "{freedom}: {}", student(freedom));
        }
    }

    #[test]
    fn differences_are_paired() {
        let base = [10.0, 20.0, 30.0];
        let same_gap = difference(&[11.0, 21.0, 31.0], &base);
        assert_eq!(same_gap, Difference { percent: 5.0, half: 0.0 });
        assert_eq!(difference(&base, &base), Difference { percent: 0.0, half: 0.0 });
        assert!(difference(&[1.0], &[2.0]).half.is_infinite());
    }
}
