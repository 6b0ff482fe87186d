//! The agents with networks.

use super::{AgentEntry, GreedyQnet, Making, NetworkChoice, Suggest, searching};
use crate::models::{self, AUTO};
use solo_core::params::Params;
use solo_core::{Advised, Agent, Encode, Problem, RulesOf, Scenario};
use solo_learn::greedy::{Fitted, Greedy};
use solo_search::lookahead::by_value;
use solo_search::{Answer, LookaheadParams, Uct, UctParams, Waiting};

/// The agents with networks.
pub(crate) fn networks<S: Scenario>() -> [AgentEntry<S>; 5]
where
    RulesOf<S>: Encode,
{
    // Looking 50 ahead: on generated days with 10 machines 40 was 0.6 to 1.4 points better than 130 at 100 ms a decision,
    // and about the same with 3 machines and in routing.
    let printed = |k| UctParams { k, lookahead: 50.0, ..UctParams::as_printed() };
    // Rollouts are few, since a network takes its time: actions are considered one after the other, and the answer has
    // to be sure.
    let sure = UctParams { widen: 1.0, answer: Answer::Sure, wait: Waiting::Always, ..printed(0) };
    let search = |making: &Making<'_, S>, (choice, uct): (NetworkChoice, UctParams)| {
        let (model, guide) = network(making, &choice.model)?;
        Ok(fitted::<S, _>(model, Uct::new(guide, uct)))
    };
    [
        AgentEntry::new(
            GreedyQnet::NAME,
            GreedyQnet::ABOUT,
            GreedyQnet::default(),
            |making, params: GreedyQnet| {
                let (model, guide) = network(making, &params.model)?;
                Ok(fitted::<S, _>(model, Advised::new(guide.with_views(params.views))))
            },
        ),
        AgentEntry::new(
            "solo",
            "the paper's tree search (Algorithm 1) as printed, guided by the trained network",
            (NetworkChoice::default(), printed(0)),
            search,
        )
        .samples_futures(),
        AgentEntry::new(
            "solo+prune",
            "solo, considering only the actions that the network likes best",
            (NetworkChoice::default(), printed(3)),
            search,
        )
        .samples_futures(),
        AgentEntry::new(
            "solo+sure",
            "solo, considering actions one after the other and leaving the network's choice only when sure",
            (NetworkChoice::default(), sure),
            search,
        )
        .samples_futures(),
        AgentEntry::new(
            "lookahead+qnet",
            "lookahead, whose candidates are waiting and the actions that the network likes best",
            (NetworkChoice::default(), LookaheadParams::default()),
            |making, (choice, params)| {
                let (model, mut guide) = network(making, &choice.model)?;
                let mut best = by_value();
                let suggest: Suggest<RulesOf<S>> = Box::new(move |listing, out| {
                    best(listing, &mut guide, out);
                });
                let agent = (searching(making)?.lookahead)(params, Some(suggest));
                Ok(fitted::<S, _>(model, Erased(agent)))
            },
        )
        .samples_futures(),
    ]
}

/// A network with its name and the form of the graphs that it reads.
type Chosen = (String, solo_core::GraphShape);

/// The network as typed, or the one for days of the law.
fn network<S: Scenario>(
    making: &Making<'_, S>,
    typed: &str,
) -> Result<(Chosen, Greedy<RulesOf<S>>), String> {
    let networks = making.entry.networks.as_ref().ok_or("the problem has no networks")?;
    let (name, net) = if typed == AUTO {
        let preset = making.law.map(|law| making.entry.taught_preset(law));
        let serving = preset.and_then(|preset| models::serving(&networks.bundled, preset));
        let chosen = serving.or(networks.bundled.first());
        let chosen = chosen.ok_or("no network is bundled; name one with model=")?;
        if serving.is_none() || preset != making.plain_law().as_deref() {
            let name = chosen.model.name;
            making.note(format!("no network was trained for {}; uses {name}", making.days()));
        }
        making.uses("network", &chosen.model, preset);
        (chosen.model.name.to_string(), chosen.get())
    } else {
        models::named("model", &networks.bundled, typed)?
    };
    Ok(((name, net.config().shape), Greedy::new(net)))
}

fn fitted<S: Scenario, A: Agent<RulesOf<S>> + 'static>(
    (model, shape): Chosen,
    agent: A,
) -> Box<dyn Agent<RulesOf<S>>>
where
    RulesOf<S>: Encode,
{
    Box::new(Fitted { model, shape, agent })
}

/// A boxed agent where one is wanted by value.
struct Erased<P: Problem>(Box<dyn Agent<P>>);

impl<P: Problem> Agent<P> for Erased<P> {
    fn decide(
        &mut self,
        problem: &P,
        state: &P::State,
        meter: &solo_core::Meter<'_>,
        rng: &mut solo_core::Rng,
    ) -> Result<solo_core::Decision<P::Action>, solo_core::Failure> {
        self.0.decide(problem, state, meter, rng)
    }

    fn ponder(
        &mut self,
        problem: &P,
        state: &P::State,
        action: P::Action,
        meter: &solo_core::Meter<'_>,
        rng: &mut solo_core::Rng,
    ) {
        self.0.ponder(problem, state, action, meter, rng);
    }

    fn explain(
        &mut self,
        problem: &P,
        state: &P::State,
        decision: &mut solo_core::Decision<P::Action>,
    ) {
        self.0.explain(problem, state, decision);
    }
}
