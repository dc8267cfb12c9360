//! The facts of a run together.

use blockyard_model::spec::StorageSpec;
use blockyard_model::workload::spec::JobSpec;
use blockyard_record::result::{Mode, RunResult, Total};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::limits::credits::{Credits, UsedUp, add_carriers, credits, used_up};
use crate::limits::id::{LimitId, Owner};
use crate::limits::in_force::Rates;
use crate::limits::owners::Owners;
use crate::limits::usage;
use crate::limits::{Limit, limits};
use crate::loads::closed_loops::{ClosedLoop, closed_loops};
use crate::loads::needs::Measured;
use crate::loads::open_loops::{Behind, behind};
use crate::loads::write_daemons::{WriteDaemons, write_daemons};
use crate::loads::{JobLoad, loads};
use crate::raising::headroom::{Served, headrooms, other_legs};
use crate::raising::raising;
use crate::storage::devices::Device;
use crate::storage::equal_volumes::EqualVolumes;
use crate::storage::table::VolumeTable;
use crate::transactions::{Bound, bound};
use crate::waits::held::{Held, OtherWaits, held};
use crate::waits::links_and_events::{EventHold, LinkHold, event_holds, link_holds};
use crate::waits::load_steps::felt_in;
use crate::waits::series::{WaitSeries, series};
use crate::waits::{LimitWaits, latency_s, waited_s, waits};
use blockyard_record::thresholds::FELT;

/// A limit with a smaller share of the waiting is not the one to raise first.
const WORTH_RAISING: f64 = 0.25;

/// A run as its files have it.
#[derive(Debug)]
pub struct Recorded<'a> {
    /// What stands in `result.json`.
    pub result: &'a RunResult,
    /// The storage of its scenario.
    pub storage: &'a StorageSpec,
    /// The jobs of its scenario.
    pub jobs: &'a [JobSpec],
    /// Seconds at its beginning that totals leave out.
    pub warmup_s: f64,
    /// Its table of volumes; of real storage it has no rows.
    pub volumes: &'a VolumeTable,
}

/// What a run's figures say of its limits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Facts {
    /// What each job was to do, in the scenario's order; none of a service, whose clients come
    /// from outside.
    pub loads: Vec<JobLoad>,
    /// The limits that have a value, device by device, then the hosts'.
    pub limits: Vec<Limit>,
    /// The devices, in the scenario's order.
    pub devices: Vec<Device>,
    /// The jobs with write daemons.
    pub write_daemons: Vec<WriteDaemons>,
    /// The open loops that fell behind.
    pub behind: Vec<Behind>,
    /// What limits did; none of real storage, where none is seen from outside.
    pub modelled: Option<Modelled>,
}

/// What limits did in a run on modelled storage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Modelled {
    /// The share of all latency that IOs waited for limits, before they were issued or after;
    /// 0 without IO.
    pub waited: f64,
    /// The same job by job.
    pub held: Vec<Held>,
    /// The limits that IOs waited for, the one with most first.
    pub waits: Vec<LimitWaits>,
    /// The same over time, the warm-up included, in the order in which they first throttled.
    pub series: Vec<WaitSeries>,
    /// The limits over what did IO that nothing waited for, by their places in
    /// `limits`.
    pub idle: Vec<usize>,
    /// Of these and of baselines below which credits carry the load the one of whose value most
    /// was used; none where that is not recorded.
    pub nearest: Option<usize>,
    /// Credits of volumes and of hosts.
    pub credits: Vec<Credits>,
    /// The devices of which a volume had used its credits up, and such hosts.
    pub used_up: Vec<UsedUp>,
    /// What jobs waited for on links of mirrors, if that is felt, the longest first.
    pub links: Vec<LinkHold>,
    /// The events in which jobs waited, if that is felt.
    pub events: Vec<EventHold>,
    /// Jobs that limits hardly throttled, and links neither.
    pub closed_loops: Vec<ClosedLoop>,
    /// What binds the jobs that do transactions.
    pub transactions: Vec<Bound>,
}

impl Facts {
    /// The same, with what would sustain a load that burst credits carry for a while: `scenario`
    /// is what was run, as text, what errors call it, and overrides.
    #[must_use]
    pub fn with_carriers(mut self, scenario: (&str, &str, &[String])) -> Self {
        if let Some(modelled) = &mut self.modelled {
            add_carriers(&mut modelled.credits, &self.limits, scenario);
        }
        self
    }

