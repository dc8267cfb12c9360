//! What binds the transactions of an engine: where their time goes, and what more of would bring
//! more of them.

pub(crate) mod steady_state;

use blockyard_model::workload::spec::JobSpec;
use blockyard_record::result::{
    EngineIoTotal, EngineIoUse, NodeTotal, ReplicationTotal, RunResult, SpentOn, TimeSpent,
    TransactionTotal,
};
use blockyard_scenario::EventKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::bottleneck::Bottleneck;
use crate::limits::Limit;
use crate::limits::id::LimitId;
use crate::limits::owners::Owners;
use crate::transactions::steady_state::{Unsettled, unsettled};
use crate::waits::held::OtherWaits;
use crate::waits::links_and_events::JobHeld;
use blockyard_record::thresholds::FELT;

/// A limit is full, and processors are busy, from this share of what they can do on.
const FULL: f64 = 0.9;

/// What takes this share of the transactions' time holds them back, full or not: where IO comes
/// in bursts it waits for limits that are not full.
const MUCH: f64 = 0.25;

/// A latency that is this share of the time is what to shorten, where nothing is full.
const MOST: f64 = 0.5;

/// What binds the transactions of a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Bound {
    /// The job.
    pub job: String,
    /// What binds them; none of an open loop that keeps up with nothing at its limit, whatever was
    /// refused, if no transaction ended, or if the engine stopped.
    pub by: Option<Bottleneck>,
    /// Whether more threads would bring more: nothing is at its limit.
    pub more_threads: bool,
    /// What their time goes to, the longest first; in an open loop the time in which they wait
    /// for a thread goes to what threads are held by. The shares are of the whole.
    pub parts: Vec<Part>,
    /// Of an open loop that falls behind, or is refused: how far.
    pub short: Option<Short>,
    /// What of the engine had not settled by the end, so that its figures may yet shift.
    pub unsettled: Vec<Unsettled>,
}

/// A part of the transactions' time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "BoundPart")]
pub struct Part {
    /// What holds them in it.
    pub by: Bottleneck,
    /// Its share.
    pub share: f64,
}

/// How far an open loop falls behind.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Short {
    /// Transactions a second that came due.
    pub due_per_s: f64,
    /// Transactions a second that were done.
    pub done_per_s: f64,
    /// Roughly how long those that came due last wait for a thread, in seconds.
    pub wait_s: f64,
}

/// What binds each job of `result` that does transactions; `limits` with how much of them was
/// used.
///
/// # Errors
/// A line that names what is no limit.
pub(crate) fn bound(
    result: &RunResult,
    jobs: &[JobSpec],
    limits: &[Limit],
    others: OtherWaits<'_>,
    owners: &Owners,
) -> Result<Vec<Bound>, String> {
    let totals = result.transactions.iter().enumerate();
    let of = |(index, total): (usize, &TransactionTotal)| {
        let place = |error| format!("transactions[{index}].io: {error}");
        let spec = jobs.iter().find(|spec| spec.name() == total.job);
        let engine = spec.and_then(JobSpec::transactions);
        let cores = engine.map(|engine| f64::from(engine.cores));
        let pauses = pauses(result, total);
        let parts = parts(total, others, &pauses, owners).map_err(place)?;
        let full = full(total, cores, &parts, limits);
        let short = short(total);
        // No storage, and no more threads, brings back an engine that has stopped.
        let late = short.filter(|it| is_late(total, it));
        let free = total.count == 0 || total.has_stopped() || keeps_up(total, late);
        let apart = was_apart(total, &parts);
        Ok(Bound {
            job: total.job.clone(),
            more_threads: full.is_none() && !free && !apart,
            by: match full {
                _ if total.has_stopped() => None,
                Some(by) => Some(by),
                None if free => None,
                None if apart => Some(Bottleneck::Replication),
                None => Some(latency(&parts).unwrap_or(Bottleneck::Threads)),
            },
            parts,
            short,
            unsettled: unsettled(total, engine),
        })
    };
    totals.map(of).collect()
}

