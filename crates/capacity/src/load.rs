//! The load that is varied: of one job in its own unit, of several by one factor.

use blockyard_experiment::{Edit, JobLoad, LoadUnit};
use blockyard_scenario::schema::{Demand, Job, ScheduleStep};
use blockyard_scenario::units::Duration;
use blockyard_scenario::{Loaded, hint, shorten};
use schemars::JsonSchema;
use serde::Serialize;

use crate::search::Search;

/// The default for the most load, as a multiple of the scenario's.
const TIMES: u64 = 1000;

/// Most IOs that jobs may have in flight, as scenarios have it.
const MOST_IN_FLIGHT: u64 = 1_000_000;

/// What becomes of a job's load steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StepsAre {
    /// It has none.
    None,
    /// A list of loads: it gets one load throughout instead.
    Replaced,
    /// A schedule: all its steps are multiplied, and its load is that of the largest.
    Scaled,
}

/// A job whose load is varied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Scaled {
    /// The job.
    pub job: String,
    /// What its load counts.
    pub unit: LoadUnit,
    /// Its load in the scenario, of several steps the largest.
    pub own: u64,
    /// What becomes of its steps.
    pub steps: StepsAre,
    #[serde(skip)]
    schedule: Vec<(Duration, u64)>,
    /// The most that may be asked of it.
    #[serde(skip)]
    most: u64,
}

/// The jobs whose load is varied.
#[derive(Clone, Debug)]
pub(crate) struct Scaling {
    pub(crate) jobs: Vec<Scaled>,
}

impl Scaling {
    /// Of the job called `only`, or of all jobs.
    ///
    /// # Errors
    /// A line, if there is no such job, or one has no load at all.
    pub(crate) fn of(loaded: &Loaded, only: Option<&str>) -> Result<Self, String> {
        let jobs = &loaded.scenario.workload;
        if let Some(name) = only.filter(|name| !jobs.contains_key(*name)) {
            let hint = hint(name, jobs.keys().map(String::as_str));
            return Err(format!("--job: no job is called `{}`{hint}", shorten(name)));
        }
        let wanted = jobs
            .iter()
            .filter(|(name, _)| only.is_none_or(|only| only == *name));
        let jobs: Result<Vec<_>, _> = wanted.map(|(name, job)| scaled(name, job)).collect();
        Ok(Self { jobs: jobs? })
    }

    /// Whether loads are factors in 1/1000, as several jobs are scaled together.
    pub(crate) fn by_factor(&self) -> bool {
        self.jobs.len() > 1
    }

    pub(crate) fn is_of(&self, job: &str) -> bool {
        self.jobs.iter().any(|own| own.job == job)
    }

    /// Where to look: up to `up_to`, in processes or IOs or transactions a second, or a factor.
    ///
    /// # Errors
    /// A line, if `up_to` leaves nothing to look at.
    pub(crate) fn search(&self, up_to: Option<f64>) -> Result<Search, String> {
        let (start, scale) = match &self.jobs[..] {
            [one] => (one.own, 1.0),
            _ => (1000, 1000.0),
        };
        let possible = match &self.jobs[..] {
            [one] => one.most,
            several => {
                let each = several
                    .iter()
                    .map(|job| job.most.saturating_mul(1000) / job.own);
                each.min().unwrap_or(start)
            }
        };
        let most = match up_to {
            None => start.saturating_mul(TIMES).min(possible),
            Some(up_to) if up_to * scale >= 1.0 && up_to * scale < 1e15 => {
                ((up_to * scale) as u64).min(possible)
            }
            Some(up_to) => return Err(format!("--up-to: `{up_to}`; expected a load of 1 or more")),
        };
        let largest = self.jobs.iter().map(|job| job.own).max().unwrap_or(1);
        let least = match self.by_factor() {
            false => 1,
            true => 1000_u64.div_ceil(largest),
        };
        Ok(Search {
            start: start.min(most),
            least: least.min(most),
            most,
        })
    }

