//! Values and gradients against the plain network.

mod common;

use common::{Plain, SHAPE, rng, small, zoo};
use solo_core::Graph;
use solo_nn::{Adam, Aggregate, Config, Infer, Instructions, Loss, Qnet, Sample, Trainer};

/// Configurations that between them use every part.
fn configs() -> [Config; 4] {
    let plain = small(false, Aggregate::Sum);
    [
        plain,
        small(true, Aggregate::Mean),
        Config { hidden: 32, decoder: 3, layers: 1, ..plain },
        Config { encoder: 0, ..small(true, Aggregate::Sum) },
    ]
}

#[test]
fn values_are_those_of_the_plain_network() {
    let graphs = zoo(SHAPE);
    for (i, config) in configs().into_iter().enumerate() {
        let net = Qnet::new(config, &mut rng(i as u64));
        let plain = Plain::of(&net);
        for instructions in Instructions::all() {
            let mut infer = Infer::new(instructions);
            let (mut out, mut all, mut offsets) = (Vec::new(), Vec::new(), Vec::new());
            let pairs: Vec<(&Graph, &[u32])> = graphs.iter().map(|(g, l)| (g, &l[..])).collect();
            infer.q_values_batch(&net, &pairs, &mut all, &mut offsets);
            assert_eq!(offsets.len(), graphs.len() + 1);
            for (k, (graph, legal)) in graphs.iter().enumerate() {
                infer.q_values(&net, graph, legal, &mut out);
                assert_eq!(out.len(), graph.edges.len() + 1);
                for (q, expected) in out.iter().zip(plain.q_values(graph, legal)) {
                    let bound = 2e-5 * expected.abs().max(1.0);
                    let error = (f64::from(*q) - expected).abs();
                    assert!(error < bound, "{config:?} {instructions:?}: {q} {expected}");
                }
                assert_eq!(all[offsets[k]..offsets[k + 1]], out, "in a batch as alone");
            }
        }
    }
}

#[test]
fn gradients_are_those_of_the_plain_network_by_finite_differences() {
    let graphs = zoo(SHAPE);
    for (i, config) in configs().into_iter().enumerate() {
        let mut net = Qnet::new(config, &mut rng(10 + i as u64));
        let mut rng = rng(20 + i as u64);
        for param in net.params_mut() {
            *param += (rng.unit() * 0.2 - 0.1) as f32; // norms as well
        }
        let samples: Vec<Sample<'_>> = (0..12)
            .map(|i| {
                let (graph, legal) = &graphs[i % graphs.len()];
                let slot = legal[i * 7 % legal.len()];
                let (target, weight) = (i as f32 - 6.0, 0.5 + 0.1 * i as f32);
                Sample { graph, legal, slot, target, weight }
            })
            .collect();
        let loss = |plain: &Plain| {
            let each = samples.iter().map(|s| {
                let error = plain.q_values(s.graph, s.legal)[s.slot as usize] - f64::from(s.target);
                let huber = if error.abs() > 1.0 { error.abs() - 0.5 } else { 0.5 * error * error };
                f64::from(s.weight) * huber
            });
            each.sum::<f64>() / samples.len() as f64
        };
        let plain = Plain::of(&net);
        for instructions in Instructions::all() {
            let mut grad = vec![0.0; net.params().len()];
            let mut errors = vec![0.0; samples.len()];
            let mut trainer = Trainer::new(&net, 1).with_instructions(instructions);
            let found = trainer.gradient(&net, &samples, &mut grad, &mut errors);
            assert!((f64::from(found) - loss(&plain)).abs() < 1e-4);
            // The gradient as a network, so that the weight file puts it in PyTorch's layout too.
            let mut slopes = net.clone();
            slopes.params_mut().copy_from_slice(&grad);
            let slopes = Plain::of(&slopes);
            for (name, tensor) in &plain.tensors {
                let largest =
                    slopes.tensors[name].iter().fold(0.0f64, |most, slope| most.max(slope.abs()));
                assert!(largest > 0.0 || config.encoder == 0, "{name} has no gradient");
                let count = tensor.len();
                for k in [0, count / 3, count / 2 + 1, count - 1].map(|k| k.min(count - 1)) {
                    let moved = |by: f64| {
                        let mut plain = plain.clone();
                        plain.tensors.get_mut(name).unwrap()[k] += by;
                        loss(&plain)
                    };
                    let expected = (moved(1e-6) - moved(-1e-6)) / 2e-6;
                    let slope = slopes.tensors[name][k];
                    let bound = 1e-4 * expected.abs() + 1e-4 * largest + 1e-6;
                    assert!(
                        (slope - expected).abs() < bound,
                        "{config:?} {instructions:?} {name}[{k}]: {slope}, not {expected}"
                    );
                }
            }
        }
    }
}