/// Whether nodes of its group did not reach each other for a time, in which nothing commits: of
/// semi-synchronous replicas until commits wait for them no more. Or transactions wait for others
/// to the end, or nothing was committed for a time and most of it goes to others, as of a
/// standby that commits need.
fn was_apart(total: &TransactionTotal, parts: &[Part]) -> bool {
    let of_others = |part: &Part| part.by == Bottleneck::Replication;
    let is_apart = |group: &ReplicationTotal| {
        let known_s = group.silent_s + group.without_quorum_s + group.asynchronous_s;
        known_s > 0.0 || (total.outage_s > 0.0 && parts.first().is_some_and(of_others))
    };
    total.held > 0 || total.replication.as_ref().is_some_and(is_apart)
}

/// What the time goes to, the longest first.
fn parts(
    total: &TransactionTotal,
    others: OtherWaits<'_>,
    pauses: &[(Bottleneck, f64)],
    owners: &Owners,
) -> Result<Vec<Part>, String> {
    let mut found: Vec<Part> = Vec::new();
    let paused = total.time.iter().find(|it| it.on == SpentOn::Pause);
    let paused = paused.map_or(0.0, |it| it.share);
    for (by, part) in pauses {
        add(&mut found, by.clone(), part * paused);
    }
    let own = |io: &EngineIoTotal| others.behind(&total.job, io);
    add_parts(&mut found, &total.time, &total.io, own, owners)?;
    let held = total.time.iter().find(|it| it.on == SpentOn::FlowControl);
    if let Some(held) = held {
        add_behind(&mut found, held.share, total, owners)?;
    }
    let whole: f64 = found.iter().map(|part| part.share).sum();
    found.retain(|part| part.share > 0.0);
    found.iter_mut().for_each(|part| part.share /= whole);
    found.sort_by(|a, b| b.share.total_cmp(&a.share));
    Ok(found)
}

/// The pauses of the host of a job's engine, each with its part of their time: of other hosts than
/// its replicas' where there are any. Processor cores if no event tells.
fn pauses(result: &RunResult, total: &TransactionTotal) -> Vec<(Bottleneck, f64)> {
    let is_storage = |on: &str| {
        result.volumes.iter().any(|it| it.name == on)
            || result.totals.iter().any(|it| it.device == on)
    };
    let nodes = || total.replication.iter().flat_map(|it| &it.nodes);
    let is_replica = |on: &str| nodes().any(|it| it.host == on);
    let all = result.events.iter().enumerate().filter_map(|(event, it)| {
        let on = it.on.as_deref().filter(|on| !is_storage(on))?;
        let until_s = it
            .until_s
            .unwrap_or(result.duration_s)
            .min(result.duration_s);
        let is_pause = it.kind == EventKind::Pause && until_s > it.t_s;
        is_pause.then(|| (is_replica(on), event, until_s - it.t_s))
    });
    let all: Vec<_> = all.collect();
    let has_own = all.iter().any(|it| !it.0);
    let own: Vec<_> = all.into_iter().filter(|it| !(it.0 && has_own)).collect();
    let whole_s: f64 = own.iter().map(|it| it.2).sum();
    if own.is_empty() {
        return vec![(Bottleneck::Cpu, 1.0)];
    }
    let part =
        |(_, event, time_s): (bool, usize, f64)| (Bottleneck::Event { event }, time_s / whole_s);
    own.into_iter().map(part).collect()
}

