//! Load steps: equal parts of the run, or a schedule.

use blockyard_model::units::Nanos;
use blockyard_model::workload::spec as model;

use crate::resolve::Invalid;
use crate::schema::{Add, Arrivals, Event, Load, OneOrMany, Scenario, ScheduleStep};
use crate::units::Duration;

/// Most IOs that a job may have in flight: each takes memory for the whole run.
const MAX_IN_FLIGHT: u64 = 1_000_000;

/// The times that steps must fit.
#[derive(Clone, Copy)]
pub(super) struct Run<'a> {
    duration: Duration,
    interval: Duration,
    events: &'a [Event],
}

/// The start and the value of each step.
type Steps<T> = Vec<(Nanos, T)>;

impl<'a> Run<'a> {
    pub(super) fn of(scenario: &'a Scenario) -> Self {
        Self {
            duration: scenario.duration,
            interval: scenario.interval,
            events: &scenario.events,
        }
    }

    /// The length of an interval of its results.
    pub(super) fn interval(self) -> Duration {
        self.interval
    }

    /// When it ends.
    pub(super) fn end(self) -> Nanos {
        self.duration.nanos()
    }

    /// Whether a time is before its end.
    pub(super) fn contains(self, time: Nanos) -> bool {
        time < self.duration.nanos()
    }

    /// Checks the IOs in flight of the open loop at `path`.
    pub(super) fn check_in_flight(self, path: &str, most: u32) -> Result<(), Invalid> {
        self.nothing_added(path)?;
        in_flight_limit(&format!("{path}.max_outstanding"), most.into())
    }

    /// The load of the job at `path`.
    pub(super) fn load(self, path: &str, load: &Load<'_>) -> Result<model::Load, Invalid> {
        match (load.processes, load.rate, load.schedule) {
            (Some(processes), None, None) => {
                let steps = self.equal_steps(&format!("{path}.processes"), processes)?;
                closed(path, load, self.with_added(path, steps)?)
            }
            (None, Some(rate), None) => {
                let steps = self.equal_steps(&format!("{path}.rate"), rate)?;
                let steps = steps.into_iter().map(|(at, rate)| (at, rate.per_s()));
                self.nothing_added(path)?;
                open(path, load, steps.collect())
            }
            (None, None, Some(schedule)) => self.scheduled(path, load, schedule),
            (None, None, None) => Err(Invalid::new(
                path,
                "no load; expected one of `processes`, `rate`, `schedule`",
            )),
            (processes, ..) => {
                let one = if processes.is_some() {
                    "processes"
                } else {
                    "rate"
                };
                let message = format!(
                    "more than one load; expected one of `processes`, `rate`, `schedule`; \
                     `--set {path}.{one}=null` removes one"
                );
                Err(Invalid::new(path, message))
            }
        }
    }

    /// The update processes of the `ranwrite` job at `path`, which has no
    /// open loop.
    pub(super) fn processes(self, path: &str, load: &Load<'_>) -> Result<Steps<u32>, Invalid> {
        match self.load(path, load)? {
            model::Load::Closed { steps, .. } => Ok(steps),
            model::Load::Open { .. } => Err(Invalid::new(
                format!("{path}.schedule"),
                "a `ranwrite` job has no `rate`; expected `processes`, and `updates` for their pace",
            )),
        }
    }

    fn equal_steps<T: Copy>(self, path: &str, list: &OneOrMany<T>) -> Result<Steps<T>, Invalid> {
        let count = list.len() as u64;
        if count == 0 {
            return Err(Invalid::new(
                path,
                "an empty list; expected at least one step",
            ));
        }
        let step = Duration::new(self.duration.nanos() / count);
        let whole = self.duration.nanos().is_multiple_of(count) && self.fits(step);
        if step < self.interval || !whole {
            let message = format!(
                "{count} steps do not fit a duration of {}: expected each to be whole intervals of {}",
                self.duration, self.interval
            );
            return Err(Invalid::new(path, message));
        }
        let at = |index: u64| step.nanos() * index;
        Ok((0..count).map(at).zip(list.iter().copied()).collect())
    }

    /// Whether an interval ends at `time`, so that each belongs to one step
    /// only.
    pub(super) fn fits(self, time: Duration) -> bool {
        time.nanos().is_multiple_of(self.interval.nanos())
    }

    fn scheduled(
        self,
        path: &str,
        load: &Load<'_>,
        schedule: &[ScheduleStep],
    ) -> Result<model::Load, Invalid> {
        let path_of = |index: usize| format!("{path}.schedule.{index}");
        let Some(first) = schedule.first() else {
            let path = format!("{path}.schedule");
            return Err(Invalid::new(
                path,
                "an empty list; expected at least one step",
            ));
        };
        self.check_times(schedule, path_of)?;
        let mixed = |index| {
            let message = "expected one of `processes` and `rate`, the same one in all steps";
            Invalid::new(path_of(index), message)
        };
        let steps = schedule.iter().enumerate();
        if first.processes.is_some() {
            let steps = steps.map(|(index, step)| match (step.processes, step.rate) {
                (Some(processes), None) => Ok((step.at.nanos(), processes)),
                _ => Err(mixed(index)),
            });
            let steps = steps.collect::<Result<_, _>>()?;
            closed(path, load, self.with_added(path, steps)?)
        } else {
            let steps = steps.map(|(index, step)| match (step.processes, step.rate) {
                (None, Some(rate)) => Ok((step.at.nanos(), rate.per_s())),
                _ => Err(mixed(index)),
            });
            self.nothing_added(path)?;
            open(path, load, steps.collect::<Result<_, _>>()?)
        }
    }

