//! The command line as it is typed.

use crate::complete;
use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;
use solo_core::Budget;
use std::time::Duration;

/// Decide online: scheduling and routing days, decided by agents that do not know what comes next.
#[derive(Parser)]
#[command(name = "solo", version, after_help = EXAMPLES, arg_required_else_help = true)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

const EXAMPLES: &str = "EXAMPLES:
  solo simulate pmsp-online-3        simulate one online day and draw it
  solo list                          what can be simulated, and by whom
  solo help simulate                 more about a verb

Exit codes: 0 good, 1 failed, 2 invalid arguments, 130 interrupted.";

/// The verbs.
#[derive(Subcommand)]
pub(crate) enum Verb {
    /// List problems with their presets, agents and files, a line each.
    #[command(alias = "presets")]
    List(ListArgs),
    /// Tell an agent's parameters, with their ranges and defaults.
    Agents(AgentsArgs),
    /// Draw scenarios of a preset, as JSON lines.
    ///
    /// Scenario k of a preset and seed is the same on every machine.
    Generate(GenerateArgs),
    /// Simulate days with agents that see only what has happened, and compare their costs.
    ///
    /// Every agent decides the same days; differences are to the first agent. Costs are recomputed by an independent audit.
    /// A single day of the first agent is drawn as SVG into the current folder. Ctrl-C keeps what is done.
    Simulate(SimulateArgs),
    /// Solve the scenarios of a file with one agent and write the solutions.
    ///
    /// Offline scenarios are days on which everything arrives at time 0; online ones are decided as they come. Costs are
    /// recomputed by an independent audit.
    Solve(SolveArgs),
    /// Recompute the cost and feasibility of solutions, independently of who made them.
    ///
    /// The exit code is 1 if a rule is broken, or if a cost is stated wrongly as far as its digits go.
    Check(CheckArgs),
    /// Learn a network by a recipe.
    ///
    /// Everything is written into one folder: checkpoints, the best network so far, and curves as CSV, SVG and TensorBoard
    /// events. Interrupted or killed at any moment, --resume goes on to the very same weights.
    Train(TrainArgs),
    /// Teach a small guide by search, by a recipe.
    ///
    /// A lookahead labels the decisions of generated days, a small network learns from it and guides the
    /// next round, and at last its weights evolve by the cost of whole days. Files and --resume are as with train.
    Teach(TeachArgs),
    /// Run a suite: scenarios x agents x budgets, kept as they end.
    ///
    /// Finished days are appended to the folder one by one; started again, the same command simulates only what is missing, also after
    /// kill -9. One day per core at a time, so that budgets by the clock are not shared. Cells that cannot run are skipped with the reason, and the others
    /// go on.
    Eval(EvalArgs),
    /// Write the report of an evaluation: one HTML file, Markdown tables and figures.
    ///
    /// Everything is written into the folder: report.html has all of it inside, tables.md the tables, figures/ every figure as SVG and PNG.
    /// A report can be made at any moment, also while the evaluation goes on.
    Report(ReportArgs),
    /// Print a completion script for a shell.
    Completions(CompletionsArgs),
}

/// `solo list`.
#[derive(Args)]
#[command(after_help = "EXAMPLES:
  solo list
  solo list cvrp
  solo list --json | jq '.[].agents[].name'")]
pub(crate) struct ListArgs {
    /// Of this problem alone.
    pub(crate) problem: Option<String>,
    /// One JSON array for programs instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `solo agents`.
#[derive(Args)]
#[command(after_help = "EXAMPLES:
  solo agents solo2
  solo agents lookahead ruin --json")]
pub(crate) struct AgentsArgs {
    /// Which agents [default: the names of all].
    #[arg(value_name = "AGENT", add = complete::agents())]
    pub(crate) names: Vec<String>,
    /// One JSON array for programs instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `solo generate`.
#[derive(Args)]
#[command(after_help = "EXAMPLES:
  solo generate pmsp-online-3 --count 100 --seed 7 --out days.jsonl
  solo generate cvrp-20 | solo simulate -
  solo generate cvrp-100 --out one.vrp")]
pub(crate) struct GenerateArgs {
    /// Which preset; 'solo list' has all. Changes are appended, as in cvrp-dispatch-50:customers=80.
    #[arg(add = complete::presets())]
    pub(crate) preset: String,
    /// How many scenarios.
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MOST_SCENARIOS))]
    pub(crate) count: u64,
    /// The random seed.
    #[arg(long, default_value_t = 0, value_name = "S")]
    pub(crate) seed: u64,
    /// Write to this file instead of standard output; an ending like .vrp picks another format.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<String>,
    #[command(flatten)]
    pub(crate) writing: Writing,
}

