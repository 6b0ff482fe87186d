//! Planning by a learned rewriter.

use solo_core::{Cost, Draft, Failure, Meter, Rewrite, Rng, Role, Solver};
use solo_nn::{Encoder, RewriterNet};
use std::sync::Arc;

/// Rewriting ends where no node promises at least this: a little may be lost on the way to a gain.
const LEAST: f32 = -0.01;

/// Rewrites the problem's first solution, and answers with the best on the way.
///
/// Each time the nodes are tried in order of what the network expects to gain there, with the
/// partner that it likes best, until a solution comes out whose cost was not there before. It ends
/// after a number of rewrites, where the gains are below -0.01, or where nothing new comes out. A
/// budget counts rewrites; the answer is there at any time.
#[derive(Clone, Debug)]
pub struct Rewriter {
    model: String,
    net: Arc<RewriterNet>,
    steps: u64,
    encoder: Encoder,
    draft: Draft,
    next: Draft,
    best: Draft,
    costs: Vec<Cost>,
    gains: Vec<f32>,
    scores: Vec<f32>,
    order: Vec<u32>,
}

impl Rewriter {
    /// Rewrites up to `steps` times by the network of this name.
    pub fn new(model: String, net: Arc<RewriterNet>, steps: u64) -> Self {
        let [draft, next, best] = [(); 3].map(|()| Draft::default());
        Self {
            model,
            net,
            steps,
            encoder: Encoder::default(),
            draft,
            next,
            best,
            costs: Vec::new(),
            gains: Vec::new(),
            scores: Vec::new(),
            order: Vec::new(),
        }
    }

    /// Whether the network knows solutions of this problem.
    fn check<P: Rewrite>(&self, problem: &P) -> Result<(), Failure> {
        let (wanted, found) = (self.net.shape().features, problem.rewrite_features());
        if wanted == found {
            return Ok(());
        }
        let (taught, here) = problem.rewrite_words(wanted, found);
        Err(Failure::Refused(format!(
            "the rewriter {} was trained for {taught}; this day has {here}; train one with 'solo train'",
            self.model
        )))
    }

    /// The next rewrite, if there is one: `next` is then the solution after it.
    fn rewrite<P: Rewrite>(
        &mut self,
        problem: &P,
        instance: &P::Instance,
        meter: &Meter<'_>,
    ) -> bool {
        let Self { net, encoder, draft, next, costs, gains, scores, order, .. } = self;
        if !encoder.encode(net, &[&draft.features], meter) {
            return false;
        }
        encoder.gains(0, gains);
        let items =
            (0..draft.roles.len() as u32).filter(|&at| draft.roles[at as usize] == Role::Item);
        order.clear();
        order.extend(items);
        order.sort_by(|&a, &b| gains[b as usize].total_cmp(&gains[a as usize]));
        for &picked in order.iter() {
            let picked = picked as usize;
            if gains[picked] < LEAST || meter.cuts(2 * draft.nodes.len()) {
                return false;
            }
            encoder.partners(net, 0, picked, scores);
            let other = |at: &usize| draft.roles[*at] != Role::Fixed && *at != picked;
            let likelier =
                |best: usize, at: usize| if scores[at] > scores[best] { at } else { best };
            let Some(partner) = (0..scores.len()).filter(other).reduce(likelier) else {
                return false;
            };
            problem.swap(instance, draft, [picked, partner], next);
            if !costs.contains(&next.cost) {
                return true;
            }
        }
        false
    }
}

impl<P: Rewrite> Solver<P> for Rewriter {
    fn solve(
        &mut self,
        problem: &P,
        instance: &P::Instance,
        meter: &Meter<'_>,
        _rng: &mut Rng,
    ) -> Result<P::Plan, Failure> {
        self.check(problem)?;
        problem.first_draft(instance, meter, &mut self.draft)?;
        self.best.clone_from(&self.draft);
        self.costs.clear();
        self.costs.push(self.draft.cost);
        if !self.draft.has_moves() {
            return Ok(problem.drafted(instance, &self.best));
        }
        for _ in 0..self.steps {
            if meter.exhausted() {
                // Nothing was rewritten: that is to be said.
                if meter.spent() == 0 {
                    meter.cut();
                }
                break;
            }
            if meter.has_cut() || !self.rewrite(problem, instance, meter) {
                break;
            }
            meter.spend();
            self.costs.push(self.next.cost);
            std::mem::swap(&mut self.draft, &mut self.next);
            if self.draft.cost < self.best.cost {
                self.best.clone_from(&self.draft);
            }
        }
        Ok(problem.drafted(instance, &self.best))
    }
}
