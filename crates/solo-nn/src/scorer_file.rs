//! Scorers as safetensors files.

use crate::checkpoint::{Floats, LoadError, holds, with_metadata};
use crate::scorer::{Scorer, ScorerShape};
use safetensors::{Dtype, SafeTensors};

/// The header's entries of a scorer begin so.
const PREFIX: &str = "solo.scorer.";

impl Scorer {
    /// The scorer as a safetensors file; `metadata` goes into its header. The same scorer and metadata give the same
    /// bytes.
    pub fn to_safetensors(&self, metadata: &[(String, String)]) -> Vec<u8> {
        let mut from = 0;
        let tensors: Vec<_> = tensors(self.shape())
            .into_iter()
            .map(|(name, shape)| {
                let length = shape.iter().product::<usize>();
                let numbers = &self.params()[from..from + length];
                from += length;
                let bytes = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
                (name, shape, bytes)
            })
            .collect();
        let views = tensors.iter().map(|(name, shape, bytes): &(_, Vec<usize>, Vec<u8>)| {
            (*name, Floats { shape, bytes: bytes.clone() })
        });
        let body = safetensors::serialize(views, None).expect("our tensors fit their shapes");
        let ScorerShape { global, option, hidden } = self.shape();
        let numbers = [("global", global), ("option", option), ("hidden", hidden)];
        let mut pairs: Vec<_> =
            numbers.map(|(name, number)| (format!("{PREFIX}{name}"), number.to_string())).to_vec();
        pairs.extend_from_slice(metadata);
        with_metadata(&body, &pairs)
    }

    /// Reads what [`Scorer::to_safetensors`] wrote, and gives back the scorer with the rest of the header in order of
    /// name.
    pub fn from_safetensors(bytes: &[u8]) -> Result<(Self, Vec<(String, String)>), LoadError> {
        let format = |error: safetensors::SafeTensorError| LoadError::Format(error.to_string());
        let (_, header) = SafeTensors::read_metadata(bytes).map_err(format)?;
        let file = SafeTensors::deserialize(bytes).map_err(format)?;
        let pairs = header.metadata().clone().unwrap_or_default();
        let number = |name: &str| {
            let name = format!("{PREFIX}{name}");
            let found = pairs.get(&name).and_then(|text| text.parse::<usize>().ok());
            found
                .ok_or_else(|| LoadError::Config(format!("'{name}' is missing: this is no scorer")))
        };
        let (global, option, hidden) = (number("global")?, number("option")?, number("hidden")?);
        let shape = ScorerShape { global, option, hidden };
        if let Some(fault) = shape.fault() {
            return Err(LoadError::Config(fault));
        }
        holds(bytes, shape.params())?;
        let mut scorer = Self::zero(shape);
        let mut from = 0;
        for (name, shape) in tensors(shape) {
            let fault = |fault: String| LoadError::Tensor { name: name.to_string(), fault };
            let found = file.tensor(name).map_err(|_| fault("is missing".to_string()))?;
            if found.dtype() != Dtype::F32 || found.shape() != shape {
                let (dtype, found) = (found.dtype(), found.shape());
                return Err(fault(format!("is {dtype:?} {found:?}, not F32 {shape:?}")));
            }
            let (numbers, _) = found.data().as_chunks::<4>();
            for number in numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)) {
                if !number.is_finite() {
                    return Err(fault(format!("holds {number}")));
                }
                scorer.params_mut()[from] = number;
                from += 1;
            }
        }
        let ours = |name: &String| name.starts_with(PREFIX);
        let mut others: Vec<_> = pairs.into_iter().filter(|(name, _)| !ours(name)).collect();
        others.sort();
        Ok((scorer, others))
    }
}

/// The tensors in the order of the parameters; rows are inputs.
fn tensors(shape: ScorerShape) -> [(&'static str, Vec<usize>); 4] {
    let ScorerShape { global, option, hidden } = shape;
    [
        ("global.weight", vec![global, hidden]),
        ("hidden.bias", vec![hidden]),
        ("option.weight", vec![option, hidden]),
        ("out.weight", vec![hidden]),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use solo_core::{Seed, Stream};

    #[test]
    fn what_is_written_can_be_read() {
        let shape = ScorerShape { global: 2, option: 5, hidden: 8 };
        let scorer = Scorer::new(shape, &mut Seed(3).stream(Stream::Init, 0));
        let card = vec![("recipe".to_string(), "\"a\" b".to_string())];
        let file = scorer.to_safetensors(&card);
        assert_eq!(file, scorer.to_safetensors(&card));
        let (read, others) = Scorer::from_safetensors(&file).unwrap();
        assert_eq!((read, others), (scorer, card));
        for cut in 0..file.len() {
            assert!(Scorer::from_safetensors(&file[..cut]).is_err());
        }
        let qnet = safetensors::serialize(Vec::<(&str, Floats<'_>)>::new(), None).unwrap();
        assert!(matches!(Scorer::from_safetensors(&qnet), Err(LoadError::Config(_))));
    }
}