    /// The facts of a run.
    ///
    /// # Errors
    /// A line that names what in the result or the table cannot be read.
    pub fn of(run: &Recorded<'_>) -> Result<Self, String> {
        run.volumes.check()?;
        let result = run.result;
        // Clients' jobs are not known.
        let jobs = match result.mode {
            Mode::Emulate | Mode::Observe => &[],
            Mode::Simulate | Mode::Bench => run.jobs,
        };
        let owners = Owners::of(run.storage);
        let mut devices = Device::all(run.storage, &owners, result);
        let mut limits = limits(&result.resolved, &owners, |_| true)?;
        let rates = Rates::of(run.volumes, &owners)?;
        for device in &mut devices {
            device.in_force = rates.over(device, &limits);
        }
        for limit in &mut limits {
            limit.used = match result.mode {
                Mode::Bench | Mode::Observe => usage::done(limit, &result.totals),
                Mode::Simulate | Mode::Emulate => {
                    usage::served(limit, &devices, result, run.volumes, run.warmup_s)
                }
            };
        }
        let modelled = match result.mode {
            Mode::Bench | Mode::Observe => None,
            Mode::Simulate | Mode::Emulate => {
                Some(modelled(run, jobs, &limits, &devices, &owners)?)
            }
        };
        let waits = modelled
            .as_ref()
            .map_or(&[][..], |modelled| &modelled.waits);
        let (links, events) = modelled.as_ref().map_or((&[][..], &[][..]), |modelled| {
            (&modelled.links, &modelled.events)
        });
        let others = OtherWaits { links, events };
        Ok(Self {
            loads: loads(jobs),
            behind: behind(
                Measured {
                    result,
                    jobs: run.jobs,
                    devices: &devices,
                    seconds: result.duration_s - run.warmup_s,
                },
                waits,
                others,
            ),
            limits,
            devices,
            write_daemons: write_daemons(run.jobs, &result.cycles),
            modelled,
        })
    }
}

fn modelled(
    run: &Recorded<'_>,
    jobs: &[JobSpec],
    limits: &[Limit],
    devices: &[Device],
    owners: &Owners,
) -> Result<Modelled, String> {
    let result = run.result;
    let over_time = series(run.volumes, owners)?;
    let interval_s = run.volumes.interval_s();
    let whole_s = latency_s(&result.totals);
    let waited_s: f64 = result.limits.iter().map(waited_s).sum();
    let waited = if whole_s == 0.0 {
        0.0
    } else {
        waited_s / whole_s
    };
    let mut waits = waits(&result.limits, owners)?;
    let equal_volumes = EqualVolumes::of(run.storage);
    let credits = credits(result, run.storage, &equal_volumes, owners)?;
    // Credits hold nothing up before they are used up.
    let used_up_now = |id: &LimitId| {
        let mut gone = credits.iter().filter(|own| own.last_s == Some(0.0));
        gone.any(|own| own.limit == *id)
    };
    let throttled: Vec<_> = waits.iter().map(|one| one.limit.clone()).collect();
    let holds = |id: &LimitId| throttled.contains(id) || used_up_now(id);
    for one in &mut waits {
        one.volumes = equal_volumes.with(&one.volumes);
        explain(one, run, devices, owners, &over_time, waited >= FELT, holds)?;
    }
    let in_force = limits
        .iter()
        .filter(|limit| !limit.limit.kind.credits || holds(&limit.limit));
    let in_force: Vec<_> = in_force.cloned().collect();
    let (links, events) = (link_holds(result), event_holds(result));
    let others = OtherWaits {
        links: &links,
        events: &events,
    };
    let mut idle = idle(result, devices, limits, &waits);
    let nearest = nearest(result, limits, &idle);
    // Whoever spends credits is not throttled yet, but more would make them last.
    let spent = |id: &LimitId| {
        credits
            .iter()
            .any(|own| own.limit == *id && own.last_s.is_some())
    };
    idle.retain(|&place| !spent(&limits[place].limit));
    Ok(Modelled {
        transactions: bound(result, jobs, limits, others, owners)?,
        waited,
        held: held(&result.totals, &waits, others),
        nearest,
        idle,
        credits,
        used_up: used_up(&over_time, interval_s),
        closed_loops: closed_loops(jobs, result, &waits, others, &in_force, devices),
        links,
        events,
        waits,
        series: over_time,
    })
}

