//! Everything that the outside needs of scheduling.

use crate::dynamics::Scheduling;
use crate::hindsight::hindsight;
use crate::scenario::Scenario;
use crate::state::{Action, Arrival};
use crate::{Fifo, Law, Ruin, Wspt, formats, picture, presets, rules};
use serde_json::{Map, Value};
use solo_core::domain::{Decisions, ScenarioFormat, SolutionFormat};
use solo_core::file::{Object, Reader};
use solo_core::{
    AgentEntry, Domain, Failure, GuideVisitor, Meter, Preset, Replan, Rng, Seed, Timed, Uniform,
    When,
};

/// Scheduling, as the command line knows it.
#[derive(Clone, Copy, Debug)]
pub struct Pmsp;

impl Domain for Pmsp {
    type Problem = Scheduling;
    type Scenario = Scenario;
    type Scout = crate::insertion::Insertion;

    const NAME: &'static str = "pmsp";
    const SHOWN: &'static [&'static str] = &["ruin", "wspt", "fifo", "uniform"];
    const SOLVER: &'static str = "ruin";
    const GUIDE: &'static str = "wspt";
    const RIVALS: &'static [&'static str] = &["cpsat", "cpsat-circuits", "cpoptimizer"];

    fn presets() -> &'static [Preset] {
        presets::PRESETS
    }

    fn generate(preset: &str, seed: Seed, index: u64) -> Option<Scenario> {
        presets::generate(preset, seed, index)
    }

    fn agents() -> Vec<AgentEntry<Scheduling>> {
        let mut agents = rules::agents();
        agents.push(AgentEntry {
            name: "ruin",
            about: "plans the open jobs by ruin and recreate at every decision",
            params: &[],
            make: |_| Box::new(Replan::<Scheduling, _>::new(Ruin::default(), When::Always)),
        });
        agents
    }

    fn guides(visitor: &mut impl GuideVisitor<Scheduling>) {
        visitor.visit::<Uniform<Scheduling>>("uniform");
        visitor.visit::<Wspt>("wspt");
        visitor.visit::<Fifo>("fifo");
    }

    fn name(scenario: &Scenario) -> &str {
        &scenario.name
    }

    fn problem(scenario: &Scenario, law: Option<&str>) -> Option<Scheduling> {
        let law = law.map_or(Some(Law::Unknown), presets::law)?;
        Some(Scheduling::new(scenario, law))
    }

    fn arrivals(scenario: &Scenario) -> Vec<Timed<Arrival>> {
        let arrival = |job: &crate::Job| Timed {
            time: job.arrival,
            what: Arrival::Job { processing: job.processing, weight: job.weight, class: job.class },
        };
        scenario.jobs.iter().map(arrival).collect()
    }

    fn hindsight(
        problem: &Scheduling,
        arrivals: &[Timed<Arrival>],
        meter: &Meter<'_>,
        rng: &mut Rng,
    ) -> Result<Decisions<Scheduling>, Failure> {
        hindsight(problem, arrivals, meter, rng).map(|(decisions, _)| decisions)
    }

    fn picture(
        problem: &Scheduling,
        arrivals: &[Timed<Arrival>],
        decisions: &[Timed<Action>],
        title: &str,
    ) -> String {
        picture::gantt(problem, arrivals, decisions, title)
    }

    fn read(reader: &mut Reader, name: &str, object: &mut Object<'_>) -> Option<Scenario> {
        formats::read(reader, name, object)
    }

    fn write(scenario: &Scenario) -> Map<String, Value> {
        formats::write(scenario)
    }

    fn read_action(reader: &mut Reader, object: &mut Object<'_>) -> Option<Action> {
        formats::read_action(reader, object)
    }

    fn write_action(action: Action) -> Map<String, Value> {
        formats::write_action(action)
    }

    fn scenario_formats() -> Vec<ScenarioFormat<Scenario>> {
        vec![ScenarioFormat {
            extension: "txt",
            about: "offline benchmark: machines; families; setups; n; n lines 'processing weight family'",
            read: formats::read_liao,
            write: formats::write_liao,
        }]
    }

    fn solution_formats() -> Vec<SolutionFormat<Scenario, Scheduling>> {
        Vec::new()
    }
}
