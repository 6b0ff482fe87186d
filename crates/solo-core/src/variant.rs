//! Presets with something changed.

/// A preset with changes, as it is typed: `name`, or `name:key=value` with further changes behind commas. So a day can come from
/// one law while everybody believes in another.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant<'t> {
    /// The preset.
    pub name: &'t str,
    changes: Vec<(&'t str, f64)>,
}

impl<'t> Variant<'t> {
    /// Reads it. `None` if a change is none of `keys`, is named twice, or is not a number from 0 to 1000.
    pub fn parse(text: &'t str, keys: &[&str]) -> Option<Self> {
        let Some((name, rest)) = text.split_once(':') else {
            return Some(Self { name: text, changes: Vec::new() });
        };
        let mut changes: Vec<(&str, f64)> = Vec::new();
        for change in rest.split(',') {
            let (key, value) = change.split_once('=')?;
            let value = value.parse::<f64>().ok().filter(|value| (0.0..=1000.0).contains(value))?;
            if !keys.contains(&key) || changes.iter().any(|&(other, _)| other == key) {
                return None;
            }
            changes.push((key, value));
        }
        Some(Self { name, changes })
    }

    /// What a key is changed to, if it is.
    pub fn get(&self, key: &str) -> Option<f64> {
        self.changes.iter().find(|&&(other, _)| other == key).map(|&(_, value)| value)
    }

    /// The preset that a text speaks of, its changes left aside.
    pub fn name_of(text: &str) -> &str {
        text.split(':').next().unwrap_or(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_read_or_refused() {
        let keys = ["rate", "flip"];
        let plain = Variant::parse("day", &keys).unwrap();
        assert_eq!((plain.name, plain.get("rate")), ("day", None));
        let changed = Variant::parse("day:rate=0.5,flip=1", &keys).unwrap();
        assert_eq!(
            (changed.name, changed.get("rate"), changed.get("flip")),
            ("day", Some(0.5), Some(1.0))
        );
        assert_eq!(Variant::name_of("day:rate=0.5"), "day");
        for wrong in ["day:", "day:rate", "day:rate=", "day:rate=x", "day:rate=-1", "day:rate=nan"]
        {
            assert_eq!(Variant::parse(wrong, &keys), None, "{wrong}");
        }
        for wrong in ["day:size=1", "day:rate=1,rate=2", "day:rate=1,", "day:rate=1e9"] {
            assert_eq!(Variant::parse(wrong, &keys), None, "{wrong}");
        }
    }
}