#[test]
fn the_gradient_does_not_depend_on_the_threads() {
    let graphs = zoo(SHAPE);
    let net = Qnet::new(small(true, Aggregate::Sum), &mut rng(30));
    for count in [1, 7, 40] {
        let samples: Vec<Sample<'_>> = (0..count)
            .map(|i| {
                let (graph, legal) = &graphs[i * 3 % graphs.len()];
                Sample { graph, legal, slot: legal[0], target: i as f32, weight: 1.0 }
            })
            .collect();
        let run = |threads| {
            let mut trainer = Trainer::new(&net, threads);
            let mut grad = vec![0.0; net.params().len()];
            let mut errors = vec![0.0; samples.len()];
            let loss = trainer.gradient(&net, &samples, &mut grad, &mut errors);
            let bits = |x: Vec<f32>| x.into_iter().map(f32::to_bits).collect::<Vec<u32>>();
            (loss.to_bits(), bits(grad), bits(errors))
        };
        let one = run(1);
        assert!(run(2) == one && run(3) == one && run(8) == one);
    }
}

#[test]
fn all_sets_with_fused_products_give_the_same_bits() {
    let graphs = zoo(SHAPE);
    let net = Qnet::new(Config { hidden: 48, ..small(true, Aggregate::Mean) }, &mut rng(35));
    let samples: Vec<Sample<'_>> = graphs
        .iter()
        .map(|(graph, legal)| Sample { graph, legal, slot: legal[0], target: 1.0, weight: 1.0 })
        .collect();
    let gradients: Vec<Vec<u32>> = Instructions::all()[1..]
        .iter()
        .map(|&instructions| {
            let mut trainer = Trainer::new(&net, 1).with_instructions(instructions);
            let mut grad = vec![0.0; net.params().len()];
            trainer.gradient(&net, &samples, &mut grad, &mut vec![0.0; samples.len()]);
            grad.into_iter().map(f32::to_bits).collect()
        })
        .collect();
    assert!(gradients.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn a_few_steps_learn_a_batch_by_heart() {
    let graphs = zoo(SHAPE);
    let mut net = Qnet::new(small(false, Aggregate::Mean), &mut rng(40));
    let samples: Vec<Sample<'_>> = graphs
        .iter()
        .zip([-3.0, 2.0, 0.5, -1.0, 4.0])
        .map(|((graph, legal), target)| Sample {
            graph,
            legal,
            slot: legal[0],
            target,
            weight: 1.0,
        })
        .collect();
    let mut trainer = Trainer::new(&net, 1).with_loss(Loss::Square);
    let mut adam = Adam::new(net.params().len());
    let mut grad = vec![0.0; net.params().len()];
    let mut errors = vec![0.0; samples.len()];
    let mut loss = f32::MAX;
    for _ in 0..300 {
        loss = trainer.gradient(&net, &samples, &mut grad, &mut errors);
        adam.step(3e-3, net.params_mut(), &grad);
    }
    assert!(loss < 1e-3, "{loss}");
}

#[test]
fn a_saved_network_comes_back() {
    let net = Qnet::new(small(true, Aggregate::Mean), &mut rng(50));
    let about = vec![("b".to_string(), "2".to_string()), ("a".to_string(), "\"x\"\n".to_string())];
    let bytes = net.to_safetensors(&about);
    assert_eq!(bytes, net.to_safetensors(&about));
    let (back, mut read) = Qnet::from_safetensors(&bytes).unwrap();
    read.reverse();
    assert_eq!(read, about);
    assert_eq!(back.params(), net.params());
    assert_eq!(back.config(), net.config());
    for end in 0..bytes.len() {
        if end < 3000 || end % 997 == 0 {
            assert!(Qnet::from_safetensors(&bytes[..end]).is_err());
        }
    }
}
