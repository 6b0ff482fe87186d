//! A warm network allocates nothing.

mod common;

use allocation_counter::measure;
use common::{SHAPE, rng, small, zoo};
use solo_core::Graph;
use solo_nn::{Adam, Aggregate, Infer, Qnet, Sample, Trainer, clip_by_norm};

#[test]
fn warm_networks_allocate_nothing() {
    let graphs = zoo(SHAPE);
    let mut net = Qnet::new(small(true, Aggregate::Mean), &mut rng(60));
    let pairs: Vec<(&Graph, &[u32])> = graphs.iter().map(|(g, l)| (g, &l[..])).collect();
    let samples: Vec<Sample<'_>> = (0..32)
        .map(|i| {
            let (graph, legal) = &graphs[i % graphs.len()];
            Sample { graph, legal, slot: legal[0], target: 1.0, weight: 1.0 }
        })
        .collect();
    let mut infer = Infer::default();
    let (mut out, mut offsets) = (Vec::new(), Vec::new());
    let mut trainer = Trainer::new(&net, 1);
    let mut adam = Adam::new(net.params().len());
    let (mut grad, mut errors) = (vec![0.0; net.params().len()], vec![0.0; samples.len()]);
    let mut work = || {
        for (graph, legal) in &pairs {
            infer.q_values(&net, graph, legal, &mut out);
        }
        infer.q_values_batch(&net, &pairs, &mut out, &mut offsets);
        trainer.gradient(&net, &samples, &mut grad, &mut errors);
        clip_by_norm(&mut grad, 1.0);
        adam.step(1e-3, net.params_mut(), &grad);
    };
    work();
    let counted = measure(work);
    assert_eq!(counted.count_total, 0, "allocations");
}
