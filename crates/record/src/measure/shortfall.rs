//! When an open loop fell behind its schedule, and by how much.

use std::ops::Range;

use blockyard_model::units::{Nanos, SECOND};
use blockyard_model::workload::Offered;
use blockyard_model::workload::spec::Recording;

use crate::measure::shape::JobShape;
use crate::result::{Behind, seconds};

/// Now and then chance alone brings a shortfall of this many times the root of what was due, if
/// arrivals are random.
const CHANCE: f64 = 6.0;

/// Chance often makes up for, or leaves out, this many times the root of what was due.
const OFTEN: f64 = 2.0;

/// A stretch begins where more is missing than chance often leaves out, unless that leaves out
/// more than this part of what is missing in it.
const MISSING_BEFORE: f64 = 0.1;

/// A stretch goes on to the end of the run if no more than chance often makes up for was made up
/// for since, and that was no longer than one in so many parts of it.
const LAST: Nanos = 10;

/// Thousandths of what is due that need not be served: a loop that keeps up but for the
/// chance of its arrivals would otherwise be as far behind at one time as at another, and the
/// stretch could begin anywhere.
const GRANTED: i128 = 10;

/// What is recorded can come in a burst right before an interval ends: so long, or this part of an
/// interval if that is more, it may take without having fallen behind.
const IN_FLIGHT: Nanos = SECOND / 10;
const PART: Nanos = 10;

/// What an open loop's schedule had due against what was served, interval by interval.
#[derive(Clone, Debug)]
pub(crate) struct Shortfall {
    schedule: Schedule,
    /// What was due so far, in IOs x 10^-9.
    due: u128,
    stretch: Stretch,
}

/// When IOs come due.
#[derive(Clone, Debug)]
enum Schedule {
    /// (from, IOs a second), rising in time.
    Rates(Vec<(Nanos, u64)>),
    /// Each at its time.
    Recorded(Recording),
}

/// The stretch of time over which the difference of what was due and what was served grew most,
/// [`GRANTED`] aside: it neither depends on how many IOs may be in flight, nor on what was made up
/// for later.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stretch {
    now: Point,
    /// Where least was due that had not ended.
    low: Point,
    /// Until where no more than chance brings has been missing since.
    start: Point,
    /// The stretch over which the difference grew most, and by how much it grew.
    most: Option<(Point, Point, i128)>,
    /// When all had ended that had come due by its end, in order, and what there was right after.
    made_up: Option<(Nanos, Point)>,
}

/// What there was until a time.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Point {
    pub(crate) time: Nanos,
    /// By the schedule, in IOs x 10^-9.
    pub(crate) due: u128,
    pub(crate) served: u64,
    pub(crate) failed: u64,
    /// What of `due` came in intervals in which none was served.
    pub(crate) unserved: u128,
}

impl Shortfall {
    /// Of a job at its start; none of a closed loop.
    pub(crate) fn of(job: &JobShape) -> Option<Self> {
        let rate = |&(from, offered): &(Nanos, Offered)| match offered {
            Offered::Rate(rate) => Some((from, rate)),
            Offered::Processes(_) => None,
        };
        let schedule = match &job.recorded {
            Some(recording) => Schedule::Recorded(recording.clone()),
            None => {
                let rates: Option<Vec<_>> = job.steps.iter().map(rate).collect();
                Schedule::Rates(rates.filter(|rates| job.open_loop && !rates.is_empty())?)
            }
        };
        Some(Self {
            schedule,
            due: 0,
            stretch: Stretch::default(),
        })
    }

    /// An interval ended, until which so many IOs had completed, and failed, since the start.
    pub(crate) fn interval(&mut self, span: Range<Nanos>, served: u64, failed: u64) {
        let Range {
            start: from,
            end: to,
        } = span;
        match &self.schedule {
            Schedule::Rates(rates) => {
                let ends = rates.iter().skip(1).map(|step| step.0);
                for (&(start, rate), end) in rates.iter().zip(ends.chain([Nanos::MAX])) {
                    let within = end.min(to).saturating_sub(start.max(from));
                    self.due += u128::from(within) * u128::from(rate);
                }
            }
            Schedule::Recorded(recording) => {
                let in_flight = IN_FLIGHT.max((to - from) / PART);
                let due = recording.due(to.saturating_sub(in_flight));
                let due = due.max(served + failed);
                self.due = u128::from(due) * u128::from(SECOND);
            }
        }
        self.stretch.add(Point {
            time: to,
            due: self.due,
            served,
            failed,
            unserved: 0,
        });
    }

