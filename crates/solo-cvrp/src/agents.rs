//! The parameters of routing's own agents.

use solo_core::{When, params, words};

/// When a plan is made anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplanAt {
    /// Whenever a vehicle stands at the depot, as published.
    Depot,
    /// At every decision.
    Always,
}

words!(ReplanAt { Depot: "depot", Always: "always" });

impl From<ReplanAt> for When {
    fn from(at: ReplanAt) -> Self {
        match at {
            ReplanAt::Depot => When::AtRest,
            ReplanAt::Always => When::Always,
        }
    }
}

params! {
    /// plans routes, as published only at the depot
    pub struct Replanned("") {
        /// plan anew at the depot, as published, or at every decision
        replan: ReplanAt = ReplanAt::Depot => Choice(ReplanAt::WORDS),
    }
}

params! {
    /// routes by ruin and recreate, each plan starting from the last
    pub struct RuinRoutes("ruin") {
        /// plan anew at every decision, or only at the depot
        replan: ReplanAt = ReplanAt::Always => Choice(ReplanAt::WORDS),
    }
}

params! {
    /// waits at the depot for a worthwhile load, then drives savings routes
    pub struct HoldRoutes("hold") {
        /// go when the open load reaches this many full loads
        theta: f64 = 1.25 => Number { low: 0.0, high: f64::MAX },
        /// go when a call is older than this
        age: f64 = 20.0 => Number { low: 0.0, high: f64::MAX },
    }
}

params! {
    /// waits at the depot for a worthwhile load, then plans by ruin and recreate at every decision
    pub struct RuinHold("ruin+hold") {
        /// go when the open load reaches this many full loads
        theta: f64 = 1.0 => Number { low: 0.0, high: f64::MAX },
        /// go when a call is older than this
        age: f64 = 15.0 => Number { low: 0.0, high: f64::MAX },
    }
}

impl From<Replanned> for When {
    fn from(params: Replanned) -> Self {
        params.replan.into()
    }
}
