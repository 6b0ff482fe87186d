//! How learning went: figures at every validation, as CSV, for TensorBoard, and as a picture.

use crate::card::rounded;
use crate::tensorboard;
use serde::{Deserialize, Serialize};
use solo_plot::chart;
use std::fmt::Write;

/// The figures of one validation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// Steps so far: decisions, or labelled days and steps of evolution.
    pub step: u64,
    /// Steps of the weights so far.
    pub updates: u64,
    /// The mean cost of the validation days, decided by the model alone.
    pub cost: f64,
    /// The mean loss since the last point.
    pub loss: f64,
    /// The mean absolute TD error since the last point.
    pub td_error: f64,
    /// The mean value of the chosen actions since the last point.
    pub value: f64,
    /// How often decisions are random.
    pub exploration: f64,
    /// The learning rate of Adam.
    pub learning_rate: f64,
    /// Seconds of learning so far, earlier sessions included.
    pub seconds: f64,
}

impl CurvePoint {
    const NAMES: [&'static str; 9] = [
        "step",
        "updates",
        "validation_cost",
        "loss",
        "td_error",
        "value",
        "exploration",
        "learning_rate",
        "seconds",
    ];

    fn figures(&self) -> [f64; 9] {
        [
            self.step as f64,
            self.updates as f64,
            self.cost,
            self.loss,
            self.td_error,
            self.value,
            self.exploration,
            self.learning_rate,
            self.seconds,
        ]
    }
}

/// What the model is compared with on the validation days.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Marks {
    /// Agents with their mean costs.
    pub costs: Vec<(String, f64)>,
}

impl Marks {
    /// The costs as a model's header holds them.
    pub(crate) fn header(&self) -> impl Iterator<Item = (String, String)> {
        self.costs.iter().map(|(name, cost)| (format!("cost {name}"), rounded(*cost)))
    }
}

/// All points so far as CSV.
pub fn csv(points: &[CurvePoint]) -> String {
    let mut text = CurvePoint::NAMES.join(",");
    for point in points {
        let figures: Vec<String> = point.figures().iter().map(f64::to_string).collect();
        write!(text, "\n{}", figures.join(",")).expect("writing to a string");
    }
    text + "\n"
}

/// All points so far as a TensorBoard event file; learning began `began` seconds after 1970.
pub fn events(points: &[CurvePoint], began: f64) -> Vec<u8> {
    let mut file = tensorboard::begin(began);
    for point in points {
        let figures = point.figures();
        let scalars: Vec<(&str, f32)> = CurvePoint::NAMES
            .into_iter()
            .zip(figures.map(|figure| figure as f32))
            .skip(1)
            .collect();
        tensorboard::scalars(&mut file, began + point.seconds, point.step, &scalars);
    }
    file
}

/// The curve of the validation cost by steps of this unit, with the marks as dashed lines.
pub fn picture(title: &str, unit: &str, points: &[CurvePoint], marks: &Marks) -> String {
    let curve: Vec<(f64, f64)> = points.iter().map(|p| (p.step as f64, p.cost)).collect();
    chart::learning(title, unit, &curve, &marks.costs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_written_in_full() {
        let points = [
            CurvePoint { step: 10, cost: 7.25, ..CurvePoint::default() },
            CurvePoint { step: 20, cost: 6.5, loss: 0.125, ..CurvePoint::default() },
        ];
        assert_eq!(
            csv(&points),
            "step,updates,validation_cost,loss,td_error,value,exploration,learning_rate,seconds\n\
             10,0,7.25,0,0,0,0,0,0\n20,0,6.5,0.125,0,0,0,0,0\n"
        );
        let marks = Marks { costs: vec![("rule".to_string(), 7.0)] };
        let svg = picture("a <title>", "decisions", &points, &marks);
        assert!(
            svg.contains("rule 7") && svg.contains("polyline") && svg.contains("a &lt;title&gt;")
        );
        assert!(picture("nothing yet", "decisions", &[], &Marks::default()).ends_with("</svg>\n"));
        assert!(events(&points, 1.0).len() > 2 * 8 * 20);
    }
}
