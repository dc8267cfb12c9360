//! What the simulations of layouts under their load give, with as many seeds as it takes.

use std::fmt::Display;

use blockyard_experiment::chance::{MetInSeeds, SeedRule};
use blockyard_experiment::{Answer, Base, Error, Lab, ScenarioText, Variant};
use blockyard_record::result::GoalOutcome;

use crate::answer::layout::{Layout, Simulated};
use crate::proof::scenario::ScenarioWriter;
use crate::reason::Reason;
use crate::requirement::needs::Needs;

/// What simulations gave.
pub(crate) struct Proof {
    /// With the scenario's own seed.
    jobs: Vec<Simulated>,
    held: MetInSeeds,
    missed: Vec<Reason>,
}

impl ScenarioWriter {
    /// What the simulations of layouts give, in their order; none of any if they are stopped.
    ///
    /// All layouts that are open get further seeds, until it is clear of each whether its goals
    /// hold with the probability that is asked for.
    ///
    /// # Errors
    /// A line, if one cannot be simulated.
    pub(crate) fn proofs(
        &self,
        needs: &Needs,
        layouts: &[Layout],
        lab: &mut Lab<'_>,
    ) -> Result<Vec<Option<Proof>>, String> {
        let failed = |error: &dyn Display| self.failed(error);
        let rule = SeedRule::of(needs.probability);
        // No limit depends on the region.
        let anywhere = Self {
            region: None,
            ..self.clone()
        };
        let mut all = Vec::new();
        for layout in layouts {
            let variant = self.variant(anywhere.at_highest(needs, layout))?;
            all.push(Runs::of(variant));
        }
        match layouts {
            [] => {}
            [one] => lab.trying(&format!("simulating {}", one.named())),
            several => lab.trying(&format!("simulating {} layouts", several.len())),
        }
        if anywhere.over_period(needs, layouts, &mut all, lab)? == Stopped::Yes {
            return Ok(layouts.iter().map(|_| None).collect());
        }
        loop {
            let mut open: Vec<&mut Runs> = all.iter_mut().filter(|it| it.is_open(rule)).collect();
            let rounds: Vec<_> = open.iter().map(|it| it.round(rule)).collect();
            if rounds.is_empty() {
                return Ok(all.into_iter().map(|it| Some(it.proof(rule))).collect());
            }
            let answers = match lab.ask(&rounds.concat()) {
                Ok(answers) => answers,
                Err(Error::Stopped) => return Ok(layouts.iter().map(|_| None).collect()),
                Err(error) => return Err(failed(&error)),
            };
            let mut answers = answers.into_iter();
            for (runs, round) in open.iter_mut().zip(&rounds) {
                for answer in answers.by_ref().take(round.len()) {
                    let answer = answer.map_err(|error| failed(&error))?;
                    lab.budget.spend(answer.work().ios);
                    runs.take(&answer);
                }
            }
        }
    }

    /// Simulates a whole period of a load by interval, and notes the goals that are missed. One
    /// seed tells: nothing in it is left to chance but how volumes of a kind differ.
    fn over_period(
        &self,
        needs: &Needs,
        layouts: &[Layout],
        all: &mut [Runs],
        lab: &mut Lab<'_>,
    ) -> Result<Stopped, String> {
        let texts = layouts.iter().filter_map(|it| self.period(needs, it));
        let variants = texts.map(|text| self.variant(text));
        let answers = match lab.ask(&variants.collect::<Result<Vec<_>, _>>()?) {
            Ok(answers) => answers,
            Err(Error::Stopped) => return Ok(Stopped::Yes),
            Err(error) => return Err(self.failed(&error)),
        };
        for (runs, answer) in all.iter_mut().zip(answers) {
            let answer = answer.map_err(|error| self.failed(&error))?;
            lab.budget.spend(answer.work().ios);
            let missed = answer.result.goals.iter().filter(|goal| !goal.met);
            runs.missed_in_period = missed.map(Missed::of).collect();
        }
        Ok(Stopped::No)
    }

