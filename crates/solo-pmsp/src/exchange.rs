//! Open jobs as JSON for solvers in other processes, with a WSPT schedule as a hint.

use crate::check;
use crate::dynamics::Scheduling;
use crate::plan::{Instance, Plan};
use crate::wspt::WsptPlan;
use serde_json::{Value, json};
use solo_core::{Cost, Exchange};

impl Exchange for Scheduling {
    fn trivial_plan(&self, instance: &Instance) -> Option<Plan> {
        let sequences = vec![Vec::new(); instance.machines.len()];
        instance.jobs.is_empty().then_some(Plan { sequences })
    }

    /// The adapters' models are of identical machines and whole times.
    fn declined(&self, instance: &Instance) -> Option<&'static str> {
        (self.unrelated || !instance.times.alike())
            .then_some("its model has one processing time a job, and these machines are unrelated")
    }

    /// Jobs are named by their place among the open ones.
    fn instance_to_json(&self, instance: &Instance) -> Value {
        let place = |id: &u32| instance.jobs.iter().position(|job| job.id == *id);
        let hint = WsptPlan::default().plan(self, instance).unwrap_or_default();
        let hint: Vec<Vec<usize>> =
            hint.sequences.iter().map(|jobs| jobs.iter().filter_map(place).collect()).collect();
        let jobs = instance.jobs.iter().map(|job| {
            json!({
                "processing": job.processing, "weight": job.weight, "class": job.class,
                "release": job.arrival,
            })
        });
        let machines = instance.machines.iter().map(|m| json!({ "ready": m.at, "class": m.class }));
        let setup: Vec<&[f64]> =
            instance.setup.flat.chunks(instance.setup.classes.max(1)).collect();
        json!({
            "jobs": jobs.collect::<Vec<_>>(),
            "machines": machines.collect::<Vec<_>>(),
            "setup": setup,
            "hint": hint,
        })
    }

    fn plan_from_json(&self, instance: &Instance, answer: &Value) -> Result<Plan, String> {
        let sequences =
            answer["sequences"].as_array().ok_or("the answer has no list 'sequences'")?;
        let job = |value: &Value| {
            let place = value.as_u64().ok_or("a job is not a number")? as usize;
            instance.jobs.get(place).map(|job| job.id).ok_or(format!("there is no job {place}"))
        };
        let machine = |value: &Value| {
            let jobs = value.as_array().ok_or("a sequence is not a list")?;
            jobs.iter().map(job).collect::<Result<Vec<u32>, String>>()
        };
        Ok(Plan { sequences: sequences.iter().map(machine).collect::<Result<_, String>>()? })
    }

    fn plan_cost(&self, instance: &Instance, plan: &Plan) -> Result<Cost, String> {
        check::plan_cost(self, instance, plan)
    }
}
