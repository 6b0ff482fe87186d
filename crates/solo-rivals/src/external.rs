//! A solver in another process as one of ours.

use crate::child::{Child, REMEDY};
use crate::python::{VARIABLE, interpreter};
use serde_json::{Value, json};
use solo_core::{Budget, Exchange, Failure, Meter, Rng, Solver};
use std::marker::PhantomData;
use std::path::PathBuf;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// A rival: which adapter, with which options.
#[derive(Clone, Copy, Debug)]
pub struct Rival {
    /// How it is asked for.
    pub name: &'static str,
    script: &'static str,
    options: &'static [(&'static str, &'static str)],
}

/// The loop that every adapter shares, put before its own text.
macro_rules! script {
    ($file:literal) => {
        concat!(
            include_str!("../adapters/serve.py"),
            "\n\n",
            include_str!(concat!("../adapters/", $file))
        )
    };
}

impl Rival {
    /// OR-Tools' routing solver with its default parameters, as the paper ran it.
    pub const ORTOOLS: Rival = Rival {
        name: "ortools",
        script: script!("ortools_routing.py"),
        options: &[("metaheuristic", "none")],
    };
    /// OR-Tools' routing solver with guided local search.
    pub const ORTOOLS_GLS: Rival = Rival {
        name: "ortools-gls",
        script: script!("ortools_routing.py"),
        options: &[("metaheuristic", "gls")],
    };
    /// The same with customers' waiting priced: each vehicle drives its trips one after another.
    pub const ORTOOLS_WAITING: Rival =
        Rival { name: "ortools-waiting", script: script!("ortools_waiting.py"), options: &[] };
    /// PyVRP's iterated local search.
    pub const PYVRP: Rival =
        Rival { name: "pyvrp", script: script!("pyvrp_routing.py"), options: &[] };
    /// CP-SAT, one circuit through all machines: the better of the two models.
    pub const CPSAT: Rival = Rival {
        name: "cpsat",
        script: script!("cpsat_scheduling.py"),
        options: &[("model", "tour")],
    };
    /// CP-SAT, one circuit a machine.
    pub const CPSAT_CIRCUITS: Rival = Rival {
        name: "cpsat-circuits",
        script: script!("cpsat_scheduling.py"),
        options: &[("model", "circuits")],
    };
    /// IBM's CP Optimizer, for those who have it.
    pub const CPOPTIMIZER: Rival =
        Rival { name: "cpoptimizer", script: script!("cpoptimizer_scheduling.py"), options: &[] };

    /// An adapter of one's own: `script` is Python that calls `serve(load)` as those in `adapters/` do.
    pub const fn custom(name: &'static str, script: &'static str) -> Rival {
        Rival { name, script, options: &[] }
    }
}

/// Children that have nothing to do at the moment. Clones share them.
///
/// Children are started by a thread of the pool's own that runs as long as the pool: on Linux a process that asks to
/// end with its parent ends with the *thread* that started it, and workers come and go.
#[derive(Clone)]
pub struct SolverPool(Arc<Inner>);

struct Inner {
    idle: Mutex<Vec<(&'static str, Child)>>,
    start: Mutex<Sender<Order>>,
}

/// A rival to start, and where the child goes.
type Order = (Rival, Sender<Result<Child, Failure>>);

impl Default for SolverPool {
    /// Children of the interpreter that `SOLO_PYTHON` names.
    fn default() -> Self {
        Self::new(interpreter())
    }
}

impl SolverPool {
    /// Children of this interpreter; without one every rival is missing.
    pub fn new(python: Option<PathBuf>) -> Self {
        let (start, orders) = channel::<Order>();
        thread::spawn(move || {
            for (rival, answer) in orders {
                let child = match &python {
                    Some(python) => Child::start(rival.name, python, rival.script),
                    None => {
                        let (name, remedy) = (rival.name, REMEDY);
                        Err(Failure::Missing(format!("{name}: {VARIABLE} is not set; {remedy}")))
                    }
                };
                // If nobody waits any more the child is dropped, hence ended.
                let _ = answer.send(child);
            }
        });
        Self(Arc::new(Inner { idle: Mutex::default(), start: Mutex::new(start) }))
    }

