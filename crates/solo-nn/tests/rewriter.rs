//! The rewriter's network: gradients against finite differences, batches against single solutions, files.

use solo_core::{Meter, Role, Seed, Stream};
use solo_nn::{Encoder, Instructions, RewriteSample, RewriteTrainer, RewriterNet, RewriterShape};

const SHAPE: RewriterShape = RewriterShape { features: 5, hidden: 16, region: 16, attention: 16 };

/// A rewrite of a solution made at random.
struct Case {
    features: Vec<f32>,
    roles: Vec<Role>,
    picked: u32,
    partner: u32,
    target: f32,
}

impl Case {
    fn sample(&self) -> RewriteSample<'_> {
        let Case { features, roles, picked, partner, target } = self;
        RewriteSample { features, roles, picked: *picked, partner: *partner, target: *target }
    }
}

fn net() -> RewriterNet {
    let mut rng = Seed(1).stream(Stream::Init, 0);
    let mut net = RewriterNet::new(SHAPE, &mut rng);
    // Larger than at the beginning, so that gates and softmax bend.
    net.params_mut().iter_mut().for_each(|param| *param *= 2.5);
    net
}

/// Solutions of many lengths; some targets are far away, where the loss is straight.
fn cases(count: usize) -> Vec<Case> {
    let mut rng = Seed(2).stream(Stream::Init, 0);
    let case = |i: usize| {
        let nodes = 3 + rng.below(9);
        let numbers = nodes * SHAPE.features;
        let features = (0..numbers).map(|_| (2.0 * rng.unit() - 1.0) as f32).collect();
        let mut roles = vec![Role::Item; nodes];
        roles[0] = Role::Fixed;
        if nodes > 4 {
            roles[3] = Role::Mark;
        }
        let [picked, partner] = [1, 2];
        let target =
            ((2.0 * rng.unit() - 1.0) * if i.is_multiple_of(3) { 4.0 } else { 0.5 }) as f32;
        Case { features, roles, picked, partner, target }
    };
    (0..count).map(case).collect()
}

const POLICY_WEIGHT: f32 = 0.7;

/// What the pickers think of one case: the value of the picked node, and the logarithm of the partner's probability.
fn thought(net: &RewriterNet, encoder: &mut Encoder, case: &Case) -> (f64, f64) {
    assert!(encoder.encode(net, &[&case.features], &Meter::unlimited()));
    let (mut gains, mut scores) = (Vec::new(), Vec::new());
    encoder.gains(0, &mut gains);
    encoder.partners(net, 0, case.picked as usize, &mut scores);
    let may = |&(node, _): &(usize, &f32)| {
        case.roles[node] != Role::Fixed && node != case.picked as usize
    };
    let sum: f64 = scores.iter().enumerate().filter(may).map(|(_, s)| f64::from(*s).exp()).sum();
    let partner = f64::from(scores[case.partner as usize]);
    (f64::from(gains[case.picked as usize]), partner - sum.ln())
}

fn smooth(error: f64) -> f64 {
    if error.abs() > 1.0 { error.abs() - 0.5 } else { 0.5 * error * error }
}

#[test]
fn gradients_are_slopes() {
    let (mut net, cases) = (net(), cases(13));
    for instructions in Instructions::all() {
        let mut encoder = Encoder::default().with_instructions(instructions);
        let advantages: Vec<f64> = cases
            .iter()
            .map(|case| f64::from(case.target) - thought(&net, &mut encoder, case).0)
            .collect();
        let mut loss = |net: &RewriterNet| {
            let each = cases.iter().zip(&advantages).map(|(case, advantage)| {
                let (value, log) = thought(net, &mut encoder, case);
                smooth(value - f64::from(case.target)) - f64::from(POLICY_WEIGHT) * advantage * log
            });
            each.sum::<f64>() / cases.len() as f64
        };
        let samples: Vec<RewriteSample<'_>> = cases.iter().map(Case::sample).collect();
        let mut grad = vec![0.0; net.params().len()];
        let mut trainer = RewriteTrainer::new(1).with_instructions(instructions);
        let losses = trainer.gradient(&net, &samples, POLICY_WEIGHT, &mut grad);
        let whole = (losses.region + f64::from(POLICY_WEIGHT) * losses.rule) / cases.len() as f64;
        assert!((whole - loss(&net)).abs() < 1e-4 * whole.abs(), "{whole} {}", loss(&net));
        let largest = grad.iter().fold(0.0f32, |most, g| most.max(g.abs()));
        assert!(largest > 0.05, "there is something to check");
        for i in 0..grad.len() {
            let (before, step) = (net.params()[i], 4e-3);
            net.params_mut()[i] = before + step;
            let up = loss(&net);
            net.params_mut()[i] = before - step;
            let slope = (up - loss(&net)) / f64::from(2.0 * step);
            net.params_mut()[i] = before;
            let wrong = (slope - f64::from(grad[i])).abs();
            assert!(wrong < 2e-3 + 0.02 * slope.abs(), "{i}: {slope} {}", grad[i]);
        }
    }
}

#[test]
fn solutions_side_by_side_are_as_alone() {
    let (net, cases) = (net(), cases(40));
    let together: Vec<&[f32]> = cases.iter().map(|case| &case.features[..]).collect();
    let (mut many, mut one) = (Encoder::default(), Encoder::default());
    assert!(many.encode(&net, &together, &Meter::unlimited()));
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for (i, case) in cases.iter().enumerate() {
        assert!(one.encode(&net, &[&case.features], &Meter::unlimited()));
        many.gains(i, &mut a);
        one.gains(0, &mut b);
        assert_eq!(a, b, "the same bits");
        many.partners(&net, i, 1, &mut a);
        one.partners(&net, 0, 1, &mut b);
        assert_eq!(a, b, "the same bits");
    }
}

#[test]
fn threads_change_nothing() {
    let (net, cases) = (net(), cases(50));
    let samples: Vec<RewriteSample<'_>> = cases.iter().map(Case::sample).collect();
    let gradients = [1, 2, 3, 8].map(|threads| {
        let mut grad = vec![0.0; net.params().len()];
        RewriteTrainer::new(threads).gradient(&net, &samples, POLICY_WEIGHT, &mut grad);
        grad
    });
    assert!(gradients.iter().all(|gradient| *gradient == gradients[0]));
}

#[test]
fn what_is_written_can_be_read() {
    let net = net();
    assert_eq!(net.params().len(), SHAPE.params());
    let card = vec![("recipe".to_string(), "\"a\" b".to_string())];
    let file = net.to_safetensors(&card);
    assert_eq!(file, net.to_safetensors(&card));
    let (read, others) = RewriterNet::from_safetensors(&file).unwrap();
    assert!(read.params() == net.params() && read.shape() == SHAPE && others == card);
    for cut in (0..file.len()).step_by(7) {
        assert!(RewriterNet::from_safetensors(&file[..cut]).is_err());
    }
    let shape = solo_nn::ScorerShape { global: 1, option: 2, hidden: 8 };
    let other = solo_nn::Scorer::zero(shape).to_safetensors(&[]);
    let error = RewriterNet::from_safetensors(&other).unwrap_err().to_string();
    assert!(error.contains("this is no rewriter"), "{error}");
}