/// A share of the time in which the group is stopped goes to what holds the node that stopped it
/// longest: to limits that throttle its IO, and else to flow control.
fn add_behind(
    found: &mut Vec<Part>,
    share: f64,
    total: &TransactionTotal,
    owners: &Owners,
) -> Result<(), String> {
    let nodes = total.replication.iter().flat_map(|it| &it.nodes);
    let slowest = nodes.max_by(|a, b| a.stopped_s.total_cmp(&b.stopped_s));
    let mut own = Vec::new();
    if let Some(NodeTotal { time, io, .. }) = slowest {
        // What is in the queue, and what waits for its turn, waits for what is at work.
        let is_work = |it: &&TimeSpent| !matches!(it.on, SpentOn::Thread | SpentOn::Replication);
        let time: Vec<_> = time.iter().filter(is_work).copied().collect();
        add_parts(&mut own, &time, io, |_| Vec::new(), owners)?;
    }
    let whole: f64 = own.iter().map(|part: &Part| part.share).sum();
    let mut left = 1.0;
    for part in own {
        if let Bottleneck::Limit { .. } = part.by {
            let of_whole = part.share / whole;
            add(found, part.by, share * of_whole);
            left -= of_whole;
        }
    }
    add(found, Bottleneck::FlowControl, share * left.max(0.0));
    Ok(())
}

/// Adds what time goes to, of these IOs, each of which `behind` holds beside limits.
fn add_parts(
    found: &mut Vec<Part>,
    time: &[TimeSpent],
    ios: &[EngineIoTotal],
    behind: impl Fn(&EngineIoTotal) -> Vec<(Bottleneck, f64)>,
    owners: &Owners,
) -> Result<(), String> {
    for spent in time {
        let (purpose, rest) = match spent.on {
            // Who waits for a thread waits for what threads are held by.
            SpentOn::Thread | SpentOn::FlowControl | SpentOn::Pause => continue,
            SpentOn::Core | SpentOn::Cpu => (None, Bottleneck::Cpu),
            SpentOn::FreePage => (Some(EngineIoUse::PageWrite), Bottleneck::Writes),
            SpentOn::PageRead => (Some(EngineIoUse::PageRead), Bottleneck::Reads),
            SpentOn::LogSpace => (Some(EngineIoUse::PageWrite), Bottleneck::LogSpace),
            SpentOn::Commit => (Some(EngineIoUse::Log), Bottleneck::Commit),
            SpentOn::Replication => (None, Bottleneck::Replication),
        };
        let io = purpose.and_then(|purpose| ios.iter().find(|io| io.purpose == purpose));
        let mut left = 1.0;
        for by in io.map_or(&[][..], |io| &io.throttled) {
            let limit = LimitId::named(&by.owner, &by.limit, owners)?;
            add(found, Bottleneck::Limit { limit }, by.share * spent.share);
            left -= by.share;
        }
        for (by, share) in io.map_or(Vec::new(), &behind) {
            add(found, by, share * spent.share);
            left -= share;
        }
        add(found, rest, left.max(0.0) * spent.share);
    }
    Ok(())
}

impl OtherWaits<'_> {
    /// What held some IO of a job that is no limit and is felt, each with its share of the
    /// latency: where several events or links held the job, by how much each did.
    fn behind(&self, job: &str, io: &EngineIoTotal) -> Vec<(Bottleneck, f64)> {
        let of = |jobs: &[JobHeld]| Some(jobs.iter().find(|own| own.job == job)?.waited);
        let events = self.events.iter().filter_map(|hold| {
            let event = hold.event;
            Some((Bottleneck::Event { event }, of(&hold.jobs)?))
        });
        let links = self.links.iter().enumerate();
        let links =
            links.filter_map(|(place, hold)| Some((Bottleneck::Link { place }, of(&hold.jobs)?)));
        let shared = |held: Vec<(Bottleneck, f64)>, share: f64| {
            let whole: f64 = held.iter().map(|(_, waited)| waited).sum();
            let each = held.into_iter();
            each.map(move |(by, waited)| (by, share * waited / whole))
        };
        let events = shared(events.collect(), io.in_events);
        events.chain(shared(links.collect(), io.on_links)).collect()
    }
}

fn add(parts: &mut Vec<Part>, by: Bottleneck, share: f64) {
    match parts.iter_mut().find(|known| known.by == by) {
        Some(known) => known.share += share,
        None => parts.push(Part { by, share }),
    }
}

