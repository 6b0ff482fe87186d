//! The parameters of the agents that every problem may have.

use crate::models::AUTO;
use solo_core::{When, params};
use solo_search::LookaheadParams;

params! {
    /// nothing can be set
    pub struct Nothing("") {}
}

params! {
    /// the action with the largest Q-value of a trained network
    pub struct GreedyQnet("qnet") {
        /// a bundled model, or a .safetensors file; auto for the one trained for the day's law
        model: String = AUTO.to_string() => Text,
        /// in how many ways that mean the same a state is looked at (routing: up to 8, the map mirrored and turned); the
        /// values are their mean
        views: usize = 1 => Whole { low: 1, high: 8 },
    }
}

params! {
    /// which network
    pub struct NetworkChoice("") {
        /// a bundled model, or a .safetensors file; auto for the one trained for the day's law
        model: String = AUTO.to_string() => Text,
    }
}

params! {
    /// the paper's NeuralRewriter: plans by up to 50 swaps of a first solution that a trained network picks
    pub struct RewriterParams("rewriter") {
        /// a bundled model, or a .safetensors file; auto for the one trained for the day's law
        model: String = AUTO.to_string() => Text,
        /// at most this many rewrites a plan
        steps: u64 = 50 => Whole { low: 0, high: u32::MAX as u64 },
        /// plan anew where the paper's baselines do (rest: at the depot, at any event on the machines), or always
        replan: When = When::AtRest => Choice(When::WORDS),
    }
}

params! {
    /// the option with the best score of a small network taught by search; answers at once
    pub struct GuideChoice("guide") {
        /// a bundled guide, or a .safetensors file; auto for the one taught for the day's law, first-round for its
        /// beginning
        model: String = AUTO.to_string() => Text,
    }
}

params! {
    /// lookahead with a taught guide in its rollouts; plans once nothing more can come
    pub struct Solo2("solo2") {
        /// a bundled guide, or a .safetensors file; auto for the one taught for the day's law, first-round for its
        /// beginning
        model: String = AUTO.to_string() => Text,
        /// what a shortened future's end costs: auto for what was taught with the guide, off, or a .safetensors file
        value: String = AUTO.to_string() => Text,
        /// at most this many candidates, the default included
        k: usize = 12 => Whole { low: 1, high: u32::MAX as u64 },
        /// the default is left only for a paired gain of more standard errors than this
        margin: f64 = 2.0 => Number { low: 0.0, high: f64::MAX },
        /// futures are cut after this many arrivals; 0 for 3 where a value tells what is left, else 10
        arrivals: usize = 0 => Whole { low: 0, high: u32::MAX as u64 },
        /// futures are cut after this much time; inf for never
        lookahead: f64 = f64::INFINITY => Number { low: 0.0, high: f64::INFINITY },
        /// at most this many futures are played at a decision; 0 for as many as the budget allows
        futures: usize = 0 => Whole { low: 0, high: u32::MAX as u64 },
        /// the part of the time for planning at the root
        share: f64 = 0.2 => Number { low: 0.0, high: 1.0 },
        /// this many threads play
        threads: usize = 1 => Whole { low: 1, high: 64 },
    }
}

/// Futures are cut after this many arrivals where a value tells what is left: measured on generated days with 3
/// machines and with 10, where 1 to 5 were about the same and 10 was worse.
const ARRIVALS_WITH_VALUE: usize = 3;

impl Solo2 {
    pub(crate) fn lookahead(&self, valued: bool) -> LookaheadParams {
        let arrivals = match self.arrivals {
            0 if valued => ARRIVALS_WITH_VALUE,
            0 => LookaheadParams::default().arrivals,
            set => set,
        };
        let Self { k, margin, lookahead, futures, share, threads, .. } = *self;
        LookaheadParams { k, margin, arrivals, lookahead, futures, share, threads }
    }
}
