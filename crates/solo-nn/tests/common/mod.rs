//! A second opinion: the network written down plainly, in double precision, from the tensors of a weight file; and
//! graphs to try.
#![allow(dead_code)] // each test file uses a part

use safetensors::SafeTensors;
use solo_core::{Graph, GraphShape, Rng, Seed, Stream};
use solo_nn::{Aggregate, Config, Qnet};
use std::collections::BTreeMap;

pub(crate) const SHAPE: GraphShape = GraphShape { node: 5, edge: 2, global: 3 };

pub(crate) fn small(dueling: bool, aggregate: Aggregate) -> Config {
    Config { hidden: 16, dueling, aggregate, ..Config::paper_cvrp(SHAPE) }
}

pub(crate) fn rng(index: u64) -> Rng {
    Seed(5).stream(Stream::Init, index)
}

/// A bipartite graph with all edges, and every slot but some legal.
pub(crate) fn bipartite(
    shape: GraphShape,
    left: u32,
    right: u32,
    rng: &mut Rng,
) -> (Graph, Vec<u32>) {
    let edges: Vec<[u32; 2]> =
        (0..left).flat_map(|a| (left..left + right).map(move |b| [a, b])).collect();
    with_features(shape, (left + right) as usize, edges, rng)
}

pub(crate) fn with_features(
    shape: GraphShape,
    nodes: usize,
    edges: Vec<[u32; 2]>,
    rng: &mut Rng,
) -> (Graph, Vec<u32>) {
    let mut random =
        |count: usize| (0..count).map(|_| (2.0 * rng.unit() - 1.0) as f32).collect::<Vec<f32>>();
    let graph = Graph {
        node_features: random(nodes * shape.node),
        edge_features: random(edges.len() * shape.edge),
        global_features: random(shape.global),
        edges,
    };
    let mut legal: Vec<u32> = (0..=graph.edges.len() as u32).filter(|slot| slot % 3 != 1).collect();
    if legal.is_empty() {
        legal.push(graph.edges.len() as u32);
    }
    (graph, legal)
}

/// Graphs of many forms: bipartite, a star, no edges, edges both ways and loops.
pub(crate) fn zoo(shape: GraphShape) -> Vec<(Graph, Vec<u32>)> {
    let mut rng = rng(99);
    let rng = &mut rng;
    vec![
        bipartite(shape, 7, 3, rng),
        bipartite(shape, 1, 20, rng),
        with_features(shape, 3, Vec::new(), rng),
        with_features(shape, 4, vec![[0, 1], [1, 0], [2, 2], [3, 0], [0, 3]], rng),
        bipartite(shape, 30, 2, rng),
    ]
}

/// Tensors by name, in PyTorch's layout.
#[derive(Clone)]
pub(crate) struct Plain {
    pub(crate) config: Config,
    pub(crate) tensors: BTreeMap<String, Vec<f64>>,
}

type Rows = Vec<Vec<f64>>;

impl Plain {
    pub(crate) fn of(net: &Qnet) -> Self {
        let bytes = net.to_safetensors(&[]);
        let file = SafeTensors::deserialize(&bytes).unwrap();
        let numbers = |data: &[u8]| {
            data.chunks_exact(4)
                .map(|b| f64::from(f32::from_le_bytes(b.try_into().unwrap())))
                .collect()
        };
        let tensors = file.tensors().into_iter().map(|(name, t)| (name, numbers(t.data())));
        Self { config: *net.config(), tensors: tensors.collect() }
    }

    fn linear(&self, name: &str, x: &[f64]) -> Vec<f64> {
        let weight = &self.tensors[&format!("{name}.weight")];
        let bias = &self.tensors[&format!("{name}.bias")];
        assert_eq!(weight.len(), bias.len() * x.len(), "{name}");
        let rows = weight.chunks_exact(x.len()).zip(bias);
        rows.map(|(row, bias)| bias + row.iter().zip(x).map(|(w, x)| w * x).sum::<f64>()).collect()
    }

