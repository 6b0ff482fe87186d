//! The optimiser.

/// Adam (Kingma and Ba), as PyTorch computes it.
#[derive(Clone, Debug)]
pub struct Adam {
    /// How much of the mean gradient stays from step to step.
    pub beta1: f32,
    /// How much of the mean square stays.
    pub beta2: f32,
    /// Added to the root of the mean square.
    pub epsilon: f32,
    steps: u64,
    mean: Vec<f32>,
    square: Vec<f32>,
}

impl Adam {
    /// An optimiser of `len` parameters that has made no step, with the usual constants.
    pub fn new(len: usize) -> Self {
        Self {
            beta1: 0.9,
            beta2: 0.999,
            epsilon: 1e-8,
            steps: 0,
            mean: vec![0.0; len],
            square: vec![0.0; len],
        }
    }

    /// An optimiser that goes on where another was: its `state`.
    ///
    /// # Panics
    /// If the two slices have different lengths.
    pub fn resumed(steps: u64, mean: &[f32], square: &[f32]) -> Self {
        assert_eq!(mean.len(), square.len(), "two numbers are kept for every parameter");
        Self { steps, mean: mean.to_vec(), square: square.to_vec(), ..Self::new(0) }
    }

    /// How many steps were made, the mean gradient and the mean square: all that the next step depends on.
    pub fn state(&self) -> (u64, &[f32], &[f32]) {
        (self.steps, &self.mean, &self.square)
    }

    /// Moves the parameters against their gradient.
    ///
    /// # Panics
    /// If the slices are not as long as the optimiser was made for.
    pub fn step(&mut self, rate: f32, params: &mut [f32], grad: &[f32]) {
        assert!(params.len() == self.mean.len() && grad.len() == self.mean.len());
        self.steps += 1;
        let corrected = |beta: f32| 1.0 - f64::from(beta).powf(self.steps as f64);
        let rate = (f64::from(rate) / corrected(self.beta1)) as f32;
        let root = (1.0 / corrected(self.beta2).sqrt()) as f32;
        let moments = self.mean.iter_mut().zip(&mut self.square);
        for ((param, &grad), (mean, square)) in params.iter_mut().zip(grad).zip(moments) {
            *mean = self.beta1 * *mean + (1.0 - self.beta1) * grad;
            *square = self.beta2 * *square + (1.0 - self.beta2) * grad * grad;
            *param -= rate * *mean / (square.sqrt() * root + self.epsilon);
        }
    }
}

/// Shortens the gradient to this length if it is longer, and returns the length that it had.
pub fn clip_by_norm(grad: &mut [f32], most: f32) -> f32 {
    // In double precision and in order, so that the length is the same everywhere.
    let norm = grad.iter().map(|&g| f64::from(g) * f64::from(g)).sum::<f64>().sqrt() as f32;
    if norm > most {
        let scale = most / norm;
        for g in grad {
            *g *= scale;
        }
    }
    norm
}