    fn variant(&self, text: String) -> Result<Variant, String> {
        let text = ScenarioText {
            text,
            file_name: self.name.clone(),
            sets: Vec::new(),
        };
        let base = Base::read(text).map_err(|error| self.failed(&error))?;
        Ok(Variant::of(&base))
    }

    fn failed(&self, error: &dyn Display) -> String {
        format!("{}: {error}", self.name)
    }
}

/// Whether simulations were stopped.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stopped {
    Yes,
    No,
}

impl Proof {
    /// Notes on the layout what was simulated; gives the goals that were missed with too many
    /// seeds.
    pub(crate) fn tell(self, layout: &mut Layout) -> Vec<Reason> {
        layout.simulated = Some(self.jobs);
        layout.held = Some(self.held);
        self.missed
    }
}

/// The simulations of a layout so far.
struct Runs {
    variant: Variant,
    seeds: u64,
    met: u64,
    /// Of the first seed.
    jobs: Vec<Simulated>,
    missed: Vec<Missed>,
    /// Over a period of a load by interval, with one seed.
    missed_in_period: Vec<Missed>,
}

/// A goal that was missed.
struct Missed {
    goal: String,
    /// With the first seed that missed it.
    measured: String,
    /// With how many seeds.
    seeds: u64,
}

impl Missed {
    fn of(goal: &GoalOutcome) -> Self {
        Self {
            goal: goal.goal.clone(),
            measured: goal.measured.clone(),
            seeds: 1,
        }
    }

    /// Of so many seeds.
    fn reason(self, all: u64) -> Reason {
        Reason::Simulated {
            goal: self.goal,
            measured: self.measured,
            seeds: all,
            met: all - self.seeds,
        }
    }
}

impl Runs {
    fn of(variant: Variant) -> Self {
        Self {
            variant,
            seeds: 0,
            met: 0,
            jobs: Vec::new(),
            missed: Vec::new(),
            missed_in_period: Vec::new(),
        }
    }

    fn is_open(&self, rule: SeedRule) -> bool {
        rule.verdict(MetInSeeds::of(self.seeds, self.met)).is_none()
    }

    /// The seeds of the next round.
    fn round(&self, rule: SeedRule) -> Vec<Variant> {
        let all = self.seeds + rule.next(self.seeds);
        self.variant
            .by_seed(all as u32)
            .split_off(self.seeds as usize)
    }

    fn take(&mut self, answer: &Answer) {
        if self.seeds == 0 {
            self.jobs = jobs(answer);
        }
        self.seeds += 1;
        self.met += u64::from(answer.meets_goals());
        for goal in answer.result.goals.iter().filter(|goal| !goal.met) {
            match self.missed.iter_mut().find(|it| it.goal == goal.goal) {
                Some(known) => known.seeds += 1,
                None => self.missed.push(Missed::of(goal)),
            }
        }
    }

    fn proof(self, rule: SeedRule) -> Proof {
        let held = MetInSeeds::of(self.seeds, self.met);
        let passes = rule.verdict(held) == Some(true);
        let missed = self.missed.into_iter().filter(|_| !passes);
        let missed = missed.map(|it| it.reason(held.seeds));
        let in_period = self.missed_in_period.into_iter().map(|it| it.reason(1));
        Proof {
            jobs: self.jobs,
            held,
            missed: in_period.chain(missed).collect(),
        }
    }
}

/// What the jobs of the load did.
fn jobs(answer: &Answer) -> Vec<Simulated> {
    let totals = answer.result.totals.iter().filter_map(|total| {
        let latency = total.latency_us?;
        let expected = total.expected_us.as_ref();
        Some(Simulated {
            job: total.job.clone(),
            iops: total.iops,
            p50_us: latency.p50,
            p50_expected_us: expected.and_then(|it| it.p50.clone()),
            p99_us: latency.p99,
            p99_expected_us: expected.and_then(|it| it.p99.clone()),
        })
    });
    totals.collect()
}
