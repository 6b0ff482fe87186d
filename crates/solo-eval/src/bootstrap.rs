//! Intervals by drawing the days again.

use crate::stats::mean;
use solo_core::{Rng, Seed, Stream};

/// Means that differ by less than this part are the same: the rest is rounding.
const SAME: f64 = 1e-9;
/// How many times the days are drawn again.
const TIMES: usize = 10_000;

/// A number with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The number.
    pub value: f64,
    /// Where the interval begins.
    pub low: f64,
    /// Where it ends.
    pub high: f64,
}

impl Estimate {
    /// Whether the interval has only numbers of one sign.
    pub fn excludes_zero(&self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }
}

/// The mean of `values`, with the percentile interval of 10,000 means of as many values drawn from them with
/// replacement. The same values give the same interval on every machine. `None` of nothing; infinite of one value.
pub fn of_mean(values: &[f64]) -> Option<Estimate> {
    estimate(values.len(), |days| mean_of(values, days))
}

/// By how many percent the mean of `values` is above that of `base`, value by value of the same day, with its interval:
/// days are drawn again with both their values.
pub fn of_difference(values: &[f64], base: &[f64]) -> Option<Estimate> {
    assert_eq!(values.len(), base.len(), "values are of the same days");
    let percent = |value: f64, base: f64| {
        let gap = value - base;
        if gap.abs() <= SAME * base.abs() { 0.0 } else { 100.0 * gap / base.abs() }
    };
    estimate(values.len(), |days| percent(mean_of(values, days), mean_of(base, days)))
}

/// How many percent of the way from the mean of `start` to that of `end` the mean of `values` has gone, value by value
/// of the same day, with its interval. Not finite where there is no way to go.
pub fn of_share(values: &[f64], start: &[f64], end: &[f64]) -> Option<Estimate> {
    assert!(values.len() == start.len() && start.len() == end.len(), "values are of the same days");
    estimate(values.len(), |days| {
        let begin = mean_of(start, days);
        100.0 * (begin - mean_of(values, days)) / (begin - mean_of(end, days))
    })
}

/// The mean of the chosen values; of all if none are chosen.
fn mean_of(values: &[f64], days: Option<&[u32]>) -> f64 {
    match days {
        Some(days) => days.iter().map(|&day| values[day as usize]).sum::<f64>() / days.len() as f64,
        None => mean(values),
    }
}

fn estimate(count: usize, number: impl Fn(Option<&[u32]>) -> f64) -> Option<Estimate> {
    let value = number(None);
    match count {
        0 => return None,
        1 => return Some(Estimate { value, low: f64::NEG_INFINITY, high: f64::INFINITY }),
        _ => {}
    }
    let mut rng = Seed(0).stream(Stream::Resample, 0);
    let mut days = vec![0; count];
    let mut numbers: Vec<f64> = (0..TIMES)
        .map(|_| {
            draw(&mut rng, &mut days);
            number(Some(&days))
        })
        .collect();
    numbers.sort_by(f64::total_cmp);
    let at = |share: f64| numbers[(share * (TIMES - 1) as f64).round() as usize];
    Some(Estimate { value, low: at(0.025), high: at(0.975) })
}

fn draw(rng: &mut Rng, days: &mut [u32]) {
    let count = days.len();
    for day in days {
        *day = rng.below(count) as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As many values as asked for, normal with mean 10 and deviation 2.
    fn normal(count: u64, seed: u64) -> Vec<f64> {
        let mut rng = Seed(seed).stream(Stream::Explore, 0);
        (0..count).map(|_| 10.0 + 2.0 * solo_core::dist::normal_quantile(rng.unit())).collect()
    }

    #[test]
    fn intervals_hold_the_truth_about_as_often_as_they_say() {
        let trials = 200;
        let held = (0..trials)
            .filter(|&seed| {
                of_mean(&normal(40, seed)).is_some_and(|e| e.low <= 10.0 && 10.0 <= e.high)
            })
            .count();
        assert!((180..=200).contains(&held), "{held} of {trials}");
    }

    #[test]
    fn the_same_days_give_the_same_interval() {
        let values = normal(50, 1);
        assert_eq!(of_mean(&values), of_mean(&values));
        let width = of_mean(&values).map(|e| e.high - e.low).unwrap();
        let expected = 2.0 * 1.96 * 2.0 / 50f64.sqrt();
        assert!((width / expected - 1.0).abs() < 0.3, "{width} {expected}");
    }

    #[test]
    fn differences_are_paired() {
        let base = normal(30, 2);
        let above: Vec<f64> = base.iter().map(|value| 1.02 * value).collect();
        let gap = of_difference(&above, &base).unwrap();
        assert!((gap.value - 2.0).abs() < 1e-9 && gap.high - gap.low < 1e-9, "{gap:?}");
        let same = of_difference(&base, &base).unwrap();
        assert_eq!(same, Estimate { value: 0.0, low: 0.0, high: 0.0 });
        assert!(!same.excludes_zero() && gap.excludes_zero());
    }

    #[test]
    fn shares_are_paired() {
        let start = normal(30, 3);
        let end: Vec<f64> = start.iter().map(|value| 0.8 * value).collect();
        let own: Vec<f64> = start.iter().map(|value| 0.9 * value).collect();
        let share = of_share(&own, &start, &end).unwrap();
        assert!((share.value - 50.0).abs() < 1e-9 && share.high - share.low < 1e-9, "{share:?}");
        assert!(!of_share(&own, &start, &start).unwrap().value.is_finite());
    }

    #[test]
    fn few_days_say_little() {
        assert_eq!(of_mean(&[]), None);
        assert!(of_mean(&[3.0]).unwrap().high.is_infinite());
    }
}
