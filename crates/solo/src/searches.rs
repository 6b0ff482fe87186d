//! The searches, one agent for each guide of a problem.

use solo_core::spec::{Args, Kind, Param};
use solo_core::{Agent, AgentEntry, Domain, Guide, GuideVisitor, Problem};
use solo_search::lookahead::{self, Lookahead};
use solo_search::{Answer, Futures, Settings, Uct};

/// The names that Algorithm 1 takes with each guide.
const MCTS: &[(&str, &str)] = &[
    ("uniform", "mcts+uniform"),
    ("distance", "mcts+distance"),
    ("nearest", "mcts+nearest"),
    ("wspt", "mcts+wspt"),
    ("fifo", "mcts+fifo"),
];

const PARAMS: &[Param] =
    &uct_params(PLAIN.k as u32, PLAIN.lookahead, PLAIN.widen, Answer::PUBLISHED);

const PLAIN: Settings = Settings::DEFAULT;

/// What can be set of Algorithm 1. Unless told otherwise so many actions are considered, so much time is looked ahead, actions
/// widen like this, and the answer is the first of these.
pub(crate) const fn uct_params(
    k: u32,
    lookahead: f64,
    widen: f64,
    answers: &'static [&'static str],
) -> [Param; 7] {
    [
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
            kind: Kind::Whole { low: 0, high: u32::MAX, default: k },
        },
        Param {
            name: "lookahead",
            about: "rollouts expect arrivals only so far into the future; inf for all",
            kind: Kind::Number { low: 0.0, high: f64::INFINITY, default: lookahead },
        },
        Param {
            name: "futures",
            about: "whether the root's actions meet the same dreamt futures",
            kind: Kind::Choice(Futures::WORDS),
        },
        Param {
            name: "widen",
            about: "after n visits no more than 1 + widen sqrt(n) actions are considered, the best by the guide; inf for all",
            kind: Kind::Number { low: 0.0, high: f64::INFINITY, default: widen },
        },
        Param {
            name: "answer",
            about: "mean: the action with the best mean; sure: the guide's choice unless another is better beyond noise, and the best \
                    rollout where nothing more can come",
            kind: Kind::Choice(answers),
        },
    ]
}

/// Algorithm 1 as it was asked for by [`uct_params`].
pub(crate) fn uct_settings(args: &Args) -> Settings {
    Settings {
        beta: args.number("beta"),
        gamma: args.number("gamma"),
        k: args.number("k") as usize,
        lookahead: args.number("lookahead"),
        futures: Futures::from_word(args.word("futures")),
        widen: args.number("widen"),
        answer: Answer::from_word(args.word("answer")),
    }
}

/// The searches of a problem.
pub fn agents<D: Domain>() -> Vec<AgentEntry<D::Problem>> {
    let mut all = Entries(Vec::new());
    D::guides(&mut all);
    all.0.push(AgentEntry {
        name: LOOKAHEAD,
        about: "candidates compared on common futures, from a plan by ruin and recreate",
        params: LOOKAHEAD_PARAMS,
        make: lookahead::<D>,
    });
    all.0
}

const LOOKAHEAD: &str = "lookahead";

const LOOK: lookahead::Params = lookahead::Params::DEFAULT;

pub(crate) const LOOKAHEAD_PARAMS: &[Param] = &[
    Param {
        name: "k",
        about: "at most so many candidates, the default included",
        kind: Kind::Whole { low: 1, high: u32::MAX, default: LOOK.k as u32 },
    },
    Param {
        name: "margin",
        about: "the default is left only for a paired gain of more standard errors than this",
        kind: Kind::Number { low: 0.0, high: f64::MAX, default: LOOK.margin },
    },
    Param {
        name: "arrivals",
        about: "futures are cut after so many arrivals",
        kind: Kind::Whole { low: 1, high: u32::MAX, default: LOOK.arrivals as u32 },
    },
    Param {
        name: "lookahead",
        about: "futures are cut after so much time; inf for never",
        kind: Kind::Number { low: 0.0, high: f64::INFINITY, default: LOOK.lookahead },
    },
    Param {
        name: "futures",
        about: "at most so many futures are played at a decision; 0 for as many as the budget allows",
        kind: Kind::Whole { low: 0, high: u32::MAX, default: 0 },
    },
    Param {
        name: "share",
        about: "the part of the time for planning at the root",
        kind: Kind::Number { low: 0.0, high: 1.0, default: LOOK.share },
    },
    Param {
        name: "threads",
        about: "so many threads play",
        kind: Kind::Whole { low: 1, high: 64, default: LOOK.threads as u32 },
    },
];

fn lookahead<D: Domain>(args: &Args) -> Box<dyn Agent<D::Problem>> {
    Box::new(Lookahead::<D::Problem, D::Scout>::scouting(look(args)))
}

/// The settings of a lookahead as they were typed.
pub(crate) fn look(args: &Args) -> lookahead::Params {
    let whole = |name: &str| args.number(name) as usize;
    lookahead::Params {
        k: whole("k"),
        margin: args.number("margin"),
        arrivals: whole("arrivals"),
        lookahead: args.number("lookahead"),
        futures: if whole("futures") == 0 { usize::MAX } else { whole("futures") },
        share: args.number("share"),
        threads: whole("threads"),
    }
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
    Box::new(Uct::new(G::default(), uct_settings(args)))
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
            let mut wanted: Vec<String> =
                names.0.iter().map(|guide| format!("mcts+{guide}")).collect();
            wanted.push(LOOKAHEAD.to_string());
            let found: Vec<&str> = agents::<D>().iter().map(|agent| agent.name).collect();
            assert_eq!(found, wanted);
            assert!(names.0.contains(&D::GUIDE), "{} is a guide", D::GUIDE);
        }
        check::<Cvrp>();
        check::<Pmsp>();
    }
}
