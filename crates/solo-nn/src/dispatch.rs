//! Which instructions the kernels are compiled for, chosen at run time.
//!
//! A kernel is a [`Task`]: safe Rust whose loops the compiler turns into vector instructions. It is compiled twice, once
//! for every machine and once for those with AVX2 and FMA, where products and sums are fused and so rounded once.

/// Something to compute that is worth compiling for more than one instruction set.
pub(crate) trait Task {
    /// Computes it; with `FMA`, in fused multiply-adds. Must be `#[inline(always)]`, so that it is compiled for the caller's
    /// instructions.
    fn run<const FMA: bool>(self);
}

/// The instructions to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instructions(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Portable,
    /// Made only after detection, which is what makes the call below sound.
    #[cfg(target_arch = "x86_64")]
    Avx2Fma,
}

impl Instructions {
    /// What every machine has.
    pub const PORTABLE: Self = Self(Kind::Portable);

    /// The best that this machine has.
    pub fn best() -> Self {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            return Self(Kind::Avx2Fma);
        }
        Self::PORTABLE
    }

    /// A name to print.
    pub fn name(self) -> &'static str {
        match self.0 {
            Kind::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2Fma => "avx2+fma",
        }
    }

    #[inline]
    pub(crate) fn run(self, task: impl Task) {
        match self.0 {
            Kind::Portable => task.run::<false>(),
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2Fma => {
                // SAFETY: `Kind::Avx2Fma` is made only in `best`, after both features were detected.
                #[allow(unsafe_code)]
                unsafe {
                    with_avx2_fma(task);
                }
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn with_avx2_fma(task: impl Task) {
    task.run::<true>();
}

/// `a b + c`, in one rounding where that is one instruction.
#[inline(always)]
pub(crate) fn mul_add<const FMA: bool>(a: f32, b: f32, c: f32) -> f32 {
    if FMA { a.mul_add(b, c) } else { a * b + c }
}