    /// The load of each job.
    pub(crate) fn loads(&self, load: u64) -> Vec<u64> {
        match &self.jobs[..] {
            [_] => vec![load],
            several => several
                .iter()
                .map(|job| times(job.own, load, 1000))
                .collect(),
        }
    }

    /// The edits that give the scenario this load.
    pub(crate) fn edits(&self, load: u64) -> Vec<Edit> {
        let loads = self.loads(load);
        let both = self.jobs.iter().zip(loads);
        both.map(|(job, load)| Edit::Load(job.with(load))).collect()
    }
}

impl Scaled {
    /// The job with another load; of a schedule, that of its largest step.
    fn with(&self, load: u64) -> JobLoad {
        let step = |(at, own): &(Duration, u64)| (*at, times(*own, load, self.own));
        JobLoad {
            job: self.job.clone(),
            unit: self.unit,
            load,
            schedule: self.schedule.iter().map(step).collect(),
        }
    }
}

/// `own` × `load` / `whole`, to the nearest; of what is no pause at least 1.
fn times(own: u64, load: u64, whole: u64) -> u64 {
    let exact = u128::from(own) * u128::from(load);
    let rounded = (exact + u128::from(whole / 2)) / u128::from(whole);
    u64::try_from(rounded).unwrap_or(u64::MAX).max(own.min(1))
}

fn scaled(name: &str, job: &Job) -> Result<Scaled, String> {
    let closed = |counts: &[u32]| counts.iter().copied().map(u64::from).collect::<Vec<_>>();
    let open = |rates: &[blockyard_scenario::units::Rate]| {
        rates.iter().map(|rate| rate.per_s()).collect::<Vec<_>>()
    };
    let (processes, rate, schedule, each) = match job {
        Job::RanRead(job) => (&job.processes, job.rate.as_ref(), job.schedule.as_ref(), 1),
        Job::RanWrite(job) => (&job.processes, None, job.schedule.as_ref(), 1),
        Job::AccessSpec(job) => {
            let each = job.outstanding.map_or(1, |it| u64::from(it.get()));
            (
                &job.processes,
                job.rate.as_ref(),
                job.schedule.as_ref(),
                each,
            )
        }
        Job::Oltp(job) => (&job.threads, job.rate.as_ref(), None, 1),
        Job::Demand(job) => return Ok(of_demand(name, job)),
        Job::Replay(_) => {
            return Err(format!(
                "workload.{name}: a replay has the load that was recorded; expected a job with processes, a rate or a demand"
            ));
        }
    };
    let is_oltp = matches!(job, Job::Oltp(_));
    let (unit, loads) = match (rate, processes) {
        (Some(rate), _) if is_oltp => (LoadUnit::TransactionsPerS, open(rate)),
        (Some(rate), _) => (LoadUnit::IosPerS, open(rate)),
        (None, Some(threads)) if is_oltp => (LoadUnit::Threads, closed(threads)),
        (None, Some(processes)) => (LoadUnit::Processes, closed(processes)),
        (None, None) => of_schedule(schedule.map_or(&[][..], Vec::as_slice)),
    };
    let schedule: Vec<_> = match (rate, processes) {
        (None, None) => {
            let at = schedule.into_iter().flatten().map(|step| step.at);
            at.zip(loads.iter().copied()).collect()
        }
        _ => Vec::new(),
    };
    let own = loads.iter().copied().max().unwrap_or(0);
    if own == 0 {
        return Err(format!(
            "workload.{name}: no load to scale; expected more than 0"
        ));
    }
    Ok(Scaled {
        job: name.to_owned(),
        unit,
        own,
        steps: match (loads.len(), schedule.is_empty()) {
            (1, _) => StepsAre::None,
            (_, true) => StepsAre::Replaced,
            (_, false) => StepsAre::Scaled,
        },
        schedule,
        most: match unit {
            LoadUnit::Processes => MOST_IN_FLIGHT / each,
            LoadUnit::Threads => most_threads(job),
            LoadUnit::IosPerS | LoadUnit::TransactionsPerS | LoadUnit::Percent => {
                own.saturating_mul(TIMES)
            }
        },
    })
}

