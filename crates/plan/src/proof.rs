//! What the simulation of a layout under its load comes to.

use std::io::ErrorKind;

use blockyard_record::Detail;
use blockyard_record::result::{RunResult, Status};
use blockyard_scenario::load;
use blockyard_simulate::{Options, simulate};

use crate::layout::{Layout, Simulated};
use crate::reason::Reason;
use crate::wanted::Wanted;
use crate::watch::{Stoppable, Watch};
use crate::written::Written;

/// What a simulation came to.
pub(crate) struct Proof {
    pub(crate) jobs: Vec<Simulated>,
    pub(crate) missed: Vec<Reason>,
}

impl Written {
    /// What the simulation of a layout comes to; none if it is stopped.
    pub(crate) fn proof(
        &self,
        wanted: &Wanted,
        layout: &Layout,
        watch: &mut dyn Watch,
    ) -> Result<Option<Proof>, String> {
        watch.simulating(layout);
        if watch.stopped() {
            return Ok(None);
        }
        let Some(result) = self.run(wanted, layout, watch)? else {
            return Ok(None);
        };
        let missed = result
            .goals
            .iter()
            .filter(|goal| !goal.met)
            .map(|goal| Reason::Simulated {
                goal: goal.goal.clone(),
                measured: goal.measured.clone(),
            });
        let jobs = result.totals.iter().filter_map(|total| {
            let latency = total.latency_us?;
            Some(Simulated {
                job: total.job.clone(),
                iops: total.iops,
                p50_us: latency.p50,
                p99_us: latency.p99,
            })
        });
        Ok(Some(Proof {
            missed: missed.collect(),
            jobs: jobs.collect(),
        }))
    }

    fn run(
        &self,
        wanted: &Wanted,
        layout: &Layout,
        watch: &mut dyn Watch,
    ) -> Result<Option<RunResult>, String> {
        let text = Self {
            region: None,
            ..self.clone()
        }
        .scenario(wanted, layout);
        let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", self.name);
        let loaded = load(&text, &self.name, &[]).map_err(|error| failed(&error))?;
        let resolved = loaded.resolve().map_err(|error| failed(&error))?;
        let options = Options {
            detail: Detail::Totals,
            ..Options::default()
        };
        let watch = &mut Stoppable(watch);
        match simulate(&loaded.scenario, &resolved, options, watch) {
            Ok(result) => Ok((result.status == Status::Complete).then_some(result)),
            // Stopped before any time has passed.
            Err(error) if error.kind() == ErrorKind::Interrupted => Ok(None),
            Err(error) => Err(failed(&error)),
        }
    }
}
