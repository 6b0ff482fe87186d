//! Bundled models and models in files.

use solo_core::BundledModel;
use solo_nn::{Qnet, RewriterNet, Scorer};
use std::fs;
use std::sync::{Arc, OnceLock};

/// The word for the model that fits the day.
pub const AUTO: &str = "auto";

/// A kind of model that can be read from a file.
pub trait Model: Sized {
    /// What it is called in messages.
    const KIND: &'static str;
    /// Reads the bytes of a file.
    fn read(bytes: &[u8]) -> Result<Self, String>;
}

impl Model for Qnet {
    const KIND: &'static str = "model";

    fn read(bytes: &[u8]) -> Result<Self, String> {
        Qnet::from_safetensors(bytes).map(|(net, _)| net).map_err(|error| error.to_string())
    }
}

impl Model for Scorer {
    const KIND: &'static str = "guide";

    fn read(bytes: &[u8]) -> Result<Self, String> {
        Scorer::from_safetensors(bytes).map(|(scorer, _)| scorer).map_err(|error| error.to_string())
    }
}

impl Model for RewriterNet {
    const KIND: &'static str = "rewriter";

    fn read(bytes: &[u8]) -> Result<Self, String> {
        RewriterNet::from_safetensors(bytes).map(|(net, _)| net).map_err(|error| error.to_string())
    }
}

/// A bundled model, read when it is first asked for.
pub struct Loaded<T> {
    /// Its name and presets.
    pub model: BundledModel,
    read: OnceLock<Arc<T>>,
}

impl<T: Model> Loaded<T> {
    pub(crate) fn new(model: BundledModel) -> Self {
        Self { model, read: OnceLock::new() }
    }

    /// The model.
    pub fn get(&self) -> Arc<T> {
        let read = || {
            let read = T::read(self.model.bytes);
            Arc::new(read.unwrap_or_else(|error| panic!("bundled {}: {error}", self.model.name)))
        };
        Arc::clone(self.read.get_or_init(read))
    }
}

/// The model as typed: a bundled one by name, or a file; with its name.
pub(crate) fn named<T: Model>(
    kind: &str,
    bundled: &[Loaded<T>],
    typed: &str,
) -> Result<(String, Arc<T>), String> {
    if let Some(found) = bundled.iter().find(|loaded| loaded.model.name == typed) {
        return Ok((typed.to_string(), found.get()));
    }
    if !typed.contains(['/', '\\', '.']) {
        let names: Vec<&str> = bundled.iter().map(|loaded| loaded.model.name).collect();
        return Err(format!(
            "there is no {kind} '{typed}'; known are {}, or give a .safetensors file",
            names.join(", ")
        ));
    }
    let bytes = read_file(typed).map_err(|what| format!("{typed}: {what}"))?;
    let model = T::read(&bytes).map_err(|error| format!("{typed}: {error}"))?;
    Ok((typed.to_string(), Arc::new(model)))
}

/// The largest file that is read as a model, in bytes: four times the largest network that recipes can ask for.
const LARGEST: u64 = 4 << 30;

/// The bytes of a model's file. Devices and pipes, which may never end, are none.
fn read_file(path: &str) -> Result<Vec<u8>, String> {
    let metadata = fs::metadata(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_string(),
        _ => error.to_string(),
    })?;
    if !metadata.is_file() {
        return Err("is no file; give a .safetensors file".to_string());
    }
    if metadata.len() > LARGEST {
        return Err(format!("is larger than {} GB, too large for a model", LARGEST >> 30));
    }
    fs::read(path).map_err(|error| error.to_string())
}

/// The bundled model that was made for days of a preset.
pub(crate) fn serving<'m, T>(bundled: &'m [Loaded<T>], preset: &str) -> Option<&'m Loaded<T>> {
    bundled.iter().find(|loaded| loaded.model.presets.contains(&preset))
}
