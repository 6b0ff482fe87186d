//! States as graphs: the paper's complete bipartite graph of pending jobs and machines.
//!
//! Nodes: the pending jobs in order of number, then the machines. Edges: every job with every machine, job by job;
//! edge `i` is slot `i` of the menu. With `c` classes a node has `2 c + 6` features; those that do not apply are 0:
//!
//! | position | feature | of |
//! |---|---|---|
//! | 0 | processing time / 100 | jobs |
//! | 1 | weight / 10 | jobs |
//! | 2 | arrival time / 100 | jobs |
//! | 3 .. 3 + c | class, one-hot | jobs |
//! | 3 + c | 1 for jobs, 0 for machines | both |
//! | 4 + c | remaining time, setup included, / 100; 0 if free | machines |
//! | 5 + c .. 5 + 2 c | class of the last or current job, one-hot | machines |
//! | 5 + 2 c | 1 if it has had no job yet (the "empty class") | machines |
//!
//! An edge has one feature: the setup time that the job would need on the machine / 50. Where machines are unrelated it
//! has two more: the processing time there / 100, 0 if the machine cannot do the job, and whether it can; the processing
//! time of a job is then that of the machine that is fastest at it. The paper has no features of
//! the whole graph; ours are the clock / 100, the share of the horizon that is left (0 offline) and whether
//! something can still arrive.
//!
//! There is nothing more to tell by a wide [`FeatureSet`].
//!
//! The scales are constants, not taken from the scenario, so that a network keeps its meaning from one to the next.
//! Only where an offline day is plainly in another unit of time, its longest job is seen as 100.

use crate::dynamics::Scheduling;
use crate::state::State;
use solo_core::{Encode, FeatureSet, Graph, GraphShape, Meter};

pub(crate) const TIME: f64 = 1.0 / 100.0;
pub(crate) const WEIGHT: f64 = 1.0 / 10.0;
const SETUP: f64 = 1.0 / 50.0;

impl Encode for Scheduling {
    fn shape(&self, _sight: FeatureSet) -> GraphShape {
        let edge = if self.unrelated { 3 } else { 1 };
        GraphShape { node: 2 * self.setup.classes + 6, edge, global: 3 }
    }

    fn shapes_in_words(&self, one: GraphShape, other: GraphShape) -> (String, String) {
        let classes = |shape: GraphShape| shape.node.saturating_sub(6) / 2;
        if one.edge != other.edge && classes(one) == classes(other) {
            let machines = |shape: GraphShape| match shape.edge {
                1 => "identical machines",
                _ => "unrelated machines",
            };
            return (machines(one).to_string(), machines(other).to_string());
        }
        (format!("{} classes", classes(one)), classes(other).to_string())
    }

    fn encode(&self, state: &State, feature_set: FeatureSet, graph: &mut Graph) {
        self.encode_within(state, feature_set, &Meter::unlimited(), graph);
    }

    fn encode_within(
        &self,
        state: &State,
        feature_set: FeatureSet,
        meter: &Meter<'_>,
        graph: &mut Graph,
    ) -> bool {
        let classes = self.setup.classes;
        let width = self.shape(feature_set).node;
        let (time, setup_time) = (TIME / self.seen_time, SETUP / self.seen_time);
        graph.clear();
        if meter.cuts(width * state.pending.len()) {
            return false;
        }
        for job in &state.pending {
            let node = new_node(graph, width);
            node[0] = (job.processing * time) as f32;
            node[1] = (job.weight * WEIGHT) as f32;
            node[2] = (job.arrival * time) as f32;
            node[3 + job.class as usize] = 1.0;
            node[3 + classes] = 1.0;
        }
        for machine in &state.machines {
            let node = new_node(graph, width);
            let remaining = machine.run.map_or(0.0, |run| run.until - state.now);
            node[4 + classes] = (remaining * time) as f32;
            node[5 + classes + machine.class.map_or(classes, |class| class as usize)] = 1.0;
        }
        let jobs = state.pending.len() as u32;
        for (j, job) in (0..).zip(&state.pending) {
            if meter.cuts(2 * state.machines.len()) {
                return false;
            }
            for (i, machine) in (jobs..).zip(&state.machines) {
                graph.edges.push([j, i]);
                let setup = self.setup(machine.class, job.class);
                graph.edge_features.push((setup * setup_time) as f32);
                if self.unrelated {
                    let processing = state.times.on(job, i - jobs);
                    let able = processing.is_finite();
                    let seen = if able { (processing * time) as f32 } else { 0.0 };
                    graph.edge_features.extend([seen, f32::from(u8::from(able))]);
                }
            }
        }
        let left = if self.horizon > 0.0 { (1.0 - state.now / self.horizon).max(0.0) } else { 0.0 };
        // A rollout's future may be cut: that is not the end of the day.
        let over = state.closed && state.now >= self.law.closing(self.horizon);
        let open = if over { 0.0 } else { 1.0 };
        graph.global_features.extend([(state.now * time) as f32, left as f32, open]);
        true
    }
}

/// Appends a node of zeros.
fn new_node(graph: &mut Graph, features: usize) -> &mut [f32] {
    let start = graph.node_features.len();
    graph.node_features.resize(start + features, 0.0);
    &mut graph.node_features[start..]
}
