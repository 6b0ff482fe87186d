//! Values and gradients against PyTorch's, which benches/pytorch/reference.py has written down.

use safetensors::{SafeTensors, tensor::TensorView};
use solo_core::Graph;
use solo_nn::{Infer, Instructions, Qnet, Sample, Trainer};

fn floats(view: &TensorView<'_>) -> Vec<f32> {
    view.data().chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
}

fn whole(view: &TensorView<'_>) -> Vec<u32> {
    view.data().chunks_exact(4).map(|b| u32::from_le_bytes(b.try_into().unwrap())).collect()
}

fn close(what: &str, found: &[f32], expected: &[f32]) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let largest = expected.iter().fold(0.0f32, |most, x| most.max(x.abs()));
    for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
        let bound = 1e-5 * expected.abs() + 3e-5 * largest + 1e-7;
        assert!((found - expected).abs() <= bound, "{what}[{i}]: {found}, not {expected}");
    }
}

fn compare(name: &str) {
    let read = |kind: &str| {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data");
        std::fs::read(format!("{folder}/{name}-{kind}.safetensors")).unwrap()
    };
    let (net, _) = Qnet::from_safetensors(&read("weights")).unwrap();
    let bytes = read("vectors");
    let vectors = SafeTensors::deserialize(&bytes).unwrap();
    let view = |name: String| vectors.tensor(&name).unwrap();
    let graphs: Vec<(Graph, Vec<u32>)> = (0..3)
        .map(|i| {
            let part = |part: &str| floats(&view(format!("{i}.{part}")));
            let ends = whole(&view(format!("{i}.ends")));
            let graph = Graph {
                node_features: part("node"),
                edge_features: part("edge"),
                global_features: part("global"),
                edges: ends.chunks_exact(2).map(|ends| [ends[0], ends[1]]).collect(),
            };
            (graph, whole(&view(format!("{i}.legal"))))
        })
        .collect();
    for instructions in Instructions::all() {
        let mut infer = Infer::new(instructions);
        let mut out = Vec::new();
        for (i, (graph, legal)) in graphs.iter().enumerate() {
            infer.q_values(&net, graph, legal, &mut out);
            close("values", &out, &floats(&view(format!("{i}.values"))));
        }
        let samples: Vec<Sample<'_>> = graphs
            .iter()
            .enumerate()
            .map(|(i, (graph, legal))| {
                let sample = floats(&view(format!("{i}.sample")));
                let (slot, target, weight) = (sample[0] as u32, sample[1], sample[2]);
                Sample { graph, legal, slot, target, weight }
            })
            .collect();
        let mut gradient = net.clone();
        let mut errors = vec![0.0; samples.len()];
        let mut trainer = Trainer::new(&net, 1).with_instructions(instructions);
        let loss = trainer.gradient(&net, &samples, gradient.params_mut(), &mut errors);
        close("loss", &[loss], &floats(&view("loss".into())));
        close("errors", &errors, &floats(&view("errors".into())));
        let bytes = gradient.to_safetensors(&[]);
        for (name, tensor) in SafeTensors::deserialize(&bytes).unwrap().tensors() {
            close(&name, &floats(&tensor), &floats(&view(format!("gradient.{name}"))));
        }
    }
}

#[test]
fn the_plain_form_agrees_with_pytorch() {
    compare("plain");
}

#[test]
fn dueling_means_and_two_decoder_passes_agree_with_pytorch() {
    compare("dueling");
}
