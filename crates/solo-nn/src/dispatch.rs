//! Which instructions the kernels are compiled for, chosen at run time.
//!
//! A kernel is a [`Task`]: safe Rust whose loops the compiler turns into vector instructions. It is compiled once for
//! every [`Set`] of instructions. Where products and sums are fused they are rounded once, so sets differ in last
//! digits.

/// Something to compute that is worth compiling for more than one instruction set.
pub(crate) trait Task {
    /// Computes it. Must be `#[inline(always)]`, so that it is compiled for the caller's instructions.
    fn run<S: Set>(self);
}

/// What kernels want to know about an instruction set.
pub(crate) trait Set {
    /// Whether a product and a sum are one instruction.
    const FUSED: bool;
}

struct Portable;
impl Set for Portable {
    const FUSED: bool = false;
}

#[cfg(target_arch = "x86_64")]
struct Avx2Fma;
#[cfg(target_arch = "x86_64")]
impl Set for Avx2Fma {
    const FUSED: bool = true;
}

#[cfg(target_arch = "x86_64")]
struct Avx512;
#[cfg(target_arch = "x86_64")]
impl Set for Avx512 {
    const FUSED: bool = true;
}

/// The instructions to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instructions(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Portable,
    // These are made only after detection, which is what makes the calls below sound.
    #[cfg(target_arch = "x86_64")]
    Avx2Fma,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Instructions {
    /// What every machine has.
    pub const PORTABLE: Self = Self(Kind::Portable);

    /// All that this machine has, the best last.
    pub fn all() -> Vec<Self> {
        let mut found = vec![Self::PORTABLE];
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            found.push(Self(Kind::Avx2Fma));
            if is_x86_feature_detected!("avx512f") {
                found.push(Self(Kind::Avx512));
            }
        }
        found
    }

    /// The best that this machine has.
    pub fn best() -> Self {
        Self::all().pop().unwrap_or(Self::PORTABLE)
    }

    /// A name to print.
    pub fn name(self) -> &'static str {
        match self.0 {
            Kind::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2Fma => "avx2+fma",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => "avx512f",
        }
    }

    /// Numbers in a vector register.
    pub(crate) fn vector(self) -> usize {
        match self.0 {
            Kind::Portable => 4,
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2Fma => 8,
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => 16,
        }
    }

    #[inline]
    pub(crate) fn run(self, task: impl Task) {
        match self.0 {
            Kind::Portable => task.run::<Portable>(),
            // SAFETY: the two kinds are made only in `all`, after their features were detected.
            #[cfg(target_arch = "x86_64")]
            #[allow(unsafe_code)]
            Kind::Avx2Fma => unsafe { with_avx2_fma(task) },
            #[cfg(target_arch = "x86_64")]
            #[allow(unsafe_code)]
            Kind::Avx512 => unsafe { with_avx512(task) },
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn with_avx2_fma(task: impl Task) {
    task.run::<Avx2Fma>();
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx2,fma")]
fn with_avx512(task: impl Task) {
    task.run::<Avx512>();
}

/// `a b + c`, in one rounding where that is one instruction.
#[inline(always)]
pub(crate) fn mul_add<S: Set>(a: f32, b: f32, c: f32) -> f32 {
    if S::FUSED { a.mul_add(b, c) } else { a * b + c }
}
