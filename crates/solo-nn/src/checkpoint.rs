//! Weights as safetensors files, in PyTorch's layout.

use crate::config::PREFIX;
use crate::{Config, Qnet};
use safetensors::{Dtype, SafeTensors, View};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::HashMap;

/// Why a weight file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// It is no safetensors file, or a broken one.
    #[error("not a readable safetensors file: {0}")]
    Format(String),
    /// It does not say which network it is for, or says something impossible.
    #[error("no network that we know: {0}")]
    Config(String),
    /// It does not hold the tensors of its network.
    #[error("tensor '{name}': {fault}")]
    Tensor {
        /// The tensor's name.
        name: String,
        /// What is wrong with it.
        fault: String,
    },
}

impl Qnet {
    /// The network as a safetensors file; `metadata` goes into its header beside the configuration. The same network
    /// and metadata give the same bytes.
    pub fn to_safetensors(&self, metadata: &[(String, String)]) -> Vec<u8> {
        let tensors = self.tensors().iter().map(|tensor| {
            let inputs = tensor.shape.get(1).copied().unwrap_or(1);
            let elements = (0..tensor.shape[0] * inputs)
                .flat_map(|i| self.params()[tensor.position(i / inputs, i % inputs)].to_le_bytes());
            let bytes = elements.collect();
            (tensor.name.as_str(), Floats { shape: &tensor.shape, bytes })
        });
        let mut pairs = self.config().to_pairs();
        pairs.extend_from_slice(metadata);
        let body = safetensors::serialize(tensors, None).expect("our tensors fit their shapes");
        with_metadata(&body, &pairs)
    }

    /// Reads what [`Qnet::to_safetensors`] wrote, and gives back the network with the rest of the header in order of
    /// name.
    pub fn from_safetensors(bytes: &[u8]) -> Result<(Self, Vec<(String, String)>), LoadError> {
        let format = |error: safetensors::SafeTensorError| LoadError::Format(error.to_string());
        let (_, header) = SafeTensors::read_metadata(bytes).map_err(format)?;
        let file = SafeTensors::deserialize(bytes).map_err(format)?;
        let empty = HashMap::new();
        let pairs = header.metadata().as_ref().unwrap_or(&empty);
        let config = Config::from_pairs(|name| pairs.get(name).map(String::as_str))?;
        holds(bytes, config.params())?;
        let mut net = Self::zero(config);
        for tensor in net.tensors().to_vec() {
            let fault = |fault: String| LoadError::Tensor { name: tensor.name.clone(), fault };
            let found = file.tensor(&tensor.name).map_err(|_| fault("is missing".into()))?;
            if found.dtype() != Dtype::F32 {
                return Err(fault(format!("is of type {:?}, not F32", found.dtype())));
            }
            if found.shape() != tensor.shape {
                return Err(fault(format!("is {:?}, not {:?}", found.shape(), tensor.shape)));
            }
            let inputs = tensor.shape.get(1).copied().unwrap_or(1);
            let (numbers, _) = found.data().as_chunks::<4>();
            for (i, &number) in numbers.iter().enumerate() {
                let number = f32::from_le_bytes(number);
                if !number.is_finite() {
                    return Err(fault(format!("holds {number}")));
                }
                let position = tensor.position(i / inputs, i % inputs);
                net.params_mut()[position] = number;
            }
        }
        let mut others: Vec<(String, String)> = pairs
            .iter()
            .filter(|(name, _)| !name.starts_with(PREFIX))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        others.sort();
        Ok((net, others))
    }
}

/// Checks that a file is long enough for this many parameters: a short one can claim any network, and memory for it must
/// not be taken before that is known.
pub(crate) fn holds(bytes: &[u8], params: usize) -> Result<(), LoadError> {
    if params.saturating_mul(4) > bytes.len() {
        let length = bytes.len();
        let fault = format!(
            "it has {params} parameters, and the file only {length} bytes; is it cut short?"
        );
        return Err(LoadError::Config(fault));
    }
    Ok(())
}

/// The file with these pairs in its header. The library would take them as a map and write them in any order.
pub(crate) fn with_metadata(file: &[u8], pairs: &[(String, String)]) -> Vec<u8> {
    let (length, rest) = file.split_at(8);
    let length = u64::from_le_bytes(length.try_into().expect("eight bytes")) as usize;
    let (header, data) = rest.split_at(length);
    let pairs: Vec<String> = pairs
        .iter()
        .map(|(name, value)| format!("{}:{}", Value::from(&**name), Value::from(&**value)))
        .collect();
    let mut text = format!("{{\"__metadata__\":{{{}}},", pairs.join(",")).into_bytes();
    text.extend_from_slice(header[1..].trim_ascii_end());
    text.resize(text.len().next_multiple_of(8), b' ');
    let mut out = (text.len() as u64).to_le_bytes().to_vec();
    out.extend_from_slice(&text);
    out.extend_from_slice(data);
    out
}

/// A tensor as safetensors wants to see it.
pub(crate) struct Floats<'t> {
    pub(crate) shape: &'t [usize],
    pub(crate) bytes: Vec<u8>,
}

impl View for Floats<'_> {
    fn dtype(&self) -> Dtype {
        Dtype::F32
    }

    fn shape(&self) -> &[usize] {
        self.shape
    }

    fn data(&self) -> Cow<'_, [u8]> {
        self.bytes.as_slice().into()
    }

    fn data_len(&self) -> usize {
        self.bytes.len()
    }
}