    fn idle(&self) -> MutexGuard<'_, Vec<(&'static str, Child)>> {
        self.0.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An idle child of this rival, or a new one.
    fn take(&self, rival: Rival) -> Result<Child, Failure> {
        let mut idle = self.idle();
        if let Some(at) = idle.iter().position(|(name, _)| *name == rival.name) {
            return Ok(idle.swap_remove(at).1);
        }
        drop(idle);
        let (answer, child) = channel();
        let start = self.0.start.lock().unwrap_or_else(PoisonError::into_inner);
        let sent = start.send((rival, answer)).is_ok();
        drop(start);
        let child = if sent { child.recv().ok() } else { None };
        child
            .unwrap_or_else(|| Err(Failure::Died(format!("{}: nobody could start it", rival.name))))
    }

    fn put(&self, rival: Rival, child: Child) {
        self.idle().push((rival.name, child));
    }

    /// The numbers of the idle children's processes.
    pub fn ids(&self) -> Vec<u32> {
        self.idle().iter().map(|(_, child)| child.id()).collect()
    }
}

/// A rival as a solver. It holds a child from its first question until it is dropped, and then gives it back.
pub struct External<P> {
    rival: Rival,
    pool: SolverPool,
    child: Option<Child>,
    /// How much longer than asked an answer may take before the child is given up.
    pub patience: Duration,
    of: PhantomData<fn(P)>,
}

impl<P: Exchange> External<P> {
    /// The rival, with children from `pool`.
    pub fn new(rival: Rival, pool: SolverPool) -> Self {
        Self { rival, pool, child: None, patience: Duration::from_secs(10), of: PhantomData }
    }

    fn request(&self, problem: &P, instance: &P::Instance, seconds: f64, seed: u64) -> Value {
        let options: serde_json::Map<String, Value> =
            self.rival.options.iter().map(|(key, value)| (key.to_string(), json!(value))).collect();
        json!({
            "seconds": seconds,
            "seed": seed,
            "options": options,
            "instance": problem.instance_to_json(instance),
        })
    }
}

impl<P: Exchange> Solver<P> for External<P> {
    fn solve(
        &mut self,
        problem: &P,
        instance: &P::Instance,
        meter: &Meter<'_>,
        rng: &mut Rng,
    ) -> Result<P::Plan, Failure> {
        if let Some(plan) = problem.trivial_plan(instance) {
            return Ok(plan);
        }
        let name = self.rival.name;
        if let Some(why) = problem.declined(instance) {
            return Err(Failure::Refused(format!("{name}: {why}")));
        }
        let Budget::Wall(time) = meter.budget() else {
            return Err(Failure::Refused(format!(
                "{name} knows no rollouts; give it time, like --budget 100ms"
            )));
        };
        // A failed child is not put back: it is dropped, hence ended, and the next question starts another.
        let mut child = match self.child.take() {
            Some(child) => child,
            None => {
                let child = self.pool.take(self.rival)?;
                child.follow();
                child
            }
        };
        let request = self.request(problem, instance, time.as_secs_f64(), rng.bits() >> 33);
        let answer = match child.ask(request, time + self.patience) {
            Err(refused @ Failure::Refused(_)) => {
                self.child = Some(child);
                return Err(refused);
            }
            other => other?,
        };
        self.child = Some(child);
        let plan = problem
            .plan_from_json(instance, &answer)
            .map_err(|what| Failure::Garbage(format!("{name}: {what}")))?;
        match problem.plan_cost(instance, &plan) {
            Ok(_) => Ok(plan),
            Err(what) => Err(Failure::Infeasible(format!("{name}: {what}"))),
        }
    }
}

impl<P> Drop for External<P> {
    fn drop(&mut self) {
        if let Some(child) = self.child.take() {
            self.pool.put(self.rival, child);
        }
    }
}
