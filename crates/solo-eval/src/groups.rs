//! The groups that rows are shown in.

use solo_core::AgentKind;
use solo_plot::svg::PALETTE;

/// What kind of agent one is, as it is typed; `None` if nobody knows it any more.
pub type KindOf<'k> = &'k dyn Fn(&str) -> Option<AgentKind>;

/// Rows of one kind, in the order in which tables show them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// Simple rules.
    Rules,
    /// Solvers that are run again and again, other people's among them.
    Solvers,
    /// Searches without anything learned.
    Searches,
    /// Networks and guides, alone or in a search.
    Learned,
    /// Agents that this program does not know.
    #[default]
    Others,
    /// What somebody would have paid who knew the whole day.
    Bounds,
    /// Costs that were read from a file.
    Files,
    /// Published values without a row of ours beside them.
    Published,
}

impl Group {
    /// All of them.
    pub const ALL: [Group; 8] = [
        Group::Rules,
        Group::Solvers,
        Group::Searches,
        Group::Learned,
        Group::Others,
        Group::Bounds,
        Group::Files,
        Group::Published,
    ];

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Group::Rules => "rules",
            Group::Solvers => "solvers",
            Group::Searches => "searches",
            Group::Learned => "learned",
            Group::Others => "other agents",
            Group::Bounds => "bounds",
            Group::Files => "costs from files",
            Group::Published => "published only",
        }
    }

    /// Its colour in figures.
    pub fn colour(self) -> &'static str {
        match self {
            Group::Rules => PALETTE[4],
            Group::Solvers => PALETTE[1],
            Group::Searches => PALETTE[2],
            Group::Learned => PALETTE[0],
            Group::Others => PALETTE[6],
            Group::Bounds => PALETTE[7],
            Group::Files | Group::Published => PALETTE[3],
        }
    }

    /// Whether its rows are agents, who decide without knowing what will come.
    pub fn decides(self) -> bool {
        self <= Group::Others
    }
}

impl From<Option<AgentKind>> for Group {
    fn from(kind: Option<AgentKind>) -> Self {
        match kind {
            Some(AgentKind::Rule) => Group::Rules,
            Some(AgentKind::Solver) => Group::Solvers,
            Some(AgentKind::Search) => Group::Searches,
            Some(AgentKind::Learned) => Group::Learned,
            Some(AgentKind::Bound) => Group::Bounds,
            None => Group::Others,
        }
    }
}
