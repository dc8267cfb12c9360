//! What the simulations of layouts under their load give.

use std::fmt::Display;

use blockyard_experiment::{Answer, Base, Error, Lab, ScenarioText, Variant};

use crate::answer::layout::{Layout, Simulated};
use crate::proof::scenario::ScenarioWriter;
use crate::reason::Reason;
use crate::requirement::needs::Needs;

/// What a simulation gave.
pub(crate) struct Proof {
    pub(crate) jobs: Vec<Simulated>,
    pub(crate) missed: Vec<Reason>,
}

impl ScenarioWriter {
    /// What the simulations of layouts give, in their order; none of any if they are stopped.
    ///
    /// # Errors
    /// A line, if one cannot be simulated.
    pub(crate) fn proofs(
        &self,
        needs: &Needs,
        layouts: &[Layout],
        lab: &mut Lab<'_>,
    ) -> Result<Vec<Option<Proof>>, String> {
        let failed = |error: &dyn Display| format!("{}: {error}", self.name);
        let bases = layouts
            .iter()
            .map(|layout| Base::read(self.text(needs, layout)));
        let bases = bases.collect::<Result<Vec<_>, _>>();
        let bases = bases.map_err(|error| failed(&error))?;
        let batch: Vec<_> = bases.iter().map(Variant::of).collect();
        match layouts {
            [] => {}
            [one] => lab.trying(&format!("simulating {}", one.named())),
            several => lab.trying(&format!("simulating {} layouts", several.len())),
        }
        let answers = match lab.ask(&batch) {
            Ok(answers) => answers,
            Err(Error::Stopped) => return Ok(layouts.iter().map(|_| None).collect()),
            Err(error) => return Err(failed(&error)),
        };
        let mut proofs = Vec::new();
        for answer in answers {
            let answer = answer.map_err(|error| failed(&error))?;
            lab.budget.spend(answer.work().ios);
            proofs.push(Some(Proof::of(&answer)));
        }
        Ok(proofs)
    }

    /// The scenario of a layout, without the region, which no limit depends on.
    fn text(&self, needs: &Needs, layout: &Layout) -> ScenarioText {
        let anywhere = Self {
            region: None,
            ..self.clone()
        };
        ScenarioText {
            text: anywhere.scenario(needs, layout),
            file_name: self.name.clone(),
            sets: Vec::new(),
        }
    }
}

impl Proof {
    fn of(answer: &Answer) -> Self {
        let result = &answer.result;
        let missed = result.goals.iter().filter(|goal| !goal.met);
        let missed = missed.map(|goal| Reason::Simulated {
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
        Self {
            missed: missed.collect(),
            jobs: jobs.collect(),
        }
    }
}
