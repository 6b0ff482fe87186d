//! Structs, text and JSON say the same.

use super::*;
use crate::{Budget, When, params};

params! {
    /// For the tests.
    pub struct Sample("sample") {
        /// share of a load
        theta: f64 = 1.0 => Number { low: 0.0, high: f64::MAX },
        /// when
        replan: When = When::AtRest => Choice(When::WORDS),
        /// how many
        k: usize = 3 => Whole { low: 1, high: 9 },
        /// which file
        model: String = "auto".to_string() => Text,
        /// how far
        far: f64 = f64::INFINITY => Number { low: 0.0, high: f64::INFINITY },
    }
}

fn read(text: &str) -> Result<Sample, SpecError> {
    AgentSpec::parse(text).and_then(|spec| spec.read())
}

#[test]
fn values_and_defaults() {
    assert_eq!(read("hold(theta=1.5)").unwrap(), Sample { theta: 1.5, ..Sample::default() });
    let always = Sample { replan: When::Always, ..Sample::default() };
    assert_eq!(read("hold( replan = always )@20ms").unwrap(), always);
    assert_eq!(read("hold(model=a/b-c.d)").unwrap().model, "a/b-c.d");
    assert_eq!(read("hold(far=inf)").unwrap(), Sample::default());
    assert_eq!(read("hold(far=2)").unwrap().far, 2.0);
}

#[test]
fn mistakes_are_named() {
    let complain = |text: &str| read(text).unwrap_err().to_string();
    assert!(complain("hold(beta=1)").contains("it has theta (number of at least 0)"));
    assert!(complain("hold(thta=1)").contains("did you mean 'theta'?"));
    assert!(complain("hold(theta=-1)").contains("theta=-1 is not allowed"));
    assert!(complain("hold(theta=NaN)").contains("not allowed"));
    assert!(complain("hold(k=2.5)").contains("whole number from 1 to 9"));
    assert!(complain("hold(k=10)").contains("k=10 is not allowed"));
    assert!(complain("hold(replan=never)").contains("rest or always"));
    assert!(complain("hold(theta=1,theta=2)").contains("given twice"));
    assert!(complain("hold(theta").contains("should look like"));
    assert!(complain("").contains("should look like"));
}

#[test]
fn structs_text_and_json_say_the_same() {
    let changed = Sample { k: 5, replan: When::Always, ..Sample::default() };
    let spec = AgentSpec::from(changed.clone()).at(Budget::Rollouts(9));
    assert_eq!(spec.to_string(), "sample(replan=always,k=5)@9r");
    assert_eq!(AgentSpec::parse(&spec.to_string()).unwrap().read::<Sample>().unwrap(), changed);
    let json = serde_json::to_string(&changed).unwrap();
    assert_eq!(serde_json::from_str::<Sample>(&json).unwrap(), changed);
    assert!(serde_json::from_str::<Sample>(r#"{"q":1}"#).is_err());
}

#[test]
fn presets_are_read_or_refused() {
    let read = |text| PresetSpec::parse(text).and_then(|spec| spec.read::<Sample>());
    assert_eq!(read("day").unwrap(), Sample::default());
    assert_eq!(read("day:theta=0.5,k=2").unwrap().k, 2);
    assert_eq!(PresetSpec::name_of("day:theta=0.5"), "day");
    for wrong in ["day:", "day:k", "day:k=", "day:k=x", "day:k=-1", "day:size=1", "day:k=1,k=2"] {
        assert!(read(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn near_names_are_found() {
    let names = ["cvrp-20", "cvrp-online-20", "pmsp-online-3", "savings"];
    assert_eq!(nearest("pmsp-onlin-3", names.into_iter()), Some("pmsp-online-3"));
    assert_eq!(nearest("saving", names.into_iter()), Some("savings"));
    assert_eq!(nearest("xyz", names.into_iter()), None);
}
