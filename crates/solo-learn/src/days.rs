//! Days to learn from.

use solo_core::{EventOf, Presets, Scenario, Seed, SpecError, Timed, World};
use std::sync::Arc;

/// The events of a day, in order of time.
pub type DayEvents<P> = Vec<Timed<EventOf<P>>>;

/// An endless row of days: day i is of preset i modulo their number. The same seed always gives the
/// same days.
pub struct TrainingDays<S> {
    draw: fn(&str, Seed, u64) -> Result<S, SpecError>,
    names: Vec<String>,
    seed: Seed,
}

impl<S: Scenario> TrainingDays<S> {
    /// Days of these presets, as typed.
    pub fn new(presets: &Presets<S>, names: &[String], seed: Seed) -> Result<Self, SpecError> {
        if names.is_empty() {
            return Err(SpecError("no preset is given".to_string()));
        }
        for name in names {
            let day = (presets.draw)(name, seed, 0)?;
            day.rules(Some(name)).map_err(|error| SpecError(error.to_string()))?;
        }
        Ok(Self { draw: presets.draw, names: names.to_vec(), seed })
    }

    /// How many presets there are.
    pub fn presets(&self) -> usize {
        self.names.len()
    }

    /// Day `index`, at its first decision. Its rules hold the law of its preset.
    pub fn open(&self, index: u64) -> World<Arc<S::Problem>> {
        let (problem, events) = self.start(index);
        World::open(problem, events)
    }

    /// The rules of day `index`, and everything that happens on it.
    pub fn start(&self, index: u64) -> (Arc<S::Problem>, DayEvents<S::Problem>) {
        let name = &self.names[(index % self.names.len() as u64) as usize];
        let day = (self.draw)(name, self.seed, index).expect("the preset was checked");
        let problem = day.rules(Some(name)).expect("the preset was checked");
        let mut events = day.events();
        events.sort_by(|a, b| a.time.total_cmp(&b.time));
        (Arc::new(problem), events)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use solo_core::testing::toy::{Toy, ToyDay};
    use solo_core::{Policy, Stream, Uniform};

    const TOYS: Presets<ToyDay> = Presets {
        list: &[],
        changes: Vec::new,
        draw: |name, seed, index| match name {
            "toy" => Ok(ToyDay::draw(seed, index)),
            other => Err(SpecError(format!("'{other}' is not a preset of toy"))),
        },
    };

    #[test]
    fn a_policy_costs_what_was_expected_of_it_on_the_same_future() {
        let days = TrainingDays::new(&TOYS, &["toy".to_string()], Seed(5)).unwrap();
        let mut day = days.open(3);
        let (mut policy, stream) = (Uniform::<Toy>::default(), || Seed(5).stream(Stream::Agent, 0));
        let expected = day.cost() + day.cost_to_go(&mut policy, &mut stream());
        let mut rng = stream();
        while !day.done() {
            let action = policy.choose(day.problem(), day.state(), &mut rng);
            day.act(action).unwrap();
        }
        assert!((day.cost() - expected).abs() < 1e-9 * expected, "{} {expected}", day.cost());
        assert_eq!(days.open(3).state(), days.open(3).state());
    }

    #[test]
    fn only_known_presets_have_days() {
        let days = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(ToString::to_string).collect();
            TrainingDays::new(&TOYS, &names, Seed(5)).map(|_| ())
        };
        assert_eq!(days(&["toy", "toy"]), Ok(()));
        assert!(days(&["toy", "cvrp-20"]).unwrap_err().to_string().contains("'cvrp-20'"));
        assert!(days(&[]).is_err());
    }
}
