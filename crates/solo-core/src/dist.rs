//! Distributions whose values are the same on every machine: only IEEE arithmetic and `libm`'s portable functions.

use crate::Rng;

/// The standard normal's probability of a value below `x`; accurate relative to itself in the lower tail.
pub fn normal_cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2)
}

/// The inverse of [`normal_cdf`] by Wichura's algorithm AS 241 (1988), relative error about 1e-16.
pub fn normal_quantile(p: f64) -> f64 {
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        let r = 0.180_625 - q * q;
        return q * polynomial(&CENTRE_TOP, r) / polynomial(&CENTRE_BOTTOM, r);
    }
    let tail = if q < 0.0 { p } else { 1.0 - p };
    let r = (-libm::log(tail)).sqrt();
    let x = if r <= 5.0 {
        polynomial(&MIDDLE_TOP, r - 1.6) / polynomial(&MIDDLE_BOTTOM, r - 1.6)
    } else {
        polynomial(&FAR_TOP, r - 5.0) / polynomial(&FAR_BOTTOM, r - 5.0)
    };
    if q < 0.0 { -x } else { x }
}

#[inline]
fn polynomial(coefficients: &[f64; 8], x: f64) -> f64 {
    let [low @ .., highest] = coefficients;
    low.iter().rev().fold(*highest, |sum, c| sum * x + c)
}

/// A normal distribution cut to [low, high], ready to be drawn from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TruncatedNormal {
    mean: f64,
    /// Standard deviation; negative where the interval was mirrored into the lower tail, which keeps precision.
    sd: f64,
    low: f64,
    high: f64,
    below: f64,
    mass: f64,
}

impl TruncatedNormal {
    /// The normal of this mean and standard deviation, cut to [low, high].
    pub fn new(mean: f64, sd: f64, low: f64, high: f64) -> Self {
        let (a, b) = ((low - mean) / sd, (high - mean) / sd);
        let (a, b, sd) = if a > 0.0 { (-b, -a, -sd) } else { (a, b, sd) };
        let below = normal_cdf(a);
        Self { mean, sd, low, high, below, mass: (normal_cdf(b) - below).max(0.0) }
    }

    /// The same normal, cut further to values from `low` on.
    pub fn from(&self, low: f64) -> Self {
        Self::new(self.mean, self.sd.abs(), self.low.max(low), self.high)
    }

    /// The uncut normal's probability of the interval.
    pub fn mass(&self) -> f64 {
        self.mass
    }

    /// The value below which a draw falls with probability `p`; where the interval was mirrored, above which.
    #[inline]
    pub fn quantile(&self, p: f64) -> f64 {
        let z = normal_quantile(self.below + p * self.mass);
        (self.mean + self.sd * z).clamp(self.low, self.high)
    }

    /// Draws a value by inversion: one uniform number each.
    #[inline]
    pub fn sample(&self, rng: &mut Rng) -> f64 {
        self.quantile(rng.unit())
    }
}

/// The largest mean whose exponential is still a normal number, so that the product below keeps its precision.
const LARGEST_PART: f64 = 708.0;

/// A Poisson number of the given finite mean. A sum of Poisson numbers is one of the sum of their means, so that large
/// means are drawn in equal parts. Takes as many random numbers as it counts.
pub fn poisson(mean: f64, rng: &mut Rng) -> u32 {
    debug_assert!(mean.is_finite(), "a mean of {mean}");
    let parts = (mean / LARGEST_PART).ceil().max(1.0);
    (0..parts as u32).map(|_| poisson_part(mean / parts, rng)).sum()
}

/// A Poisson number by Knuth's product of uniforms, for means up to [`LARGEST_PART`].
fn poisson_part(mean: f64, rng: &mut Rng) -> u32 {
    let limit = libm::exp(-mean);
    let mut product = rng.unit();
    let mut count = 0;
    while product > limit {
        product *= rng.unit();
        count += 1;
    }
    count
}

