//! The searches, one agent for each guide of a problem.

use solo_core::spec::{Args, Kind, Param};
use solo_core::{Agent, AgentEntry, Domain, Guide, GuideVisitor, Problem};
use solo_search::{Futures, Settings, Uct};

/// The names that Algorithm 1 takes with each guide.
const MCTS: &[(&str, &str)] = &[
    ("uniform", "mcts+uniform"),
    ("distance", "mcts+distance"),
    ("nearest", "mcts+nearest"),
    ("wspt", "mcts+wspt"),
    ("fifo", "mcts+fifo"),
];

const PARAMS: &[Param] = &[
    Param {
        name: "beta",
        about: "how much is explored, in units of the spread of the returns",
        kind: Kind::Number { low: 0.0, high: f64::MAX, default: Settings::DEFAULT.beta },
    },
    Param {
        name: "gamma",
        about: "what a step's cost counts against the cost of the step before",
        kind: Kind::Number { low: 0.0, high: 1.0, default: Settings::DEFAULT.gamma },
    },
    Param {
        name: "k",
        about: "how many actions are considered, the best by the guide; 0 for all",
        kind: Kind::Whole { low: 0, high: u32::MAX, default: Settings::DEFAULT.k as u32 },
    },
    Param {
        name: "lookahead",
        about: "rollouts expect arrivals only so far into the future; inf for all",
        kind: Kind::Number { low: 0.0, high: f64::INFINITY, default: Settings::DEFAULT.lookahead },
    },
    Param {
        name: "futures",
        about: "whether the root's actions meet the same dreamt futures",
        kind: Kind::Choice(Futures::WORDS),
    },
];

/// The searches of a problem.
pub fn agents<D: Domain>() -> Vec<AgentEntry<D::Problem>> {
    let mut all = Entries(Vec::new());
    D::guides(&mut all);
    all.0
}

struct Entries<P: Problem>(Vec<AgentEntry<P>>);

impl<P: Problem + 'static> GuideVisitor<P> for Entries<P> {
    fn visit<G: Guide<P> + Default + 'static>(&mut self, guide: &'static str) {
        self.0.extend(MCTS.iter().filter(|(of, _)| *of == guide).map(|&(_, name)| AgentEntry {
            name,
            about: "the paper's tree search (Algorithm 1) with this rule as its guide",
            params: PARAMS,
            make: mcts::<P, G>,
        }));
    }
}

fn mcts<P: Problem + 'static, G: Guide<P> + Default + 'static>(args: &Args) -> Box<dyn Agent<P>> {
    let settings = Settings {
        beta: args.number("beta"),
        gamma: args.number("gamma"),
        k: args.number("k") as usize,
        lookahead: args.number("lookahead"),
        futures: Futures::from_word(args.word("futures")),
    };
    Box::new(Uct::new(G::default(), settings))
}

#[cfg(test)]
mod tests {
    use super::*;
    use solo_cvrp::Cvrp;
    use solo_pmsp::Pmsp;

    #[test]
    fn every_guide_has_its_searches() {
        struct Names(Vec<&'static str>);
        impl<P: Problem> GuideVisitor<P> for Names {
            fn visit<G: Guide<P> + Default + 'static>(&mut self, guide: &'static str) {
                self.0.push(guide);
            }
        }
        fn check<D: Domain>() {
            let mut names = Names(Vec::new());
            D::guides(&mut names);
            let wanted: Vec<String> = names.0.iter().map(|guide| format!("mcts+{guide}")).collect();
            let found: Vec<&str> = agents::<D>().iter().map(|agent| agent.name).collect();
            assert_eq!(found, wanted);
            assert!(names.0.contains(&D::GUIDE), "{} is a guide", D::GUIDE);
        }
        check::<Cvrp>();
        check::<Pmsp>();
    }
}