    /// Where it fell behind most, if by more than chance brings.
    pub(crate) fn most(&self) -> Option<Behind> {
        self.stretch.most()
    }
}

impl Stretch {
    /// What there was until a time after the last.
    pub(crate) fn add(&mut self, mut now: Point) {
        let before = self.now;
        let is_idle = now.served == before.served;
        now.unserved = before.unserved + if is_idle { now.due - before.due } else { 0 };
        self.now = now;
        if let (None, Some((_, end, _))) = (self.made_up, self.most) {
            self.made_up = end.made_up(&before, &now).map(|at| (at, now));
        }
        if now.behind() <= self.low.behind() {
            self.low = now;
        }
        let missed = now.missed_since(&self.low);
        if missed <= OFTEN * now.due_since(&self.low).sqrt() {
            self.start = now;
        }
        let grown = now.behind() - self.low.behind();
        if grown > self.most.map_or(0, |(.., grown)| grown) {
            let is_chance = self.start.missed_since(&self.low) <= MISSING_BEFORE * missed;
            let begin = if is_chance { self.start } else { self.low };
            self.most = Some((begin, now, grown));
            self.made_up = None;
        }
    }

    /// Where it fell behind most, if by more than chance brings.
    pub(crate) fn most(&self) -> Option<Behind> {
        let (begin, end, _) = self.most?;
        let end = if self.goes_on(&begin, &end) {
            self.now
        } else {
            end
        };
        let (due, missed) = (end.due_since(&begin), end.missed_since(&begin));
        let failed_by = |by: Point| by.failed - end.failed > by.served - end.served;
        (missed > CHANCE * due.sqrt()).then(|| Behind {
            from_s: seconds(begin.time),
            to_s: seconds(end.time),
            due,
            served: end.served - begin.served,
            failed: end.failed - begin.failed,
            unserved: (end.unserved - begin.unserved) as f64 / SECOND as f64,
            waited_s: self.made_up.map(|(at, _)| seconds(at - end.time)),
            then_failed: self.made_up.is_some_and(|(_, by)| failed_by(by)),
        })
    }

    /// Whether a stretch has gone on until now, but for what chance made up for since its end.
    fn goes_on(&self, begin: &Point, end: &Point) -> bool {
        let made_up = -self.now.missed_since(end);
        let is_last = self.now.time - end.time <= (end.time - begin.time) / LAST;
        is_last && self.made_up.is_none() && made_up <= OFTEN * self.now.due_since(end).sqrt()
    }
}

impl Point {
    /// What failed is not behind: it is not made up for.
    fn ended(&self) -> u64 {
        self.served + self.failed
    }

    /// IOs that came due since another time.
    fn due_since(&self, begin: &Self) -> f64 {
        (self.due - begin.due) as f64 / SECOND as f64
    }

    /// How many more came due since another time than ended.
    fn missed_since(&self, begin: &Self) -> f64 {
        self.due_since(begin) - (self.ended() - begin.ended()) as f64
    }

    /// IOs x 10^-9 that were due until here, and had not ended by another time.
    fn missing(&self, at: &Self) -> i128 {
        self.due as i128 - i128::from(at.ended()) * i128::from(SECOND)
    }

    /// When all had ended that had come due until here, if that was between two later times in
    /// which as much ended at one time as at another.
    fn made_up(&self, before: &Self, after: &Self) -> Option<Nanos> {
        let (missed, left) = (self.missing(before).max(0), self.missing(after));
        let took = (after.time - before.time) as i128;
        // What is left is no more than 0, so the share is at most all of the time.
        let within = || took * missed / (missed - left).max(1);
        (left <= 0).then(|| before.time.max(self.time) + within() as Nanos)
    }

