//! What held whose IOs: limits, links and pauses.

use std::collections::BTreeMap;

use blockyard_model::network::Wait;
use blockyard_model::storage::{LimitId, LimitInfo, LinkWait, Requester};
use blockyard_model::units::Nanos;

use crate::measure::counters::Slots;
use crate::measure::shape::{JobShape, RunShape};
use crate::measure::storage::by_job::ByJob;
use crate::result::{Held, JobShare, LimitTotal, seconds};

/// A link by number, the end that sent, and what for.
type OnLink = (usize, usize, usize);

/// What held whose IOs, and who took the tokens of limits meanwhile.
#[derive(Clone, Debug)]
pub(crate) struct ThrottleStats {
    limits: Vec<OfLimit>,
    links: BTreeMap<OnLink, ByJob>,
    /// By number of the event that paused what they were for.
    events: BTreeMap<usize, ByJob>,
    /// Job by job: what IOs of the running interval waited in events before they were issued.
    lags_in_events: Vec<u128>,
    /// Job by job: what its IOs waited before they were issued that nothing explains.
    own_lags: Vec<u128>,
}

#[derive(Clone, Debug)]
struct OfLimit {
    ios: u64,
    throttled: Nanos,
    by_job: ByJob,
    /// Job by job.
    took: Vec<u64>,
    resync_took: u64,
}

impl ThrottleStats {
    pub(crate) fn new(limits: usize, jobs: usize) -> Self {
        let stats = OfLimit {
            ios: 0,
            throttled: 0,
            by_job: ByJob::new(jobs),
            took: vec![0; jobs],
            resync_took: 0,
        };
        Self {
            lags_in_events: vec![0; jobs],
            own_lags: vec![0; jobs],
            limits: vec![stats; limits],
            links: BTreeMap::new(),
            events: BTreeMap::new(),
        }
    }

    /// `limit` throttled `ios` IOs of `job`, for `throttled` in all.
    pub(crate) fn throttled(&mut self, limit: LimitId, job: usize, ios: u64, throttled: Nanos) {
        let stats = &mut self.limits[limit.index()];
        stats.ios += ios;
        stats.throttled += throttled;
        stats.by_job.add(job, throttled);
    }

    /// A link held IOs of a job.
    pub(crate) fn held_by_link(&mut self, wait: &LinkWait) {
        let jobs = self.own_lags.len();
        let key = (wait.link, wait.from, wait.cause as usize);
        let held = self.links.entry(key).or_insert_with(|| ByJob::new(jobs));
        held.add(usize::from(wait.job), wait.time);
    }

    /// An event paused or slowed down what IOs of a job were for.
    pub(crate) fn paused(&mut self, event: usize, job: usize, time: Nanos) {
        let jobs = self.own_lags.len();
        let held = self.events.entry(event).or_insert_with(|| ByJob::new(jobs));
        held.add(job, time);
    }

    /// IOs of a job waited in an event before they were issued.
    pub(crate) fn lagged_in_event(&mut self, event: usize, job: usize, time: Nanos) {
        let jobs = self.own_lags.len();
        let held = self.events.entry(event).or_insert_with(|| ByJob::new(jobs));
        held.lags[job] += u128::from(time);
        self.lags_in_events[job] += u128::from(time);
    }

    fn all(&mut self) -> impl Iterator<Item = &mut ByJob> {
        let limits = self.limits.iter_mut().map(|stats| &mut stats.by_job);
        let others = self.links.values_mut().chain(self.events.values_mut());
        limits.chain(others)
    }

    /// An interval of `job` ended in which IOs that had done this completed.
    ///
    /// IOs wait before they are issued as all that may be in flight are, and do not leave in
    /// time. If they spend most of theirs held by limits, links or pauses, these are why, each in
    /// proportion; else the storage's own latency is. Which volume an IO itself goes to says
    /// nothing: on a stripe those in flight wait for one and keep out those for another.
    pub(crate) fn end_interval(&mut self, job: usize, slots: Slots) {
        let held = self.all().map(|by_job| u128::from(by_job.in_interval[job]));
        let all: u128 = held.sum();
        let is_held = 2 * all > slots.in_flight;
        let in_events = std::mem::take(&mut self.lags_in_events[job]);
        let lag = slots.lag.saturating_sub(in_events);
        if !is_held {
            self.own_lags[job] += lag;
        }
        let lag = if is_held { lag } else { 0 };
        self.all()
            .for_each(|by_job| by_job.end_interval(job, lag, all));
    }

    /// What a cause on a link held, by job.
    pub(crate) fn on_link(&self, link: usize, from: usize, cause: Wait) -> Option<&ByJob> {
        self.links.get(&(link, from, cause as usize))
    }

