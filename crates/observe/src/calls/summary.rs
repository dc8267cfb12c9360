//! What calls add up to: by kind, and by who made them.

use std::collections::BTreeMap;

use blockyard_machine::Thread;
use blockyard_model::units::{Nanos, SECOND};
use blockyard_record::Histogram;
use blockyard_record::result::{CallKind, Caller, CallingThread, LatencyUs};

use super::call::Call;
use super::kinds::CALLS;

/// Threads that are listed one by one.
const LISTED: usize = 100;

/// All calls so far.
#[derive(Debug, Default)]
pub(super) struct Summary {
    kinds: BTreeMap<usize, OfKind>,
    threads: BTreeMap<u32, OfThread>,
    /// By name of the thread: the time from a wait to the next.
    thinks: BTreeMap<String, Histogram>,
}

#[derive(Debug, Default)]
struct OfKind {
    failed: u64,
    bytes: u64,
    latency: Histogram,
    with_io: u64,
    ios: u64,
    io_time: Histogram,
}

#[derive(Debug, Default)]
struct OfThread {
    pid: u32,
    name: String,
    calls: u64,
    waits: u64,
    waiting: Nanos,
    ios: u64,
    /// IOs that ended after their call.
    left: u64,
    thinks: u64,
    thinking: Nanos,
    /// The end of the last wait.
    last: Option<Nanos>,
}

impl Summary {
    /// Adds a call, later than those of its thread before.
    pub(super) fn add(&mut self, call: &Call, who: &Thread) {
        let kind = self.kinds.entry(call.call).or_default();
        kind.failed += u64::from(call.result < 0);
        kind.bytes += if moves_bytes(call.call) {
            u64::try_from(call.result).unwrap_or(0)
        } else {
            0
        };
        kind.latency.record(call.end - call.start);
        if call.ios.count > 0 {
            kind.with_io += 1;
            kind.ios += u64::from(call.ios.count);
            kind.io_time.record(call.ios.time);
        }
        let thread = self.threads.entry(call.thread).or_insert_with(|| OfThread {
            pid: who.pid,
            name: who.name.clone(),
            ..OfThread::default()
        });
        thread.calls += 1;
        thread.ios += u64::from(call.ios.count);
        thread.left += u64::from(call.ios.count - call.ios.waited);
        if !call.waits() {
            return;
        }
        thread.waits += 1;
        thread.waiting += call.end - call.start;
        if let Some(last) = thread.last.replace(call.end) {
            let think = call.start.saturating_sub(last);
            thread.thinks += 1;
            thread.thinking += think;
            let thinks = self.thinks.entry(thread.name.clone()).or_default();
            thinks.record(think);
        }
    }

    /// By kind, most calls first.
    pub(super) fn kinds(&self) -> Vec<CallKind> {
        let found = self.kinds.iter().filter_map(|(call, of)| {
            Some(CallKind {
                call: CALLS[*call].0.into(),
                calls: of.latency.count(),
                failed: of.failed,
                bytes: of.bytes,
                latency_us: LatencyUs::of(&of.latency)?,
                with_io: of.with_io,
                ios: of.ios,
                io_us: LatencyUs::of(&of.io_time),
            })
        });
        let mut found: Vec<_> = found.collect();
        found.sort_by_key(|one| std::cmp::Reverse(one.calls));
        found
    }

    /// By the threads' name, those that waited longest first.
    pub(super) fn callers(&self) -> Vec<Caller> {
        let mut found: BTreeMap<&str, Caller> = BTreeMap::new();
        for thread in self.threads.values() {
            let caller = found.entry(&thread.name).or_insert_with(|| Caller {
                name: thread.name.clone(),
                think_us: self.thinks.get(&thread.name).and_then(LatencyUs::of),
                ..Caller::default()
            });
            caller.threads += 1;
            caller.calls += thread.calls;
            caller.waits += thread.waits;
            caller.waiting_s += seconds(thread.waiting);
            caller.ios += thread.ios;
            caller.left += thread.left;
        }
        let mut found: Vec<_> = found.into_values().collect();
        found.sort_by(|one, other| other.waiting_s.total_cmp(&one.waiting_s));
        found
    }

    /// Those threads that waited longest.
    pub(super) fn threads(&self) -> Vec<CallingThread> {
        let mut all: Vec<_> = self.threads.iter().collect();
        all.sort_by_key(|(number, of)| (std::cmp::Reverse(of.waiting), **number));
        let listed = all.into_iter().take(LISTED);
        let listed = listed.map(|(number, of)| CallingThread {
            thread: *number,
            pid: of.pid,
            name: of.name.clone(),
            calls: of.calls,
            waits: of.waits,
            waiting_s: seconds(of.waiting),
            think_mean_us: (of.thinks > 0).then(|| of.thinking as f64 / 1e3 / of.thinks as f64),
        });
        listed.collect()
    }
}

/// Whether what a call gives is a number of bytes.
fn moves_bytes(call: usize) -> bool {
    CALLS[call].1 == super::kinds::Kind::Moves
}

fn seconds(time: Nanos) -> f64 {
    time as f64 / SECOND as f64
}