/// More scenarios than this would fill a disk.
const MOST_SCENARIOS: u64 = 100_000_000;
/// More days than this would fill the memory.
const MOST_DAYS: u64 = 1_000_000;

/// `solo simulate`.
#[derive(Args)]
#[command(after_help = "EXAMPLES:
  solo simulate pmsp-online-3
  solo simulate cvrp-dispatch-50 --agent 'hold(theta=1.5,age=10)' --agent nearest --episodes 100
  solo simulate days.jsonl --agent wspt --json > results.jsonl
  solo simulate pmsp-online-3 --agent 'mcts+wspt(k=10,lookahead=200)' --budget 200r --explain
  solo generate cvrp-20 --count 5 | solo simulate - --agent savings
  solo simulate data/scenarios/kool-100.jsonl --agent ruin@25ms --agent ruin@100ms --episodes 60 \\
      --reference data/scenarios/kool-references.csv:pyvrp-10s --record kool-100.jsonl")]
pub(crate) struct SimulateArgs {
    /// A preset, a scenario file, or - for standard input.
    #[arg(value_name = "PRESET|FILE|-", add = complete::presets_and_files())]
    pub(crate) source: String,
    /// An agent, like wspt, 'hold(theta=1.5)' or, with a budget of its own, ruin@25ms; may be given several times
    /// [default: a few].
    #[arg(long = "agent", value_name = "AGENT", add = complete::agents())]
    pub(crate) agents: Vec<String>,
    /// How many days [default: 1 of a preset, all of a file].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MOST_DAYS))]
    pub(crate) episodes: Option<u64>,
    /// The random seed.
    #[arg(long, default_value_t = 0, value_name = "S")]
    pub(crate) seed: u64,
    /// What an agent may spend on a decision: a time like 100ms or 2s, or rollouts like 200r [default: 10ms].
    #[arg(long, value_name = "BUDGET")]
    budget: Option<Budget>,
    /// Let agents think on until the next decision is due: this much, like 2ms or 50r, for each unit of the day's time.
    #[arg(long, value_name = "BUDGET", conflicts_with = "record")]
    pub(crate) ponder: Option<Budget>,
    /// The preset whose arrivals agents expect, or none [default: the one in the scenario's name, if any].
    #[arg(long, value_name = "PRESET", add = complete::presets())]
    pub(crate) law: Option<String>,
    /// Believe in the law although the days have numbers that it could never have drawn.
    #[arg(long)]
    pub(crate) trust_law: bool,
    #[command(flatten)]
    pub(crate) threads: Threads,
    /// Keep finished days in this file, one JSON object a line, and do not simulate again those that are in it.
    #[arg(long, value_name = "FILE.jsonl")]
    pub(crate) record: Option<String>,
    /// Show differences to this one of the agents [default: the first; ruin if no agent is asked for].
    #[arg(long, value_name = "AGENT", conflicts_with = "reference", add = complete::agents())]
    pub(crate) against: Option<String>,
    /// Compare with the costs of a method in a file of scenario,method,cost.
    #[arg(long, value_name = "FILE.csv:METHOD")]
    pub(crate) reference: Option<String>,
    /// Print the table as Markdown.
    #[arg(long, conflicts_with = "json")]
    pub(crate) markdown: bool,
    /// Draw the first agent's first day into this file, an SVG, or a PNG if it ends in .png.
    #[arg(long, value_name = "FILE.svg")]
    pub(crate) picture: Option<String>,
    /// Draw nothing.
    #[arg(long, conflicts_with = "picture")]
    pub(crate) no_picture: bool,
    /// Write the first agent's solutions to this file.
    #[arg(long, value_name = "FILE")]
    pub(crate) solution: Option<String>,
    /// Print what arrived and what the first agent decided on its first day.
    #[arg(long, conflicts_with = "json")]
    pub(crate) log: bool,
    /// Print why the first agent decided as it did on its first day; with --json, why everybody did on every day.
    #[arg(long)]
    pub(crate) explain: bool,
    /// One JSON object per day and agent instead of a table.
    #[arg(long)]
    pub(crate) json: bool,
    /// Fail (exit code 1) if an agent was something else than what was asked for, as a search without a law.
    #[arg(long)]
    pub(crate) strict: bool,
    #[command(flatten)]
    pub(crate) writing: Writing,
}

