//! Wilcoxon's signed-rank test of paired costs.

use solo_core::dist::normal_cdf;

/// Up to this many differences without ties the distribution is computed exactly, beyond that it is taken as normal.
const EXACT: usize = 50;
/// Costs that differ by less than this part are the same: the rest is rounding.
const SAME: f64 = 1e-9;

/// What comes of comparing two agents day by day.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Paired {
    /// On how many days the first was cheaper.
    pub wins: usize,
    /// On how many both cost the same.
    pub ties: usize,
    /// On how many the first was dearer.
    pub losses: usize,
    /// How likely ranks at least as uneven are if neither is better (two-sided); `None` if all days are ties.
    pub p: Option<f64>,
}

/// Compares costs with those of the base on the same days. Ties are left out of the test, as Wilcoxon did; equal sizes
/// share their mean rank.
pub fn compare(values: &[f64], base: &[f64]) -> Paired {
    assert_eq!(values.len(), base.len(), "values are of the same days");
    let gaps: Vec<f64> = values
        .iter()
        .zip(base)
        .map(|(value, base)| value - base)
        .zip(base)
        .map(|(gap, base)| if gap.abs() <= SAME * base.abs() { 0.0 } else { gap })
        .collect();
    let wins = gaps.iter().filter(|gap| **gap < 0.0).count();
    let losses = gaps.iter().filter(|gap| **gap > 0.0).count();
    Paired { wins, ties: gaps.len() - wins - losses, losses, p: signed_rank(&gaps) }
}

/// The two-sided probability of the signed ranks of these differences; zeros are left out.
fn signed_rank(gaps: &[f64]) -> Option<f64> {
    let mut gaps: Vec<f64> = gaps.iter().copied().filter(|gap| *gap != 0.0).collect();
    let n = gaps.len();
    if n == 0 {
        return None;
    }
    gaps.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
    let (mut plus, mut tied, mut start) = (0.0, 0.0, 0);
    while start < n {
        let same = gaps[start..].iter().take_while(|g| close(g.abs(), gaps[start].abs())).count();
        let rank = start as f64 + (same + 1) as f64 / 2.0;
        plus += rank * gaps[start..start + same].iter().filter(|gap| **gap > 0.0).count() as f64;
        tied += (same * same * same - same) as f64;
        start += same;
    }
    let n_real = n as f64;
    let total = n_real * (n_real + 1.0) / 2.0;
    let smaller = plus.min(total - plus);
    if tied == 0.0 && n <= EXACT {
        return Some((2.0 * exact(n, smaller as usize)).min(1.0));
    }
    let variance = n_real * (n_real + 1.0) * (2.0 * n_real + 1.0) / 24.0 - tied / 48.0;
    // Half a rank of continuity, towards the middle.
    let z = ((smaller - total / 2.0 + 0.5) / variance.sqrt()).min(0.0);
    Some((2.0 * normal_cdf(z)).min(1.0))
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= SAME * a.max(b)
}

/// The probability that the ranks of one sign sum to at most `sum`, each of `n` ranks having either sign alike.
fn exact(n: usize, sum: usize) -> f64 {
    let mut ways = vec![0.0_f64; sum + 1];
    ways[0] = 1.0;
    for rank in 1..=n {
        for s in (rank..=sum).rev() {
            ways[s] += ways[s - rank];
        }
    }
    ways.iter().sum::<f64>() / 2f64.powi(n as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: Option<f64>, wanted: f64) {
        let found = found.unwrap();
        assert!((found - wanted).abs() < 5e-4 * wanted.max(0.1), "{found} {wanted}");
    }

    /// The smallest sums that tables call significant at 5 %, two-sided, with their exact probabilities on both sides.
    #[test]
    fn exact_probabilities_are_those_of_the_tables() {
        for (n, critical) in [(6, 0), (7, 2), (8, 3), (9, 5), (10, 8), (15, 25), (20, 52), (25, 89)]
        {
            assert!(2.0 * exact(n, critical) <= 0.05, "{n}");
            assert!(2.0 * exact(n, critical + 1) > 0.05, "{n}");
        }
        near(Some(2.0 * exact(6, 0)), 0.03125);
        near(Some(2.0 * exact(10, 8)), 0.048828);
    }

    /// Darwin's fifteen pairs of plants, crossed and self-fertilised, in eighths of an inch: two negative ranks of 24
    /// in all, with ties.
    #[test]
    fn a_classic() {
        let gaps = [49., -67., 8., 16., 6., 23., 28., 41., 14., 29., 56., 24., 75., 60., -48.];
        // No ties in size: the ranks of -67 and -48 are 14 and 10.
        near(signed_rank(&gaps), 2.0 * exact(15, 24));
        near(signed_rank(&gaps), 0.041260);
    }

    #[test]
    fn ties_take_the_normal_way_which_agrees_with_the_exact_one() {
        // Sizes 1..30 with every third negative, exactly; then the same with the two largest made equal.
        let sign = |i: usize| if i.is_multiple_of(3) { -1.0 } else { 1.0 };
        let mut gaps: Vec<f64> = (1..=30).map(|i| sign(i) * i as f64).collect();
        let exact = signed_rank(&gaps).unwrap();
        gaps[28] = 30.0 * gaps[28].signum();
        let normal = signed_rank(&gaps).unwrap();
        assert!((exact - normal).abs() < 0.01, "{exact} {normal}");
        // All of one size: a sign test, hence about the binomial 2 (1 + 10) / 1024.
        let same = signed_rank(&[1., 1., 1., 1., 1., 1., 1., 1., 1., -1.]).unwrap();
        assert!((same - 0.0215).abs() < 0.012, "{same}");
    }

    #[test]
    fn days_are_counted() {
        let base = [10.0, 10.0, 10.0, 10.0];
        let found = compare(&[9.0, 10.0 + 1e-12, 11.0, 8.0], &base);
        assert_eq!((found.wins, found.ties, found.losses), (2, 1, 1));
        assert_eq!(compare(&base, &base).p, None);
        let swapped = compare(&base, &[9.0, 10.0, 11.0, 8.0]);
        assert_eq!((swapped.wins, swapped.losses, swapped.p), (1, 2, found.p));
    }
}
