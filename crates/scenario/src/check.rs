//! Checks of a scenario beyond its schema: names, times, goals.

use blockyard_model::units::SECOND;
use blockyard_text::shorten;

use crate::goals::{Goal, Target};
use crate::resolve::Invalid;
use crate::schema::{Device, Event, Job, Scenario};
use crate::units::Duration;

/// Shortest interval: each is one row of results.
const MIN_INTERVAL: Duration = Duration::new(1_000_000);

/// Most intervals of a run: memory and files grow with them.
const MAX_INTERVALS: u64 = 10_000_000;

/// Most runs of a scenario: each has a folder of its own.
const MAX_REPEATS: u32 = 10_000;

/// Most devices: results number them in 16 bits.
const MAX_DEVICES: usize = 65_535;

/// Most jobs, and most load steps of all jobs: each has histograms of its own, which take 1 to
/// 2 MiB for a job and 0.1 to 0.2 MiB for a step.
const MAX_JOBS: usize = 1000;
const MAX_STEPS: usize = 10_000;

/// Most hosts: each has a few limits, which are numbered in 16 bits with those of the volumes.
const MAX_HOSTS: usize = 256;

/// Checks everything except storage and jobs, which need the catalog, and reads
/// the goals.
pub(crate) fn check(scenario: &Scenario) -> Result<Vec<Goal>, Invalid> {
    scenario_name(&scenario.name)?;
    names("storage", "device", scenario.storage.keys())?;
    if scenario.storage.contains_key("host") {
        let message = "no device can be called `host`: results call the instance so";
        return Err(Invalid::new("storage.host", message));
    }
    hosts(scenario)?;
    if !scenario.workload.is_empty() {
        names("workload", "job", scenario.workload.keys())?;
        load_steps(scenario)?;
    }
    times(scenario)?;
    repeats(scenario.repeats.get())?;
    goals(scenario)
}

/// Hosts are named as devices are, and apart from them: results name both as owners of limits.
fn hosts(scenario: &Scenario) -> Result<(), Invalid> {
    let zones = scenario.hosts.iter();
    let zones = zones.map(|(name, host)| (format!("hosts.{name}.zone"), host));
    let one = scenario
        .host
        .iter()
        .map(|host| ("host.zone".to_owned(), host));
    for (path, host) in zones.chain(one) {
        if let Some(zone) = &host.zone {
            name(&path, "zone", zone)?;
        }
    }
    if scenario.hosts.is_empty() {
        return Ok(());
    }
    if scenario.host.is_some() {
        let message = "given beside `host`; expected one of them: `host` is a single instance";
        return Err(Invalid::new("hosts", message));
    }
    names("hosts", "host", scenario.hosts.keys())?;
    for name in scenario.hosts.keys() {
        let invalid = |message: String| Err(Invalid::new(format!("hosts.{name}"), message));
        if name == "host" {
            return invalid("no host of several can be called `host`".to_owned());
        }
        if scenario.storage.contains_key(name) {
            return invalid(format!(
                "a device is called `{name}` too; expected different names, as results have both"
            ));
        }
    }
    Ok(())
}

fn scenario_name(name: &str) -> Result<(), Invalid> {
    check_name(name).map_err(|message| Invalid::new("name", message))
}

/// Checks a name under which a scenario and its runs are filed.
///
/// # Errors
/// The value and what was expected, if it is not one that a file can have.
pub fn check_name(name: &str) -> Result<(), String> {
    let odd = |c: char| c == '/' || c == '\\' || c.is_control();
    match name.is_empty() || name.starts_with('.') || name.contains(odd) || name.len() > 100 {
        true => Err(format!(
            "`{}` is not a name; expected up to 100 characters without `/`, `\\` or a first `.`",
            shorten(name)
        )),
        false => Ok(()),
    }
}

/// Names of devices, hosts and jobs appear between dots in paths and goals.
pub(crate) fn names<'a>(
    top: &str,
    what: &str,
    names: impl ExactSizeIterator<Item = &'a String>,
) -> Result<(), Invalid> {
    let most = match what {
        "host" => MAX_HOSTS,
        "job" => MAX_JOBS,
        _ => MAX_DEVICES,
    };
    if names.len() == 0 || names.len() > most {
        let message = format!("{} {what}s; expected 1 to {most}", names.len());
        return Err(Invalid::new(top, message));
    }
    for text in names {
        name(&format!("{top}.{text}"), what, text)?;
    }
    Ok(())
}

fn name(path: &str, what: &str, name: &str) -> Result<(), Invalid> {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if name.is_empty() || !name.chars().all(fits) {
        let message = format!(
            "`{}` is no name for a {what}; expected letters, digits, `_` and `-`",
            shorten(name)
        );
        return Err(Invalid::new(path, message));
    }
    Ok(())
}