const CENTRE_TOP: [f64; 8] = [
    3.387_132_872_796_366_6,
    1.331_416_678_917_843_8e2,
    1.971_590_950_306_551_4e3,
    1.373_169_376_550_946_1e4,
    4.592_195_393_154_987_1e4,
    6.726_577_092_700_87e4,
    3.343_057_558_358_812_8e4,
    2.509_080_928_730_122_7e3,
];
const CENTRE_BOTTOM: [f64; 8] = [
    1.0,
    4.231_333_070_160_091e1,
    6.871_870_074_920_579e2,
    5.394_196_021_424_751e3,
    2.121_379_430_158_659_7e4,
    3.930_789_580_009_271e4,
    2.872_908_573_572_194_3e4,
    5.226_495_278_852_854_6e3,
];
const MIDDLE_TOP: [f64; 8] = [
    1.423_437_110_749_683_6,
    4.630_337_846_156_545,
    5.769_497_221_460_691_4,
    3.647_848_324_763_204_6,
    1.270_458_252_452_368_4,
    2.417_807_251_774_506_1e-1,
    2.272_384_498_926_918_5e-2,
    7.745_450_142_783_414e-4,
];
const MIDDLE_BOTTOM: [f64; 8] = [
    1.0,
    2.053_191_626_637_758_8,
    1.676_384_830_183_803_8,
    6.897_673_349_851_000_1e-1,
    1.481_039_764_274_800_7e-1,
    1.519_866_656_361_645_7e-2,
    5.475_938_084_995_345e-4,
    1.050_750_071_644_416_8e-9,
];
const FAR_TOP: [f64; 8] = [
    6.657_904_643_501_103_8,
    5.463_784_911_164_114_4,
    1.784_826_539_917_291_3,
    2.965_605_718_285_048_9e-1,
    2.653_218_952_657_612_3e-2,
    1.242_660_947_388_078_4e-3,
    2.711_555_568_743_487_6e-5,
    2.010_334_399_292_288_1e-7,
];
const FAR_BOTTOM: [f64; 8] = [
    1.0,
    5.998_322_065_558_879_4e-1,
    1.369_298_809_227_358e-1,
    1.487_536_129_085_061_5e-2,
    7.868_691_311_456_132_6e-4,
    1.846_318_317_510_054_7e-5,
    1.421_511_758_316_445_9e-7,
    2.044_263_103_389_939_8e-15,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Seed, Stream};

    #[test]
    fn quantile_inverts_cdf() {
        for x in [-30.0, -12.5, -6.0, -4.9, -2.0, -0.3, 0.0, 0.1, 1.5, 3.0, 5.0] {
            let error = (normal_quantile(normal_cdf(x)) - x).abs();
            assert!(error <= 1e-9 * x.abs().max(1.0), "{x}: {error}");
        }
    }

    #[test]
    fn truncated_normals_have_the_right_moments_even_far_out() {
        let mut rng = Seed(3).stream(Stream::Scenario, 0);
        let mut mean =
            |d: TruncatedNormal| (0..40_000).map(|_| d.sample(&mut rng)).sum::<f64>() / 40_000.0;
        let wide = TruncatedNormal::new(0.25, 0.1, 0.0, 1.0);
        assert!((mean(wide) - 0.25177).abs() < 0.002);
        // ten deviations out: an exponential edge at 10 with rate (40 - 10) / 9, so about 10 - 0.3 + corrections
        let far = TruncatedNormal::new(40.0, 3.0, 0.0, 10.0);
        assert!((mean(far) - 9.7055).abs() < 0.01, "{}", mean(far));
        let late = TruncatedNormal::new(5.0, 3.0, 0.0, 50.0).from(49.0);
        let drawn = mean(late);
        assert!((49.1..49.3).contains(&drawn), "{drawn}");
    }

    /// The mean and the variance of `count` Poisson numbers.
    fn moments(mean: f64, count: u32) -> (f64, f64) {
        let mut rng = Seed(4).stream(Stream::Scenario, 0);
        let drawn: Vec<f64> = (0..count).map(|_| f64::from(poisson(mean, &mut rng))).collect();
        let first = drawn.iter().sum::<f64>() / f64::from(count);
        let second = drawn.iter().map(|x| (x - first).powi(2)).sum::<f64>();
        (first, second / f64::from(count - 1))
    }

    #[test]
    fn poisson_has_its_mean_and_variance_however_large() {
        for (mean, count) in [(0.08, 40_000), (5.0, 40_000), (708.0, 4_000), (5000.0, 4_000)] {
            let (first, second) = moments(mean, count);
            // Five standard errors of each, by the fourth moment of the distribution.
            let n = f64::from(count);
            let error = 5.0 * (mean / n).sqrt();
            assert!((first - mean).abs() < error, "mean {mean}: {first}");
            let error = 5.0 * ((mean + 2.0 * mean * mean) / n).sqrt();
            assert!((second - mean).abs() < error, "mean {mean}: variance {second}");
        }
    }

    #[test]
    fn poisson_of_a_mean_without_parts_is_one_product() {
        for mean in [0.0, 1.3, 5.0, 700.0, 708.0] {
            let stream = || Seed(8).stream(Stream::Scenario, 1);
            assert_eq!(poisson(mean, &mut stream()), poisson_part(mean, &mut stream()));
        }
    }
}