/// Adds to what a limit made wait when and where it was felt, and what raising it would bring
/// if waiting was `felt`. `holds` says of limits of credits whether these are used up.
fn explain(
    waits: &mut LimitWaits,
    run: &Recorded<'_>,
    devices: &[Device],
    owners: &Owners,
    over_time: &[WaitSeries],
    felt: bool,
    holds: impl Fn(&LimitId) -> bool,
) -> Result<(), String> {
    let series = over_time.iter().find(|series| series.limit == waits.limit);
    let over = over(waits, run, devices, owners)?;
    let own = over.iter().find(|limit| limit.limit == waits.limit);
    waits.value = own.map(|limit| (limit.value, limit.unit));
    waits.felt_in = felt_in(run.result, run.jobs, series, run.volumes.interval_s());
    waits.while_database_written = series.and_then(|series| written(run, waits, series));
    let served = Served::during(series, run.volumes, devices);
    if let Some((own, others)) = headrooms(waits, &over, devices, &served, holds) {
        let worth = felt && waits.share >= WORTH_RAISING;
        waits.raising = worth.then(|| raising(waits, &own, &others, devices));
        let in_force = others.into_iter().filter(|headroom| headroom.in_force);
        waits.beside = in_force.map(|headroom| headroom.limit).collect();
    }
    Ok(())
}

/// The limits over what waits for a limit: of its own device over the volumes that do, and over
/// the other leg, where it is another's.
fn over(
    waits: &LimitWaits,
    run: &Recorded<'_>,
    devices: &[Device],
    owners: &Owners,
) -> Result<Vec<Limit>, String> {
    let waiting: Vec<_> = waits.volumes.iter().map(String::as_str).collect();
    let others = other_legs(devices, &waiting);
    limits(&run.result.resolved, owners, |volume| {
        waits.limit.is_host()
            || waiting.contains(&volume)
            || (others.contains(&volume) && owners.named(volume) != waits.limit.owner)
    })
}

/// The share of the waits for a limit in intervals in which write daemons wrote the
/// database, where several jobs waited.
fn written(run: &Recorded<'_>, waits: &LimitWaits, series: &WaitSeries) -> Option<f64> {
    let waiting = waits.jobs.iter().filter(|job| job.waited_s > 0.0);
    let interval_s = run.volumes.interval_s();
    let whole_s = series.within_s(&(0.0..run.result.duration_s), interval_s);
    if waiting.count() < 2 || whole_s == 0.0 {
        return None;
    }
    let cycles = run.result.cycles.iter();
    let during = cycles
        .map(|cycle| series.within_s(&(cycle.journal_done_s..cycle.database_done_s), interval_s));
    Some(during.sum::<f64>() / whole_s)
}

/// Of the limits at these places, the one of which most was used: where credits carry the load,
/// the baseline, of which more than all is used.
fn nearest(result: &RunResult, limits: &[Limit], places: &[usize]) -> Option<usize> {
    let share = |&place: &usize| {
        let limit = &limits[place];
        Some((limit.used?.telling(result) / limit.value, place))
    };
    let found = places.iter().filter_map(share);
    let found = found.max_by(|a, b| a.0.total_cmp(&b.0));
    found.map(|(_, place)| place)
}

/// The limits of devices that did IO, and of the hosts of these, that nothing waited for.
fn idle(
    result: &RunResult,
    devices: &[Device],
    limits: &[Limit],
    waits: &[LimitWaits],
) -> Vec<usize> {
    let busy = |device: &&Device| {
        let own = |total: &&Total| total.device == device.name;
        result.totals.iter().filter(own).any(|total| total.ios > 0)
    };
    let busy: Vec<_> = devices.iter().filter(busy).collect();
    let used = |id: &LimitId| match &id.owner {
        Owner::Host(name) => {
            let mut legs = busy.iter().flat_map(|device| &device.legs);
            legs.any(|leg| leg.host == *name)
        }
        _ => busy.iter().any(|device| device.passes(id)),
    };
    let waited_for = |id: &LimitId| waits.iter().any(|waits| waits.limit == *id);
    let found = limits.iter().enumerate();
    let idle = found.filter(|(_, limit)| used(&limit.limit) && !waited_for(&limit.limit));
    idle.map(|(place, _)| place).collect()
}

#[cfg(test)]
mod tests;