impl SimulateArgs {
    /// The budget as typed, if it was.
    pub(crate) fn asked_budget(&self) -> Option<Budget> {
        self.budget
    }

    /// The budget of a decision.
    pub(crate) fn budget(&self) -> Budget {
        self.budget.unwrap_or(Budget::Wall(Duration::from_millis(10)))
    }
}

/// How files are written.
#[derive(Args)]
pub(crate) struct Writing {
    /// Replace files that exist.
    #[arg(long)]
    pub(crate) force: bool,
}

/// How many threads to use.
#[derive(Args)]
pub(crate) struct Threads {
    /// How many days are simulated at the same time [default: one per core].
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

impl Threads {
    /// As typed, if it was.
    pub(crate) fn asked(&self) -> Option<usize> {
        self.threads.map(usize::from)
    }

    /// As typed, or one per core.
    pub(crate) fn number(&self) -> usize {
        match self.threads {
            Some(threads) => threads.into(),
            None => std::thread::available_parallelism().map_or(1, usize::from),
        }
    }
}

/// `solo solve`.
#[derive(Args)]
#[command(after_help = "EXAMPLES:
  solo solve X-n101-k25.vrp --agent savings --out X-n101-k25.sol --picture routes.svg
  solo solve days.jsonl --agent wspt --out solutions.jsonl
  solo solve days.jsonl --json")]
pub(crate) struct SolveArgs {
    /// A scenario file (.jsonl, .vrp, .txt), or - for standard input.
    #[arg(value_name = "FILE|-")]
    pub(crate) file: String,
    /// An agent, like savings or wspt [default: ruin].
    #[arg(long, add = complete::agents())]
    pub(crate) agent: Option<String>,
    /// What the agent may spend on a decision: a time like 100ms or 2s, or rollouts like 200r.
    #[arg(long, default_value = "1s")]
    pub(crate) budget: Budget,
    /// The random seed.
    #[arg(long, default_value_t = 0, value_name = "S")]
    pub(crate) seed: u64,
    /// Read the file in this format instead of the one of its ending, like vrplib-exact, which rounds no distance.
    #[arg(long, value_name = "NAME")]
    pub(crate) format: Option<String>,
    #[command(flatten)]
    pub(crate) threads: Threads,
    /// Write the solutions to this file: VRPLIB if it ends in .sol, else JSON lines.
    #[arg(long, value_name = "SOLUTION")]
    pub(crate) out: Option<String>,
    /// Draw the first solution into this file, an SVG, or a PNG if it ends in .png.
    #[arg(long, value_name = "FILE.svg")]
    pub(crate) picture: Option<String>,
    /// One JSON object per scenario instead of a table.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) writing: Writing,
}

/// The arguments of learning of any kind.
#[derive(Args)]
pub(crate) struct LessonArgs {
    /// The recipe.
    #[arg(value_name = "RECIPE.toml")]
    pub(crate) recipe: String,
    /// Go on from the checkpoint in the folder.
    #[arg(long)]
    pub(crate) resume: bool,
    /// The folder for everything that is written [default: runs/ and the recipe's name].
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<String>,
    /// The random seed.
    #[arg(long, default_value_t = 0, value_name = "S")]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) threads: Threads,
}

/// `solo train`.
#[derive(Args)]
#[command(after_help = "EXAMPLES:
  solo train recipes/pmsp-online-3.toml
  solo train recipes/pmsp-online-3.toml --resume
  solo train recipes/cvrp-20.toml --paper --out runs/as-published
  solo train recipes/pmsp-20.toml --paper --set reward_scale=1000 --out runs/scaled")]
pub(crate) struct TrainArgs {
    #[command(flatten)]
    pub(crate) lesson: LessonArgs,
    /// With the published parameters instead of those for two cores and an hour.
    #[arg(long)]
    pub(crate) paper: bool,
    /// Change a parameter of the recipe; may be given several times.
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) set: Vec<String>,
}