/// Load steps, with those that begin as an event adds processes.
fn load_steps(scenario: &Scenario) -> Result<(), Invalid> {
    let jobs = scenario.workload.iter();
    let steps = jobs.map(|(name, job)| (job.load().steps(), name));
    let adds = scenario.events.iter();
    let adds = adds.filter(|event| matches!(event, Event::Add(_))).count();
    let all = steps.clone().map(|(steps, _)| steps).sum::<usize>() + adds;
    match steps.max() {
        Some((most, name)) if all > MAX_STEPS => {
            let message = format!(
                "{most} of {all} load steps; expected at most {MAX_STEPS} of all jobs, as each has \
                 histograms of its own"
            );
            Err(Invalid::new(format!("workload.{name}"), message))
        }
        _ => Ok(()),
    }
}

/// Whether its rows are of longer intervals than it states, as by interval.
fn has_longer(scenario: &Scenario) -> bool {
    let jobs = &scenario.workload;
    let demand = jobs.values().all(|job| matches!(job, Job::Demand(_)));
    demand && !jobs.is_empty() && scenario.by_interval != Some(false)
}

fn times(scenario: &Scenario) -> Result<(), Invalid> {
    let Scenario {
        warmup,
        duration,
        interval,
        ..
    } = *scenario;
    let whole = |time: Duration| time.nanos().is_multiple_of(interval.nanos());
    let unstated = duration.nanos() == 0;
    let (path, message) = if interval < MIN_INTERVAL {
        let message = format!("`{interval}` is too short; expected at least {MIN_INTERVAL}");
        ("interval", message)
    } else if unstated && !scenario.workload.is_empty() {
        let message = format!("missing or 0; expected at least the interval of {interval}");
        ("duration", message)
    } else if unstated && warmup.nanos() > 0 {
        ("warmup", format!("`{warmup}` of a run without `duration`"))
    } else if duration < interval && !unstated {
        let message = format!("`{duration}` is shorter than the interval of {interval}");
        ("duration", message)
    } else if duration.nanos() / interval.nanos() > MAX_INTERVALS && !has_longer(scenario) {
        let message = format!(
            "`{interval}` divides the duration of {duration} into more than {MAX_INTERVALS} parts"
        );
        ("interval", message)
    } else if warmup >= duration && !unstated {
        let message = format!("`{warmup}` leaves nothing of the duration of {duration}");
        ("warmup", message)
    } else if !interval.nanos().is_multiple_of(SECOND) && !SECOND.is_multiple_of(interval.nanos()) {
        let message = format!("`{interval}` is neither whole seconds nor a whole part of one");
        ("interval", message)
    } else if !whole(duration) {
        (
            "duration",
            format!("`{duration}` is not a multiple of the interval of {interval}"),
        )
    } else if !whole(warmup) {
        (
            "warmup",
            format!("`{warmup}` is not a multiple of the interval of {interval}"),
        )
    } else {
        return Ok(());
    };
    Err(Invalid::new(path, message))
}

fn repeats(repeats: u32) -> Result<(), Invalid> {
    if repeats > MAX_REPEATS {
        let message = format!("`{repeats}` is too many; expected at most {MAX_REPEATS}");
        return Err(Invalid::new("repeats", message));
    }
    Ok(())
}

/// How many steps of a job begin because an event adds processes then.
fn begun_by_events(scenario: &Scenario, job: &str) -> usize {
    let Some(load) = scenario.workload.get(job).map(Job::load) else {
        return 0;
    };
    let mut begins: Vec<_> = match (load.schedule, load.steps() as u64) {
        (Some(schedule), _) => schedule.iter().map(|step| step.at.nanos()).collect(),
        (None, steps) => {
            let length = scenario.duration.nanos() / steps.max(1);
            (0..steps).map(|step| step * length).collect()
        }
    };
    let own = begins.len();
    for event in &scenario.events {
        if let Event::Add(it) = event
            && it.add == job
            && !begins.contains(&it.at.nanos())
        {
            begins.push(it.at.nanos());
        }
    }
    begins.len() - own
}

/// The jobs, as goals can name them.
pub(crate) fn targets(scenario: &Scenario) -> Vec<Target<'_>> {
    let is_mirror = |device: &str| matches!(scenario.storage.get(device), Some(Device::Mirror(_)));
    let jobs = scenario.workload.iter().map(|(name, job)| Target {
        name,
        steps: job.load().steps() + begun_by_events(scenario, name),
        transactions: matches!(job, Job::Oltp(_)),
        amount: matches!(job, Job::AccessSpec(job) if job.amount.is_some()),
        is_mirrored: job.devices().iter().any(|&device| is_mirror(device))
            || matches!(job, Job::RanWrite(job) if job.mirror.is_some()),
        is_cluster: matches!(job, Job::Oltp(job) if job.galera.is_some() || job.standbys.is_some()),
    });
    jobs.collect()
}

fn goals(scenario: &Scenario) -> Result<Vec<Goal>, Invalid> {
    let jobs = targets(scenario);
    let goals = scenario.goals.iter().enumerate();
    goals
        .map(|(index, text)| {
            Goal::parse(text, &jobs).map_err(|e| Invalid::new(format!("goals.{index}"), e))
        })
        .collect()
}
