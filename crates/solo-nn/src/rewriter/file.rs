//! Rewriters as safetensors files, in PyTorch's layout.

use super::{RewriterNet, RewriterShape};
use crate::checkpoint::{Floats, LoadError, holds, with_metadata};
use safetensors::{Dtype, SafeTensors};

/// The header's entries of a rewriter begin so.
const PREFIX: &str = "solo.rewriter.";

impl RewriterNet {
    /// The network as a safetensors file; `metadata` goes into its header. The same network and metadata give the same
    /// bytes.
    pub fn to_safetensors(&self, metadata: &[(String, String)]) -> Vec<u8> {
        let tensors = self.layout.tensors.iter().map(|tensor| {
            let inputs = tensor.shape.get(1).copied().unwrap_or(1);
            let numbers = (0..tensor.shape[0] * inputs)
                .flat_map(|i| self.params()[tensor.position(i / inputs, i % inputs)].to_le_bytes());
            (tensor.name.as_str(), Floats { shape: &tensor.shape, bytes: numbers.collect() })
        });
        let body = safetensors::serialize(tensors, None).expect("our tensors fit their shapes");
        let RewriterShape { features, hidden, region, attention } = self.shape();
        let numbers = [
            ("features", features),
            ("hidden", hidden),
            ("region", region),
            ("attention", attention),
        ];
        let mut pairs: Vec<_> =
            numbers.map(|(name, number)| (format!("{PREFIX}{name}"), number.to_string())).to_vec();
        pairs.extend_from_slice(metadata);
        with_metadata(&body, &pairs)
    }

    /// Reads what [`RewriterNet::to_safetensors`] wrote, and gives back the network with the rest of the header in order
    /// of name.
    pub fn from_safetensors(bytes: &[u8]) -> Result<(Self, Vec<(String, String)>), LoadError> {
        let format = |error: safetensors::SafeTensorError| LoadError::Format(error.to_string());
        let (_, header) = SafeTensors::read_metadata(bytes).map_err(format)?;
        let file = SafeTensors::deserialize(bytes).map_err(format)?;
        let pairs = header.metadata().clone().unwrap_or_default();
        let number = |name: &str| {
            let name = format!("{PREFIX}{name}");
            let found = pairs.get(&name).and_then(|text| text.parse::<usize>().ok());
            found.ok_or_else(|| {
                LoadError::Config(format!("'{name}' is missing: this is no rewriter"))
            })
        };
        let shape = RewriterShape {
            features: number("features")?,
            hidden: number("hidden")?,
            region: number("region")?,
            attention: number("attention")?,
        };
        if let Some(fault) = shape.fault() {
            return Err(LoadError::Config(fault));
        }
        holds(bytes, shape.params())?;
        let mut net = Self::zero(shape);
        for tensor in net.layout.tensors.clone() {
            let fault = |fault: String| LoadError::Tensor { name: tensor.name.clone(), fault };
            let found = file.tensor(&tensor.name).map_err(|_| fault("is missing".to_string()))?;
            if found.dtype() != Dtype::F32 || found.shape() != tensor.shape {
                let (dtype, shape) = (found.dtype(), found.shape());
                return Err(fault(format!("is {dtype:?} {shape:?}, not F32 {:?}", tensor.shape)));
            }
            let inputs = tensor.shape.get(1).copied().unwrap_or(1);
            let (numbers, _) = found.data().as_chunks::<4>();
            for (i, number) in numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)).enumerate() {
                if !number.is_finite() {
                    return Err(fault(format!("holds {number}")));
                }
                net.params_mut()[tensor.position(i / inputs, i % inputs)] = number;
            }
        }
        let ours = |name: &String| name.starts_with(PREFIX);
        let mut others: Vec<_> = pairs.into_iter().filter(|(name, _)| !ours(name)).collect();
        others.sort();
        Ok((net, others))
    }
}