/// `solo teach`.
#[derive(Args)]
#[command(after_help = "EXAMPLES:
  solo teach recipes/guide-pmsp-online-3.toml
  solo teach recipes/guide-pmsp-online-3.toml --resume
  solo simulate pmsp-online-3 --agent 'solo2(model=runs/guide-pmsp-online-3/best.safetensors)'")]
pub(crate) struct TeachArgs {
    #[command(flatten)]
    pub(crate) lesson: LessonArgs,
}

/// `solo eval`.
#[derive(Args)]
#[command(after_help = "EXAMPLES:
  solo eval suites/smoke.toml --out smoke
  solo eval suites/paper.toml --out results/paper --dry-run
  solo eval suites/paper.toml --out results/paper --only cvrp-20 --only pmsp
  solo report results/paper")]
pub(crate) struct EvalArgs {
    /// The suite.
    #[arg(value_name = "SUITE.toml")]
    pub(crate) suite: String,
    /// The folder for the results; what is there already is not simulated again.
    #[arg(long, value_name = "DIR", required_unless_present = "dry_run")]
    pub(crate) out: Option<String>,
    /// Only the cells whose 'column / row' holds this; may be given several times.
    #[arg(long, value_name = "TEXT")]
    pub(crate) only: Vec<String>,
    /// At most this many days of each cell, the first ones; the same folder takes the rest another time.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MOST_DAYS))]
    pub(crate) days: Option<u64>,
    /// Simulate again the days of cells whose 'column / row' holds this: what is known of them is struck out first.
    #[arg(long, value_name = "TEXT")]
    pub(crate) forget: Vec<String>,
    /// Go on although the results are of another suite or of another build of this program.
    #[arg(long)]
    pub(crate) mix: bool,
    /// Only list the cells, with about how long they take.
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) threads: Threads,
}

/// `solo report`.
#[derive(Args)]
#[command(after_help = "EXAMPLES:
  solo report results/paper")]
pub(crate) struct ReportArgs {
    /// The folder that 'solo eval' wrote.
    #[arg(value_name = "RESULTS")]
    pub(crate) folder: String,
    /// Where links to decisions lead: a folder or an address.
    #[arg(long, default_value = "../../docs/decisions", value_name = "URL")]
    pub(crate) docs: String,
}

/// `solo check`.
#[derive(Args)]
#[command(after_help = "EXAMPLES:
  solo check X-n101-k25.vrp X-n101-k25.sol
  solo check days.jsonl solutions.jsonl")]
pub(crate) struct CheckArgs {
    /// The scenario file, or - for standard input.
    #[arg(value_name = "FILE|-")]
    pub(crate) file: String,
    /// The solution file (.sol, or JSON lines as written by 'solo solve').
    pub(crate) solution: String,
    /// Read the file in this format instead of the one of its ending, like vrplib-exact, which rounds no distance.
    #[arg(long, value_name = "NAME")]
    pub(crate) format: Option<String>,
    /// One JSON object per solution instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `solo completions`.
#[derive(Args)]
#[command(
    after_help = "The script asks the program itself, so that presets and agents complete, too.

EXAMPLES:
  solo completions bash > ~/.local/share/bash-completion/completions/solo
  solo completions zsh > ~/.zfunc/_solo
  solo completions fish > ~/.config/fish/completions/solo.fish"
)]
pub(crate) struct CompletionsArgs {
    /// For which shell.
    pub(crate) shell: Shell,
}