/// All intervals of a demand, in percent of what they say.
fn of_demand(name: &str, job: &Demand) -> Scaled {
    let own = u64::from(job.percent.get());
    Scaled {
        job: name.to_owned(),
        unit: LoadUnit::Percent,
        own,
        steps: StepsAre::None,
        schedule: Vec::new(),
        most: own.saturating_mul(TIMES).min(u32::MAX.into()),
    }
}

fn of_schedule(steps: &[ScheduleStep]) -> (LoadUnit, Vec<u64>) {
    let rates: Vec<_> = steps
        .iter()
        .filter_map(|step| Some(step.rate?.per_s()))
        .collect();
    match rates.is_empty() {
        true => {
            let counts = steps.iter().filter_map(|step| step.processes);
            (LoadUnit::Processes, counts.map(u64::from).collect())
        }
        false => (LoadUnit::IosPerS, rates),
    }
}

/// The most threads that an engine has, as the catalog knows it.
fn most_threads(job: &Job) -> u64 {
    let engine = match job {
        Job::Oltp(job) => &job.engine,
        Job::RanRead(_)
        | Job::RanWrite(_)
        | Job::AccessSpec(_)
        | Job::Demand(_)
        | Job::Replay(_) => {
            return MOST_IN_FLIGHT;
        }
    };
    let catalog = blockyard_catalog::Catalog::get().ok();
    let engine = catalog.and_then(|catalog| catalog.engine(engine).ok());
    engine.map_or(MOST_IN_FLIGHT, |engine| engine.most_threads.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scaling(workload: &str, only: Option<&str>) -> Result<Scaling, String> {
        let text = format!(
            "{{name: s, duration: 30s, storage: {{d: {{type: gp3, size: 100GiB}}}}, \
             workload: {{{workload}}}}}"
        );
        Scaling::of(&blockyard_scenario::load(&text, "s", &[]).unwrap(), only)
    }

    const READS: &str = "kind: ranread, on: d, file_size: 1GiB";

    #[test]
    fn loads_become_overrides() {
        let set = |load: &str, most| {
            let found = scaling(&format!("r: {{{READS}, {load}}}"), None).unwrap();
            found.edits(most)[0].to_string()
        };
        assert_eq!(set("processes: [1, 2, 4]", 9), "workload.r.processes=9");
        assert_eq!(set("rate: 500/s", 1500), "workload.r.rate=1500/s");
        let schedule =
            "schedule: [{at: 0s, rate: 100/s}, {at: 10s, rate: 0/s}, {at: 20s, rate: 1/s}]";
        assert_eq!(
            set(schedule, 50),
            "workload.r.schedule=[{at: 0s, rate: 50/s}, {at: 10s, rate: 0/s}, {at: 20s, rate: 1/s}]"
        );
    }

    #[test]
    fn several_jobs_are_scaled_by_one_factor() {
        let jobs = format!("r: {{{READS}, processes: 4}}, s: {{{READS}, rate: 1000/s}}");
        let both = scaling(&jobs, None).unwrap();
        assert_eq!(both.loads(1500), [6, 1500]);
        let search = both.search(None).unwrap();
        assert_eq!((search.start, search.least), (1000, 1));
        assert_eq!(both.search(Some(2.5)).unwrap().most, 2500);
        let one = scaling(&jobs, Some("s")).unwrap();
        assert_eq!(one.edits(7)[0].to_string(), "workload.s.rate=7/s");
        assert_eq!(
            scaling(&jobs, Some("t")).unwrap_err(),
            "--job: no job is called `t`; did you mean `r`?"
        );
    }
}