/// Of what can do no more the one that holds transactions longest.
fn full(
    total: &TransactionTotal,
    cores: Option<f64>,
    parts: &[Part],
    limits: &[Limit],
) -> Option<Bottleneck> {
    let holds = |part: &&Part| match &part.by {
        Bottleneck::Limit { limit } => {
            part.share >= MUCH || part.share >= FELT && is_full(limit, limits)
        }
        Bottleneck::Cpu => is_busy(total, cores),
        Bottleneck::Writes | Bottleneck::LogSpace | Bottleneck::FlowControl => part.share >= MUCH,
        Bottleneck::Event { .. } | Bottleneck::Link { .. } => part.share >= MUCH,
        // The storage's own latency and the load are no part of the layout that is full.
        Bottleneck::InFlight { .. }
        | Bottleneck::Reads
        | Bottleneck::Commit
        | Bottleneck::Replication
        | Bottleneck::Threads => false,
    };
    Some(parts.iter().find(holds)?.by.clone())
}

/// Whether nearly all of a limit was used; one of credits throttles only what finds none left.
fn is_full(id: &LimitId, limits: &[Limit]) -> bool {
    let own = limits.iter().find(|limit| limit.limit == *id);
    let used = own.and_then(|limit| Some(limit.used?.mean / limit.value));
    id.kind.credits || used.is_none_or(|used| used >= FULL)
}

/// Whether transactions wait for a core, or would if there were more of them.
fn is_busy(total: &TransactionTotal, cores: Option<f64>) -> bool {
    let spent = |on| total.time.iter().find(|spent| spent.on == on);
    let queued = spent(SpentOn::Core).map_or(0.0, |spent| spent.share);
    let work_s = spent(SpentOn::Cpu).map_or(0.0, |spent| spent.ms / 1e3);
    let busy = cores.map_or(0.0, |cores| total.tps * work_s / cores);
    busy >= FULL || queued >= MUCH
}

/// Where nothing is full, a latency of the engine's own making that is most of the time.
fn latency(parts: &[Part]) -> Option<Bottleneck> {
    let first = parts.first().filter(|part| part.share >= MOST)?;
    matches!(first.by, Bottleneck::Commit | Bottleneck::Replication).then(|| first.by.clone())
}

/// Whether an open loop does what comes due, without waiting for threads.
fn keeps_up(total: &TransactionTotal, short: Option<Short>) -> bool {
    let is_open = total.steps.iter().any(|step| step.rate.is_some());
    let mut waits = total
        .time
        .iter()
        .filter(|spent| spent.on == SpentOn::Thread);
    is_open && short.is_none() && waits.all(|spent| spent.share < FELT)
}

/// How far an open loop is behind at the end, or what was refused, if by a second or more.
fn short(total: &TransactionTotal) -> Option<Short> {
    let mut times: (f64, f64) = (0.0, 0.0);
    for step in &total.steps {
        let seconds = step.to_s - step.from_s;
        times = (times.0 + seconds, times.1 + seconds * step.rate? as f64);
    }
    let last = total.steps.last()?;
    let undone = total.waiting + total.refused + total.held;
    let due_per_s = match times.1 / times.0 {
        // By chance more came due than the schedule has in the mean.
        due_per_s if total.tps > due_per_s => total.tps + total.refused as f64 / times.0,
        due_per_s => due_per_s,
    };
    let is_behind = undone as f64 >= due_per_s.max(1.0);
    is_behind.then(|| Short {
        due_per_s,
        done_per_s: total.tps,
        wait_s: total.waiting as f64 / last.tps.max(1.0 / (last.to_s - last.from_s)),
    })
}

/// Whether what came due waits at the end: what was refused as nobody served does not.
fn is_late(total: &TransactionTotal, short: &Short) -> bool {
    (total.waiting + total.held) as f64 >= short.due_per_s.max(1.0)
}

#[cfg(test)]
mod tests;
