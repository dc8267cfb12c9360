//! What each job asked for and got, in a clause.

use blockyard_explain::{ClosedLoop, Facts, Held, Kind, LimitId, WriteDaemons};
use blockyard_model::spec::Unit;
use blockyard_record::result::{Mode, OpenLoop, RunResult};
use indexmap::IndexSet;

use super::amounts::end_of;
use super::clause::{Clause, between};
use super::fallen_behind;
use super::job_bottleneck::{felt_in, limited_by, named, throttled_by};
use super::network::own_latency;
use super::outcome::{Outcome, said};
use super::phrases::{amount, share};
use super::run_bottleneck::nearest;
use super::transaction_bottleneck;
use crate::text::format::{count, duration, latency, rate};
use crate::text::limit_names::in_words;

/// For less time without commits updates are hardly fewer.
const STOOD_S: f64 = 1.0;

/// Tells of the jobs of a run; `brief` where there is little room.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Teller<'a> {
    pub(crate) result: &'a RunResult,
    pub(crate) facts: &'a Facts,
    pub(crate) brief: bool,
}

impl Teller<'_> {
    /// A clause for each job that asked for IO, and for those that did some.
    pub(crate) fn clauses(&self) -> Vec<Clause> {
        let asked = self.facts.loads.iter().map(|own| own.job.as_str());
        let did = self.result.totals.iter().map(|total| total.job.as_str());
        let jobs: IndexSet<_> = asked.chain(did).collect();
        jobs.into_iter().map(|job| self.clause(job)).collect()
    }

    fn clause(&self, job: &str) -> Clause {
        let mut loads = self.facts.loads.iter();
        let Some(own) = loads.find(|own| own.job == job) else {
            return self.unknown(job);
        };
        match &own.load {
            Kind::Closed {
                processes,
                outstanding,
            } => self.closed(job, *processes, *outstanding),
            Kind::Open { per_s } => self.open(job, *per_s),
            Kind::Database {
                processes,
                updates_per_s,
            } => self.database(job, *processes, *updates_per_s),
            Kind::Transactions { threads, per_s } => {
                let load = (*threads, *per_s);
                transaction_bottleneck::clause(self.result, self.facts, job, load, self.brief)
            }
        }
    }

    /// One of two words: of a simulation, which can be made again, in the present tense.
    pub(crate) fn tense(&self, present: &'static str, past: &'static str) -> &'static str {
        match self.result.mode {
            Mode::Simulate => present,
            Mode::Bench | Mode::Emulate | Mode::Observe => past,
        }
    }

    /// The limits that throttle a job, with the first of them.
    fn throttle(&self, job: &str) -> Option<(&Held, &LimitId)> {
        let held = throttled_by(self.facts, job)?;
        Some((held, &held.limits.first()?.limit))
    }

    /// The IOPS of a job, and its latency; its flushes a second, if it did nothing else.
    fn figures(&self, job: &str) -> (String, String) {
        let flushes = Outcome::of_flushes_alone(self.result, job);
        if !flushes.totals.is_empty() {
            let tail = self.brief.then_some("");
            let rate = rate(flushes.iops());
            return (format!("{rate} flushes/s"), flushes.latency(tail));
        }
        let throttle = self.throttle(job);
        let bytes_too = throttle.is_some_and(|(_, limit)| limit.kind.counts == Unit::Byte);
        let (iops, at) = said(self.result, job, bytes_too, self.brief);
        (iops, at + &self.flushes(job))
    }

    /// How long a flush takes, which is what commits wait for.
    fn flushes(&self, job: &str) -> String {
        let own = self.result.totals.iter();
        let own = own.filter(|one| one.job == job && one.op == "flush" && one.ios > 0);
        let times = own.filter_map(|one| Some(one.latency_us?.mean));
        let slowest = times.fold(0.0, f64::max);
        if slowest == 0.0 {
            return String::new();
        }
        format!(" and flushes of {}", latency(slowest))
    }

    /// Clients from outside.
    fn unknown(&self, job: &str) -> Clause {
        let (iops, at) = self.figures(job);
        self.with_limit(job, format!("{job} got {iops}{at}"))
    }

    fn closed(&self, job: &str, (least, most): (u64, u64), outstanding: u32) -> Clause {
        let mut who = format!("{} of {job}", processes(least, most));
        if outstanding > 1 && !self.brief {
            let each = if most > 1 { "each " } else { "" };
            who += &format!(" with {} IOs {each}in flight", count(outstanding.into()));
        }
        let get = self.tense(if most == 1 { "gets" } else { "get" }, "got");
        let mut own = self.result.totals.iter();
        if !own.any(|total| total.job == job && total.ios > 0) {
            let suffers = if most > 0 { (2, 1.0) } else { (0, 0.0) };
            return Clause::new(job, format!("{who} {get} no IO done"), suffers);
        }
        let (iops, at) = self.figures(job);
        let end = end_of(self.result, job);
        self.with_limit(job, format!("{who} {get} {iops}{at}{end}"))
    }

    /// With the bottleneck of a job, or why it has none.
    fn with_limit(&self, job: &str, text: String) -> Clause {
        if let Some((held, limit)) = self.throttle(job) {
            let felt = felt_in(self.result, self.facts, limit);
            let part = if felt.is_empty() {
                self.of_latency(held.waited)
            } else {
                String::new()
            };
            return Clause {
                by: named(self.facts, limit) + &felt,
                part,
                ..Clause::new(job, text, (1, held.waited))
            };
        }
        let own = 1e-12 * Outcome::of_job(self.result, job).waited();
        let free = Clause::new(job, text, (0, own));
        let Some(modelled) = &self.facts.modelled else {
            return free;
        };
        let mut loops = modelled.closed_loops.iter();
        if let Some(own) = loops.find(|own| own.job == job) {
            return Clause {
                after: self.own_time(own),
                ..free
            };
        }
        if let Some((by, how, waited)) = limited_by(self.result, self.facts, job) {
            return Clause {
                suffers: (1, waited),
                by,
                part: self.of_latency(waited),
                how,
                ..free
            };
        }
        Clause {
            after: ", no limit reached".to_owned(),
            ..free
        }
    }

    /// `: 60% of the latency`, where there is room.
    fn of_latency(&self, waited: f64) -> String {
        if self.brief {
            return String::new();
        }
        format!(": {} of the latency", share(waited))
    }

    /// Of a job that nothing throttles whose latency it has, and how it would reach a limit.
    fn own_time(&self, own: &ClosedLoop) -> String {
        let latency = own_latency(self.result, &own.job);
        let Some(reach) = &own.reach else {
            return format!(", {latency}");
        };
        let (processes, limit) = (count(reach.processes), in_words(&reach.limit));
        let value = amount(reach.value);
        format!(", {latency}; {processes} processes would reach {limit} ({value})")
    }

    fn open(&self, job: &str, (least, most): (u64, u64)) -> Clause {
        let mut fallen = self.facts.behind.iter();
        if let Some(own) = fallen.find(|own| own.job == job) {
            return fallen_behind::clause(self, own);
        }
        let mut loops = self.result.open_loop.iter();
        let part = part_served(loops.find(|own| own.job == job));
        let (due, are) = (between(least, most), self.tense("are", "were"));
        let (_, at) = self.figures(job);
        let text = format!("{part} {due} IOPS due of {job} {are} served{at}");
        if let Some((held, limit)) = self.throttle(job) {
            let (waited, limit) = (held.waited, named(self.facts, limit));
            let text = format!("{text}, {} of it waiting for {limit}", share(waited));
            return Clause::new(job, text, (1, waited));
        }
        if let Some((by, _, waited)) = limited_by(self.result, self.facts, job) {
            let text = format!("{text}, {} of it by {by}", share(waited));
            return Clause::new(job, text, (1, waited));
        }
        let after = if self.facts.modelled.is_some() {
            format!(", no limit reached{}", nearest(self.result, self.facts))
        } else {
            String::new()
        };
        Clause {
            after,
            ..Clause::new(job, text, (0, 0.0))
        }
    }

    fn database(&self, job: &str, (least, most): (u64, u64), updates_per_s: u64) -> Clause {
        let mut mirrors = self.result.journal_mirrors.iter();
        // How many were made while some could not be committed is not known.
        let does = match mirrors.any(|own| own.job == job && own.paused_s >= STOOD_S) {
            true if most == 1 => self.tense("is to make", "was to make"),
            true => self.tense("are to make", "were to make"),
            false => self.tense(if most == 1 { "makes" } else { "make" }, "made"),
        };
        let up_to = if least < most { "up to " } else { "" };
        let (processes, updates) = (processes(least, most), count(updates_per_s));
        let who = format!("{processes} of {job} {does} {up_to}{updates} updates a second");
        let mut daemons = self.facts.write_daemons.iter();
        let ended = |own: &&WriteDaemons| own.job == job && own.cycles > 0;
        let Some(daemons) = daemons.find(ended) else {
            let text = format!("{who}, before a write-daemon cycle ended");
            return Clause::new(job, text, (0, 0.0));
        };
        let (longest, every) = (duration(daemons.longest_s), duration(daemons.every_s));
        let text = if self.brief {
            format!("{who} in cycles of up to {longest} of their {every}")
        } else {
            let took = self.tense("takes", "took");
            format!("{who}, and a write-daemon cycle {took} up to {longest} of its {every}")
        };
        let bad = if daemons.over > 0 { 2 } else { 0 };
        match self.throttle(job) {
            Some((_, limit)) if daemons.over > 0 => {
                let part = daemons.over as f64 / daemons.cycles as f64;
                Clause {
                    by: named(self.facts, limit),
                    ..Clause::new(job, text, (bad, part))
                }
            }
            // Cycles that end in time are not throttled, however long their writes wait.
            Some((_, limit)) => {
                let text = format!("{text}, in time though they wait for {}", in_words(limit));
                Clause {
                    waits: true,
                    ..Clause::new(job, text, (bad, 0.0))
                }
            }
            None => Clause::new(job, text, (bad, 0.0)),
        }
    }
}

/// `1 to 4 processes`, `1 process`.
fn processes(least: u64, most: u64) -> String {
    let noun = if most == 1 { "process" } else { "processes" };
    format!("{} {noun}", between(least, most))
}

/// Of an open loop that did not fall behind: `all`, `97% of the`.
fn part_served(own: Option<&OpenLoop>) -> String {
    match own {
        Some(own) if own.skipped + own.failed > 0 => {
            let undone = (own.skipped + own.failed) as f64;
            let served = share(1.0 - undone / own.offered as f64);
            format!("{served} of the")
        }
        _ => "all".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_failed_or_was_skipped_is_not_served() {
        let part = |skipped, failed| {
            part_served(Some(&OpenLoop {
                job: "load".to_owned(),
                offered: 1000,
                served: 1000 - skipped - failed,
                failed,
                backlog: 0,
                late: 0,
                skipped,
                lag_us: None,
                own_lag_s: 0.0,
                behind: None,
            }))
        };
        assert_eq!(part(0, 0), "all");
        assert_eq!(part(30, 0), "97% of the");
        assert_eq!(part(30, 300), "67% of the");
    }
}