    fn network(&self, name: &str, layers: usize, mut x: Vec<f64>) -> Vec<f64> {
        for i in 0..layers {
            x = leak(self.linear(&format!("{name}.{i}"), &x));
        }
        let count = x.len() as f64;
        let mean = x.iter().sum::<f64>() / count;
        let variance = x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / count;
        let gain = &self.tensors[&format!("{name}.norm.weight")];
        let shift = &self.tensors[&format!("{name}.norm.bias")];
        let normed = x.iter().map(|x| (x - mean) / (variance + 1e-5).sqrt());
        normed.zip(gain).zip(shift).map(|((x, gain), shift)| x * gain + shift).collect()
    }

    fn sum(&self, rows: &[&Vec<f64>], width: usize) -> Vec<f64> {
        let mut total = vec![0.0; width];
        for row in rows {
            total.iter_mut().zip(*row).for_each(|(total, x)| *total += x);
        }
        if self.config.aggregate == Aggregate::Mean {
            total.iter_mut().for_each(|total| *total /= rows.len().max(1) as f64);
        }
        total
    }

    /// One pass with any three networks.
    fn pass(
        &self,
        graph: &Graph,
        [edge, node, global]: [&dyn Fn(Vec<f64>) -> Vec<f64>; 3],
        state: (Rows, Rows, Vec<f64>),
        width: usize,
    ) -> (Rows, Rows, Vec<f64>) {
        let (e, v, w) = state;
        let ends = |i: usize| graph.edges[i].map(|end| end as usize);
        let e: Rows = (0..e.len())
            .map(|i| edge([&e[i][..], &v[ends(i)[0]], &v[ends(i)[1]], &w].concat()))
            .collect();
        let v: Rows = (0..v.len())
            .map(|n| {
                // A loop meets its node twice.
                let at: Vec<&Vec<f64>> = (0..e.len())
                    .flat_map(|i| ends(i).into_iter().filter(|&end| end == n).map(move |_| i))
                    .map(|i| &e[i])
                    .collect();
                node([&v[n][..], &self.sum(&at, width), &w].concat())
            })
            .collect();
        let sums = [&e, &v].map(|rows| self.sum(&rows.iter().collect::<Vec<_>>(), width));
        let w = global([&w[..], &sums[0], &sums[1]].concat());
        (e, v, w)
    }

    pub(crate) fn q_values(&self, graph: &Graph, legal: &[u32]) -> Vec<f64> {
        let Config { shape, hidden, layers, encoder, decoder, dueling, .. } = self.config;
        let embed = |name: &str, x: &[f32]| {
            let x: Vec<f64> = x.iter().map(|&x| f64::from(x)).collect();
            leak(self.linear(&format!("embedding.{name}"), &x))
        };
        let mut state = (
            graph.edge_features.chunks_exact(shape.edge).map(|x| embed("edge", x)).collect(),
            graph.node_features.chunks_exact(shape.node).map(|x| embed("node", x)).collect(),
            embed("global", &graph.global_features),
        );
        for pass in 0..encoder + decoder - 1 {
            let (name, layers) = if pass < encoder { ("encoder", layers) } else { ("decoder", 1) };
            let network =
                |part: &str, x: Vec<f64>| self.network(&format!("{name}.{part}"), layers, x);
            let parts: [&dyn Fn(Vec<f64>) -> Vec<f64>; 3] =
                [&|x| network("edge", x), &|x| network("node", x), &|x| network("global", x)];
            state = self.pass(graph, parts, state, hidden);
        }
        let parts: [&dyn Fn(Vec<f64>) -> Vec<f64>; 3] =
            [&|x| self.linear("output.edge", &x), &|x| self.linear("output.node", &x), &|x| {
                self.linear("output.global", &x)
            }];
        let (e, _, w) = self.pass(graph, parts, state, 1);
        let mut q: Vec<f64> = e.into_iter().map(|e| e[0]).chain(w.last().copied()).collect();
        if dueling {
            let mean = legal.iter().map(|&slot| q[slot as usize]).sum::<f64>() / legal.len() as f64;
            q.iter_mut().for_each(|q| *q += w[0] - mean);
        }
        q
    }
}

fn leak(x: Vec<f64>) -> Vec<f64> {
    x.into_iter().map(|x| if x > 0.0 { x } else { 0.01 * x }).collect()
}
