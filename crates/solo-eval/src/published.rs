//! Published values, shown beside our own and never mixed with them.

use crate::EvalError;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PublishedFile {
    #[serde(rename = "column", default)]
    columns: Vec<Published>,
}

/// The published values of one column.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// The column's name.
    pub name: String,
    /// Where they were published, and what they stand on.
    pub source: String,
    /// Which of them the others are compared with.
    pub reference: String,
    /// The values.
    pub values: Vec<PublishedValue>,
}

/// One published mean.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedValue {
    /// What the authors call it.
    pub name: String,
    /// Our row beside which it stands, without a budget.
    pub agent: Option<String>,
    /// The mean cost.
    pub cost: f64,
    /// What a reader has to know.
    #[serde(default)]
    pub note: String,
}

impl Published {
    /// Reads the text of a file.
    pub fn parse(file: &str, text: &str) -> Result<Vec<Self>, EvalError> {
        let read: PublishedFile = toml::from_str(text)
            .map_err(|error| EvalError::new(file, error.to_string().trim_end()))?;
        for column in &read.columns {
            if column.base().is_none() {
                let what = format!("column '{}' has no '{}'", column.name, column.reference);
                return Err(EvalError::new(file, what));
            }
        }
        Ok(read.columns)
    }

    /// The cost of the reference.
    pub fn base(&self) -> Option<f64> {
        self.values.iter().find(|value| value.name == self.reference).map(|value| value.cost)
    }

    /// By how many percent a value is above the reference.
    pub fn percent(&self, value: &PublishedValue) -> f64 {
        self.base().map_or(f64::NAN, |base| 100.0 * (value.cost - base) / base)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_and_compared() {
        let text = r#"
            [[column]]
            name = "c"
            source = "a table"
            reference = "A"
            values = [{ name = "A", cost = 10.0 }, { name = "B", agent = "solo", cost = 9.5 }]
        "#;
        let read = Published::parse("p.toml", text).unwrap();
        assert_eq!(read[0].percent(&read[0].values[1]), -5.0);
        let wrong = text.replace("reference = \"A\"", "reference = \"C\"");
        assert!(Published::parse("p.toml", &wrong).unwrap_err().what.contains("has no 'C'"));
    }
}
