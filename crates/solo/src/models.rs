//! The models in the box.

use solo_nn::Qnet;
use std::fs;
use std::sync::{Arc, OnceLock};

/// A network that comes with the program.
pub struct Model {
    /// How it is typed, and the name of its file.
    pub name: &'static str,
    /// The problem that it is for.
    pub problem: &'static str,
    /// The presets that it serves.
    pub presets: &'static [&'static str],
    file: &'static [u8],
    net: OnceLock<Arc<Qnet>>,
}

macro_rules! models {
    ($($name:literal $problem:literal $presets:expr;)*) => {
        [$(Model {
            name: $name,
            problem: $problem,
            presets: &$presets,
            file: include_bytes!(concat!("../../../models/", $name, ".safetensors")),
            net: OnceLock::new(),
        },)*]
    };
}

/// Every model; where nothing is known of a day's law, the first of its problem is used.
pub static MODELS: [Model; 6] = models![
    "pmsp-80" "pmsp" ["pmsp-80"];
    "pmsp-20" "pmsp" ["pmsp-20"];
    "pmsp-online-3" "pmsp" ["pmsp-online-3"];
    "pmsp-online-10" "pmsp" ["pmsp-online-10"];
    "cvrp-20" "cvrp" ["cvrp-20", "cvrp-50", "cvrp-100"];
    "cvrp-dispatch" "cvrp" [
        "cvrp-dispatch-20", "cvrp-dispatch-50", "cvrp-dispatch-100",
        "cvrp-online-20", "cvrp-online-50", "cvrp-online-100"
    ];
];

/// The word for the model that fits the day.
pub const AUTO: &str = "auto";

impl Model {
    /// The network.
    pub fn net(&self) -> Arc<Qnet> {
        let load = || {
            let (net, _) = Qnet::from_safetensors(self.file).expect("models in the box are whole");
            Arc::new(net)
        };
        Arc::clone(self.net.get_or_init(load))
    }
}

/// The network as typed: a model in the box, a file, or the one for days of the law `law`; with its name.
pub fn find(problem: &str, typed: &str, law: Option<&str>) -> Result<(String, Arc<Qnet>), String> {
    let own = || MODELS.iter().filter(|model| model.problem == problem);
    let found = if typed == AUTO {
        let serving = own().find(|model| law.is_some_and(|law| model.presets.contains(&law)));
        serving.or_else(|| own().next())
    } else {
        MODELS.iter().find(|model| model.name == typed)
    };
    if let Some(other) = found.filter(|model| model.problem != problem) {
        return Err(format!("the model '{typed}' is one of {}, not of {problem}", other.problem));
    }
    if let Some(model) = found {
        return Ok((model.name.to_string(), model.net()));
    }
    let names: Vec<&str> = MODELS.iter().map(|model| model.name).collect();
    if !typed.contains(['/', '\\', '.']) {
        return Err(format!(
            "there is no model '{typed}'; known are {}, or give a .safetensors file",
            names.join(", ")
        ));
    }
    let file = fs::read(typed).map_err(|error| format!("{typed}: {error}"))?;
    let (net, _) = Qnet::from_safetensors(&file).map_err(|error| format!("{typed}: {error}"))?;
    Ok((typed.to_string(), Arc::new(net)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry;

    #[test]
    fn models_are_whole_and_serve_known_presets() {
        for model in &MODELS {
            let domain = registry::problem(model.problem).unwrap();
            assert!(model.presets.iter().all(|preset| registry::has_preset(domain, preset)));
            assert!(!model.net().params().is_empty());
        }
    }
}