    /// IOs x 10^-9 that were due and have not ended, without what is granted; may be below 0.
    fn behind(&self) -> i128 {
        self.missing(self) - self.due as i128 / 1000 * GRANTED
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use blockyard_model::storage::Op;
    use blockyard_model::workload::spec::{ReadIos, RecordedIo, Totals};

    use super::*;

    fn job(steps: Vec<(Nanos, Offered)>) -> JobShape {
        JobShape {
            name: "readers".into(),
            steps,
            open_loop: true,
            recorded: None,
            latency_limit: None,
            amount: None,
            engine: None,
        }
    }

    /// What is served second by second of a schedule of (second, IOs a second).
    fn behind(rates: &[(u64, u64)], served: &[u64]) -> Option<(f64, f64, f64, u64)> {
        most(rates, served).map(|it| (it.from_s, it.to_s, it.due, it.served))
    }

    fn most(rates: &[(u64, u64)], served: &[u64]) -> Option<Behind> {
        let steps = rates
            .iter()
            .map(|&(from, rate)| (from * SECOND, Offered::Rate(rate)));
        let mut found = Shortfall::of(&job(steps.collect())).unwrap();
        let mut sum = 0;
        for (second, ios) in (0..).zip(served) {
            sum += ios;
            found.interval(second * SECOND..(second + 1) * SECOND, sum, 0);
        }
        found.most()
    }

    /// Nothing is served for two seconds, then 300 a second of 100: what came due last waits for
    /// the 200 before it.
    #[test]
    fn what_came_due_last_waits_until_all_before_it_is_served() {
        let waited_ms = |served: &[u64]| {
            let waited_s = most(&[(0, 100)], served).unwrap().waited_s;
            waited_s.map(|waited_s| (1000.0 * waited_s).round())
        };
        assert_eq!(waited_ms(&[100, 0, 0, 300, 200, 100]), Some(667.0));
        assert_eq!(waited_ms(&[100, 0, 0, 100, 100, 300]), Some(2000.0));
        assert_eq!(waited_ms(&[100, 0, 0, 100]), None, "the run ends before");
        // The second time is the worse one.
        let twice = [100, 0, 0, 300, 100, 0, 0, 0, 0, 500, 100];
        assert_eq!(waited_ms(&twice), Some(800.0));
        assert_eq!(most(&[(0, 100)], &twice).unwrap().unserved, 400.0);
    }

    /// Of 100 IOs a second so many are served and so many fail until each second's end.
    fn ended(seconds: &[(u64, u64)]) -> Behind {
        let mut found = Shortfall::of(&job(vec![(0, Offered::Rate(100))])).unwrap();
        for (second, &(served, failed)) in (0..).zip(seconds) {
            found.interval(second * SECOND..(second + 1) * SECOND, served, failed);
        }
        found.most().unwrap()
    }

    /// All fail for a second, and 20 in the next.
    #[test]
    fn what_failed_is_neither_served_nor_behind() {
        let most = ended(&[(100, 0), (100, 100), (110, 120), (210, 180)]);
        assert_eq!((most.from_s, most.to_s), (2.0, 3.0));
        assert_eq!((most.due, most.served, most.failed), (100.0, 10, 20));
        assert_eq!(most.unserved, 0.0);
        assert_eq!((most.waited_s, most.then_failed), (Some(0.4375), false));
    }

    #[test]
    fn what_came_due_last_may_have_failed() {
        let most = ended(&[(100, 0), (100, 0), (120, 180), (220, 180)]);
        assert_eq!((most.from_s, most.to_s), (1.0, 2.0));
        assert_eq!((most.waited_s, most.then_failed), (Some(0.5), true));
    }

    #[test]
    fn the_stretch_begins_where_it_no_longer_kept_up() {
        let served = [2000, 2000, 1500, 1500, 1500, 1500];
        assert_eq!(
            behind(&[(0, 2000)], &served),
            Some((2.0, 6.0, 8000.0, 6000))
        );
    }

    #[test]
    fn what_was_made_up_for_later_is_not_in_it() {
        let served = [1000, 3000, 3000, 3000, 2000, 1000];
        let found = behind(&[(0, 1000), (1, 4000), (3, 1000)], &served);
        assert_eq!(found, Some((1.0, 3.0, 8000.0, 6000)));
    }

    #[test]
    fn a_rate_changes_within_an_interval() {
        let rates = vec![(0, Offered::Rate(0)), (SECOND / 4, Offered::Rate(8000))];
        let mut found = Shortfall::of(&job(rates)).unwrap();
        found.interval(0..SECOND, 1000, 0);
        assert_eq!(found.most().unwrap().due, 6000.0);
    }

    #[test]
    fn what_kept_up_before_is_not_in_it() {
        let mut served = vec![990, 1010, 1000, 1000, 1000, 1000, 1000, 1000, 1000];
        served.extend([500; 6]);
        let (from_s, to_s, due, served) = behind(&[(0, 1000)], &served).unwrap();
        assert_eq!((from_s, to_s), (9.0, 15.0));
        assert_eq!((due, served), (6000.0, 3000));
    }

    /// Of random arrivals somewhat fewer than the mean come before an outage.
    #[test]
    fn what_chance_left_out_before_is_not_in_it() {
        let served = [100, 100, 98, 95, 97, 99, 98, 0, 0, 0, 100];
        let found = behind(&[(0, 100)], &served);
        assert_eq!(found, Some((7.0, 10.0, 300.0, 0)));
        // Nine of ten are served all the time, which is no chance in the end.
        let (from_s, to_s, ..) = behind(&[(0, 100)], &[90; 50]).unwrap();
        assert_eq!((from_s, to_s), (4.0, 50.0));
    }

    /// Half are served; of random arrivals it may be somewhat more in the last of the time.
    #[test]
    fn what_chance_makes_up_for_at_the_end_is_in_it() {
        let last = |served: &[u64]| {
            let mut all = vec![50; 20];
            all.extend(served);
            behind(&[(0, 100)], &all)
        };
        assert_eq!(last(&[120]), Some((0.0, 21.0, 2100.0, 1120)));
        assert_eq!(last(&[104, 98]), Some((0.0, 22.0, 2200.0, 1202)));
        // This is more than chance, and that is more than the last of the time.
        assert_eq!(last(&[140]), Some((0.0, 20.0, 2000.0, 1000)));
        assert_eq!(last(&[100, 100, 100]), Some((0.0, 20.0, 2000.0, 1000)));
    }

    #[test]
    fn chance_is_no_shortfall() {
        assert_eq!(behind(&[(0, 1000)], &[960, 980, 1010, 1000]), None);
        let closed = job(vec![(0, Offered::Processes(3))]);
        assert!(Shortfall::of(&closed).is_none());
    }

    /// Reads at these times, in milliseconds.
    #[derive(Debug)]
    struct At(Vec<u64>);

    impl ReadIos for At {
        fn read(&self, _: u32, from: u64, batch: &mut Vec<RecordedIo>) {
            let at = |&ms: &u64| RecordedIo {
                wait: ms * SECOND / 1000,
                in_flight: 0,
                offset: 0,
                len: 4096,
                op: Op::Read,
                commits: false,
                after: None,
            };
            batch.extend(self.0.get(from as usize).map(at));
        }

        fn failure(&self) -> Option<String> {
            None
        }
    }

    /// What was recorded comes when it was recorded, and not at the mean of it.
    #[test]
    fn a_recording_that_is_served_as_it_comes_is_not_behind() {
        // 3,000 in a second, 100 in each of four, at the end of each, and none in five.
        let times = (0..3000).map(|io| io / 3);
        let times = times.chain((1..5).flat_map(|second| vec![second * 1000 + 990; 100]));
        let ios = At(times.collect());
        let mut totals = Totals::default();
        let mut batch = Vec::new();
        for io in 0..ios.0.len() as u64 {
            batch.clear();
            ios.read(0, io, &mut batch);
            totals.add(&batch[0]);
        }
        let recorded = Recording {
            totals,
            ios: Arc::new(ios),
        };
        let with = |served: &[u64]| {
            let mut job = job(vec![(0, Offered::Rate(340))]);
            job.recorded = Some(recorded.clone());
            let mut found = Shortfall::of(&job).unwrap();
            let mut sum = 0;
            for (second, ios) in (0..).zip(served) {
                sum += ios;
                found.interval(second * SECOND..(second + 1) * SECOND, sum, 0);
            }
            found.most()
        };
        assert!(with(&[2990, 10, 100, 100, 100, 100, 0, 0, 0, 0]).is_none());
        let behind = with(&[1000, 1000, 1000, 100, 100, 100, 100, 0, 0, 0]).unwrap();
        assert_eq!((behind.from_s, behind.to_s), (0.0, 1.0));
        assert_eq!(behind.served, 1000);
    }
}
