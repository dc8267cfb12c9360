//! Puts together what the threads counted, interval by interval.

use std::collections::VecDeque;

use blockyard_model::units::Nanos;
use blockyard_model::workload::{Backlog, Fact};
use blockyard_record::{Histogram, Interval, IntervalCounts, Recorder};

use crate::worker::{Ended, Report};

/// What was reported and not yet recorded.
#[derive(Debug)]
pub(super) struct Collected {
    threads: Vec<Thread>,
    /// The running intervals, the oldest first.
    intervals: VecDeque<Gathered>,
    /// Number of the oldest.
    first: u64,
    ended: Vec<Ended>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Thread {
    /// Intervals that it has reported.
    reported: u64,
    ended: bool,
}

#[derive(Debug, Default)]
struct Gathered {
    end: Nanos,
    counts: Vec<IntervalCounts>,
    facts: Vec<(u16, Fact)>,
}

impl Collected {
    pub(super) fn new(threads: usize) -> Self {
        Self {
            threads: vec![Thread::default(); threads],
            intervals: VecDeque::new(),
            first: 0,
            ended: Vec::new(),
        }
    }

    /// Threads that have not ended.
    pub(super) fn running(&self) -> usize {
        self.threads.iter().filter(|thread| !thread.ended).count()
    }

    /// How those that have ended did.
    pub(super) fn into_ended(self) -> Vec<Ended> {
        self.ended
    }

    pub(super) fn take_in(&mut self, thread: usize, report: Report) {
        match report {
            Report::Ready(_) => {}
            Report::Interval {
                index,
                end,
                counts,
                facts,
            } => {
                self.threads[thread].reported = index + 1;
                let place = (index - self.first) as usize;
                if self.intervals.len() <= place {
                    self.intervals.resize_with(place + 1, Gathered::default);
                }
                let gathered = &mut self.intervals[place];
                // A thread that was stopped closes its last interval early.
                gathered.end = gathered.end.max(end);
                gathered.counts.push(counts);
                gathered.facts.extend(facts);
            }
            Report::Ended(ended) => {
                self.threads[thread].ended = true;
                self.ended.push(ended);
            }
        }
    }

    /// Records the oldest interval if all threads have reported it or have
    /// ended before it.
    pub(super) fn next_interval(&mut self, recorder: &mut Recorder) -> Option<Interval> {
        let done = |thread: &Thread| thread.ended || thread.reported > self.first;
        if self.intervals.is_empty() || !self.threads.iter().all(done) {
            return None;
        }
        let gathered = self.intervals.pop_front()?;
        self.first += 1;
        for counts in &gathered.counts {
            recorder.add(counts);
        }
        for (job, fact) in gathered.facts {
            recorder.fact(usize::from(job), fact);
        }
        Some(recorder.end_interval(gathered.end))
    }
}

/// How late the alarms of all threads went off.
pub(super) fn lateness(ended: &[Ended]) -> Histogram {
    let mut all = Histogram::default();
    ended.iter().for_each(|ended| all.merge(&ended.lateness));
    all
}

/// Each job's backlog, as the thread that had the job reported it.
pub(super) fn backlogs(jobs: usize, ended: &[Ended]) -> Vec<Option<Backlog>> {
    let mut backlogs = vec![None; jobs];
    for (job, backlog) in ended.iter().flat_map(|ended| &ended.backlogs) {
        if backlog.is_some() {
            backlogs[usize::from(*job)] = *backlog;
        }
    }
    backlogs
}