    /// The events that add processes to the job at `path`, each with its own path.
    fn added(self, path: &str) -> impl Iterator<Item = (String, &'a Add)> {
        let job = path.trim_start_matches("workload.").to_owned();
        let events = self.events.iter().enumerate();
        events.filter_map(move |(index, event)| match event {
            Event::Add(it) if it.add == job => Some((format!("events.{index}"), it)),
            _ => None,
        })
    }

    /// The steps with the processes that events add.
    fn with_added(self, path: &str, mut steps: Steps<u32>) -> Result<Steps<u32>, Invalid> {
        for (path, it) in self.added(path) {
            if !self.fits(it.at) {
                let (at, interval) = (it.at, self.interval);
                let message = format!("`{at}` is not a multiple of the interval of {interval}");
                return Err(Invalid::new(format!("{path}.at"), message));
            }
            let at = it.at.nanos();
            let place = steps.partition_point(|step| step.0 < at);
            if steps.get(place).is_none_or(|step| step.0 > at) {
                let before = place.checked_sub(1).map_or(0, |before| steps[before].1);
                steps.insert(place, (at, before));
            }
            for step in &mut steps[place..] {
                step.1 = step.1.saturating_add(it.processes.get());
            }
        }
        Ok(steps)
    }

    fn nothing_added(self, path: &str) -> Result<(), Invalid> {
        match self.added(path).next() {
            None => Ok(()),
            Some((path, it)) => Err(Invalid::new(
                format!("{path}.add"),
                format!("`{}` is an open loop, which has no processes", it.add),
            )),
        }
    }

    fn check_times(
        self,
        schedule: &[ScheduleStep],
        path_of: impl Fn(usize) -> String,
    ) -> Result<(), Invalid> {
        let mut previous: Option<Duration> = None;
        for (index, step) in schedule.iter().enumerate() {
            let problem = match previous {
                None if step.at.nanos() > 0 => Some(format!(
                    "`{}` is too late for the first step; expected `0s`",
                    step.at
                )),
                Some(before) if step.at <= before => Some(format!(
                    "`{}` does not come after the step before, at {before}",
                    step.at
                )),
                _ if step.at >= self.duration => Some(format!(
                    "`{}` is not within the duration of {}",
                    step.at, self.duration
                )),
                _ if !self.fits(step.at) => Some(format!(
                    "`{}` is not a multiple of the interval of {}",
                    step.at, self.interval
                )),
                _ => None,
            };
            if let Some(problem) = problem {
                return Err(Invalid::new(format!("{}.at", path_of(index)), problem));
            }
            previous = Some(step.at);
        }
        Ok(())
    }
}

fn closed(path: &str, load: &Load<'_>, steps: Steps<u32>) -> Result<model::Load, Invalid> {
    let open_only = [
        ("arrivals", load.arrivals.is_some()),
        ("max_outstanding", load.max_outstanding.is_some()),
        ("latency_limit", load.latency_limit.is_some()),
    ];
    refuse(path, &open_only, "an open loop, which has a `rate`")?;
    let outstanding = load.outstanding.unwrap_or(Load::OUTSTANDING).get();
    let most = steps.iter().map(|&(_, processes)| processes).max();
    let in_flight = u64::from(most.unwrap_or(0)) * u64::from(outstanding);
    in_flight_limit(path, in_flight)?;
    Ok(model::Load::Closed { steps, outstanding })
}

fn open(path: &str, load: &Load<'_>, steps: Steps<u64>) -> Result<model::Load, Invalid> {
    let closed_only = [("outstanding", load.outstanding.is_some())];
    refuse(
        path,
        &closed_only,
        "a closed loop; an open one has `max_outstanding`",
    )?;
    let max_outstanding = load.max_outstanding.unwrap_or(Load::MAX_OUTSTANDING).get();
    in_flight_limit(
        &format!("{path}.max_outstanding"),
        u64::from(max_outstanding),
    )?;
    if load.latency_limit.is_some_and(|limit| limit.nanos() == 0) {
        let path = format!("{path}.latency_limit");
        return Err(Invalid::new(
            path,
            "`0s` would skip every IO; expected more",
        ));
    }
    Ok(model::Load::Open {
        steps,
        arrivals: match load.arrivals.unwrap_or(Load::ARRIVALS) {
            Arrivals::Poisson => model::Arrivals::Poisson,
            Arrivals::Even => model::Arrivals::Even,
        },
        max_outstanding,
        latency_limit: load.latency_limit.map(Duration::nanos),
    })
}

fn refuse(path: &str, keys: &[(&str, bool)], belongs_to: &str) -> Result<(), Invalid> {
    match keys.iter().find(|(_, present)| *present) {
        None => Ok(()),
        Some((key, _)) => Err(Invalid::new(
            format!("{path}.{key}"),
            format!("`{key}` belongs to {belongs_to}"),
        )),
    }
}

fn in_flight_limit(path: &str, in_flight: u64) -> Result<(), Invalid> {
    if in_flight > MAX_IN_FLIGHT {
        let message = format!("{in_flight} IOs in flight; expected at most {MAX_IN_FLIGHT}");
        return Err(Invalid::new(path, message));
    }
    Ok(())
}
