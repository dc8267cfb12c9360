//! What a slow interval of a device waited for.

use blockyard_record::thresholds::{HELD_BACK, MANY_TIMES, MOST, SLOW};

use super::at_limit::may_stand_at;
use super::seen::Parts;
use super::watched::Watched;
use super::{Cause, Unknown};

/// With fewer intervals it is not known what happened within one.
const FEW_INTERVALS: usize = 4;

/// Longer intervals, in seconds, hide bursts that reach a limit in a part of them.
const LONG_S: f64 = 10.0;

/// Legs of a stripe differ in their IOs by less than this factor.
const EVEN: f64 = 1.25;

/// A leg that takes this many times as long as the others holds them back.
const UNEVEN: f64 = 1.8;

/// What takes a smaller share of the time than this is nobody's wait.
const NOTED: f64 = 0.05;

/// With this many flushes in flight in the mean there nearly always is one, and others wait: the
/// kernel sends one at a time.
pub(super) const FLUSHING: f64 = 0.7;

/// In this share of its intervals at least storage is as it was, and changes in no more.
const STEADY: f64 = 0.2;

impl Watched<'_> {
    /// What a slow interval waited for.
    pub(super) fn cause(&self, place: usize, others: &[&Self]) -> Cause {
        let cause = self
            .at_a_limit(place, others)
            .or_else(|| self.device.ebs.as_ref().and_then(|ebs| self.by_ebs(ebs)))
            .or_else(|| self.slow_leg(place, others))
            .unwrap_or_else(|| self.without_limit(place, others));
        let mut used = self.used(place, others).into_iter();
        let why = Unknown::Merged;
        match cause {
            Cause::Degraded { .. } if used.any(|used| may_stand_at(&used)) => {
                Cause::Unknown { why }
            }
            _ => cause,
        }
    }

    /// That it alone is slow among devices with equal loads.
    fn slow_leg(&self, place: usize, others: &[&Self]) -> Option<Cause> {
        let even = |other: &&&Self| {
            let ratio = self.ios() as f64 / other.ios().max(1) as f64;
            (EVEN.recip()..=EVEN).contains(&ratio)
        };
        let mean = |of: &Self| {
            let own = of.device.intervals.get(place)?;
            (own.ios() > 0).then(|| own.us() / own.ios() as f64)
        };
        let beside = others.iter().filter(even).filter_map(|other| mean(other));
        let slowest = beside.fold(None, |most: Option<f64>, one| {
            Some(most.map_or(one, |most| most.max(one)))
        })?;
        let times = mean(self)? / slowest;
        (times >= UNEVEN).then_some(Cause::Leg { times })
    }

    /// What a slow interval waited for below all limits.
    fn without_limit(&self, place: usize, others: &[&Self]) -> Cause {
        let served = self.used(place, others).into_iter();
        let served = served.map(|used| used.whole).fold(0.0, f64::max);
        let unknown = |why| Cause::Unknown { why };
        // Beside flushes without end a sound device is slower, too.
        let sound = if self.flushes_in_flight() < FLUSHING {
            SLOW
        } else {
            MANY_TIMES
        };
        let held = |device_us: f64| self.is_held(device_us * self.data_ios(), sound);
        match self.device.parts {
            Parts::Apart {
                queue_us,
                device_us,
            } => {
                let share = queue_us / (queue_us + device_us);
                match &self.known {
                    _ if held(device_us) => Cause::Degraded { served },
                    _ if share >= MOST => Cause::GuestQueue { share },
                    _ if self.wait_for_flushes() => self.flushes(),
                    None => unknown(Unknown::NoVolume),
                    Some(_) if share >= HELD_BACK => Cause::GuestQueue { share },
                    Some(_) => Cause::Degraded { served },
                }
            }
            _ if self.known.is_none() => unknown(Unknown::NoVolume),
            _ if self.active() < FEW_INTERVALS || self.hides_bursts() => unknown(Unknown::Coarse),
            Parts::Sampled { device_us } if held(device_us) => Cause::Degraded { served },
            Parts::DeviceAlone => Cause::Degraded { served },
            Parts::Together if self.has_changed(place) => Cause::Degraded { served },
            _ if self.wait_for_flushes() => self.flushes(),
            Parts::Sampled { device_us } => match 1.0 - device_us * self.ios() as f64 / self.us() {
                share if share >= HELD_BACK => Cause::GuestQueue { share },
                _ => Cause::Degraded { served },
            },
            _ => unknown(Unknown::QueueOrVolume),
        }
    }

    /// Whether the device, which had its IOs for a time in all, held them up: if it took longer
    /// than what it is known for by more than a sound one does. This machine does where its queues
    /// add more than that, unless they are full as the device takes many times as long.
    fn is_held(&self, device_us: f64, sound: f64) -> bool {
        let expected: f64 = self.expected_us.iter().sum();
        let most = device_us - expected >= MOST * (self.us() - expected);
        self.known.is_some()
            && device_us > sound * expected
            && (most || device_us > MANY_TIMES * expected)
    }

    /// Whether it may have been at a limit within an interval: unless EBS saw no excess demand.
    fn hides_bursts(&self) -> bool {
        let slow = (0..self.expected_us.len()).filter(|&place| self.is_slow(place));
        let little_s = NOTED * slow.count() as f64 * self.seen.interval_s;
        let ruled_out = self.device.ebs.as_ref().is_some_and(|ebs| {
            let all = [
                ebs.volume_iops_exceeded_s,
                ebs.volume_throughput_exceeded_s,
                ebs.instance_iops_exceeded_s,
                ebs.instance_throughput_exceeded_s,
            ];
            all.into_iter().all(|exceeded_s| exceeded_s < little_s)
        });
        self.seen.interval_s > LONG_S && !ruled_out
    }

    /// Whether it did as much before or after, and was not slow: so it is not the load that makes
    /// it slow. Storage changes now and then, queues from second to second.
    fn has_changed(&self, place: usize) -> bool {
        let ios = self.device.intervals[place].ios();
        let each = self.device.intervals.iter().enumerate();
        let active: Vec<_> = each.filter(|(_, own)| own.ios() > 0).collect();
        let fast = active
            .iter()
            .filter(|(at, own)| own.ios() >= ios && !self.is_slow(*at));
        let pairs = active.windows(2);
        let turns = pairs.filter(|pair| self.is_slow(pair[0].0) != self.is_slow(pair[1].0));
        fast.count() as f64 >= STEADY * active.len() as f64
            && turns.count() as f64 <= STEADY * active.len() as f64
    }

    /// Whether flushes wait for each other, and that is a part of the time.
    fn wait_for_flushes(&self) -> bool {
        self.flush_us() > NOTED * self.us() && self.flushes_in_flight() >= FLUSHING
    }

    pub(super) fn flushes(&self) -> Cause {
        Cause::Flushes {
            in_flight: self.flushes_in_flight(),
        }
    }
}