    /// What an event paused, by job.
    pub(crate) fn in_event(&self, event: usize, shape: &RunShape) -> Vec<Held> {
        let held = self.events.get(&event);
        held.map_or(Vec::new(), |by_job| by_job.held(&shape.jobs))
    }

    /// Job by job: seconds that IOs waited before they were issued that nothing explains.
    pub(crate) fn own_lags_s(&self) -> Vec<f64> {
        self.own_lags.iter().map(|&lag| lag as f64 / 1e9).collect()
    }

    /// Jobs and resyncs took tokens of limits that made requests wait.
    pub(crate) fn took(&mut self, contended: &BTreeMap<(LimitId, Requester), u64>) {
        for (&(limit, requester), tokens) in contended {
            let stats = &mut self.limits[limit.index()];
            match requester.job() {
                Some(job) => stats.took[job] += tokens,
                None => stats.resync_took += tokens,
            }
        }
    }

    /// The limits that throttled anything, the one that throttled most first.
    pub(crate) fn limits(&self, shape: &RunShape) -> Vec<LimitTotal> {
        let throttled: Nanos = self.limits.iter().map(|stats| stats.throttled).sum();
        let mut order: Vec<_> = self
            .limits
            .iter()
            .zip(shape.limits.iter())
            .filter(|(stats, _)| stats.throttled > 0)
            .collect();
        order.sort_by_key(|(stats, _)| std::cmp::Reverse(stats.throttled));
        let limit = |(stats, (_, info)): (&OfLimit, (LimitId, &LimitInfo))| {
            let all = stats.took.iter().sum::<u64>() + stats.resync_took;
            let share = |took: u64| took as f64 / all.max(1) as f64;
            let job = |(index, job): (usize, &JobShape)| {
                let (throttled_s, lag_s) = stats.by_job.seconds(index);
                JobShare {
                    job: job.name.clone(),
                    throttled_s,
                    lag_s,
                    took: share(stats.took[index]),
                }
            };
            LimitTotal {
                owner: shape.owners().owner(info).to_owned(),
                limit: info.name.clone(),
                throttled_ios: stats.ios,
                throttled_s: seconds(stats.throttled),
                lag_s: stats.by_job.lags.iter().sum::<u128>() as f64 / 1e9,
                share: stats.throttled as f64 / throttled as f64,
                jobs: shape.jobs.iter().enumerate().map(job).collect(),
                resync_took: (stats.resync_took > 0).then(|| share(stats.resync_took)),
            }
        };
        order.into_iter().map(limit).collect()
    }
}

#[cfg(test)]
mod tests {
    use blockyard_model::storage::Storage;
    use blockyard_model::units::SECOND;

    use super::*;

    /// Of one job under the limits of a gp3 volume: seconds by limit, and no limit's.
    fn lags(throttled: &[Nanos], in_flight: Nanos) -> (Vec<f64>, f64) {
        let text = "{name: s, duration: 1s, storage: {data: {type: gp3, size: 10GiB}}}";
        let loaded = blockyard_scenario::load(text, "scenario", &[]).unwrap();
        let storage = Storage::new(&loaded.resolve().unwrap().storage, 1);
        let ids: Vec<_> = storage.limits().iter().map(|(id, _)| id).collect();
        let mut stats = ThrottleStats::new(ids.len(), 1);
        for (&limit, &time) in ids.iter().zip(throttled) {
            stats.throttled(limit, 0, 1, time);
        }
        let slots = Slots {
            lag: u128::from(12 * SECOND),
            in_flight: u128::from(in_flight),
        };
        stats.end_interval(0, slots);
        // Nothing is left of the interval.
        stats.end_interval(0, Slots::default());
        let of_limits = stats
            .limits
            .iter()
            .map(|one| one.by_job.lags[0] as f64 / 1e9);
        (of_limits.collect(), stats.own_lags_s()[0])
    }

    #[test]
    fn waiting_before_issue_belongs_to_what_those_in_flight_wait_for() {
        let (of_limits, own_s) = lags(&[6 * SECOND, 2 * SECOND], 10 * SECOND);
        assert_eq!(of_limits[..2], [9.0, 3.0]);
        assert_eq!(own_s, 0.0);
    }

    #[test]
    fn waiting_before_issue_is_the_storages_own_where_its_latency_is() {
        let (of_limits, own_s) = lags(&[3 * SECOND, 2 * SECOND], 10 * SECOND);
        assert_eq!(of_limits[..2], [0.0, 0.0]);
        assert_eq!(own_s, 12.0);
    }
}
