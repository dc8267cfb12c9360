//! One device: which of its intervals were slow, and what each waited for.

use blockyard_model::spec::Unit;
use blockyard_record::limit_names::LimitKind;
use blockyard_record::result::EbsStatistics;
use blockyard_record::thresholds::{HELD_BACK, MANY_TIMES, MOST, NEAR_LIMIT, SLOW};

use super::known::{Known, Use, usual_us};
use super::seen::{Parts, Seen, SeenDevice, SeenInterval};
use super::{Cause, Unknown, Verdict};
use crate::limits::id::{LimitId, Owner};

/// With fewer intervals it is not known what happened within one.
const FEW_INTERVALS: usize = 4;

/// Legs of a stripe differ in their IOs by less than this factor.
const EVEN: f64 = 1.25;

/// A leg that takes this many times as long as the others holds them back.
const UNEVEN: f64 = 1.8;

/// Flushes that take a smaller share of the time than this are nobody's wait.
const NOTED: f64 = 0.05;

/// With this many flushes in flight in the mean there nearly always is one, and others wait: the
/// kernel sends one at a time.
const FLUSHING: f64 = 0.7;

/// In this share of its intervals at least storage is as it was, and changes in no more.
const STEADY: f64 = 0.2;

/// Without knowledge of the storage, a device that has IO in flight for a smaller share of the time
/// is none that anybody waits for.
const IDLE: f64 = 0.1;

/// A limit that throttles is used up over seconds, as what is left in a pause is spent in the next
/// burst: of intervals that used less than this share of it none was at it.
const LEAST_BUSY: f64 = 0.5;

/// A device that was watched, with what is known of it.
#[derive(Debug)]
pub(super) struct Watched<'a> {
    pub(super) device: &'a SeenDevice,
    seen: &'a Seen,
    known: Option<Known<'a>>,
    /// By interval, how long its IO takes where nothing delays it, summed, in microseconds.
    expected_us: Vec<f64>,
}

/// What intervals with the same cause waited.
struct Blame {
    cause: Cause,
    intervals: usize,
    us: f64,
}

impl<'a> Watched<'a> {
    pub(super) fn of(seen: &'a Seen, device: &'a SeenDevice, known: Option<Known<'a>>) -> Self {
        let usual = usual_us(device).unwrap_or(0.0);
        let expected = |own: &SeenInterval| match &known {
            Some(known) => known.expected_us(own),
            None => usual * own.ios() as f64,
        };
        Self {
            device,
            seen,
            expected_us: device.intervals.iter().map(expected).collect(),
            known,
        }
    }

    /// Whether all IO has a latency.
    pub(super) fn has_latencies(&self) -> bool {
        let each = self.device.intervals.iter();
        each.map(SeenInterval::us).all(f64::is_finite)
    }

    /// Whether somebody may wait for it without that it shows.
    pub(super) fn is_unsure(&self) -> bool {
        self.known.is_none() && self.device.busy.is_none_or(|busy| busy.share > IDLE)
    }

    /// What its IO waited for, and how much in all, in microseconds; none if it did not wait.
    pub(super) fn verdict(&self, others: &[&Self]) -> Option<(Verdict, f64)> {
        let hung = self.hung();
        let mut blames: Vec<Blame> = Vec::new();
        for (place, own) in self.device.intervals.iter().enumerate() {
            let us = (own.us() - self.expected_us[place]).max(0.0);
            let (cause, us) = match hung.iter().find(|gap| gap.holds(place)) {
                Some(gap) => (gap.cause(self.seen.interval_s), us),
                None if self.is_slow(place) => (self.cause(place, others), us),
                None => continue,
            };
            match blames.iter_mut().find(|blame| alike(&blame.cause, &cause)) {
                Some(blame) => {
                    blame.intervals += 1;
                    blame.us += us;
                }
                None => blames.push(Blame {
                    cause,
                    intervals: 1,
                    us,
                }),
            }
        }
        let waited: f64 = blames.iter().map(|blame| blame.us).sum();
        if waited < HELD_BACK * self.us() {
            blames = self.piled_up().into_iter().collect();
        }
        let most = blames
            .into_iter()
            .max_by(|one, other| one.us.total_cmp(&other.us))?;
        let whole = self.us() + self.flush_us();
        let verdict = Verdict {
            device: Some(self.device.name.clone()),
            time: (most.intervals as f64 / self.active() as f64).min(1.0),
            waited: most.us / whole,
            cause: most.cause,
        };
        Some((verdict, most.us))
    }

    /// What a slow interval waited for.
    fn cause(&self, place: usize, others: &[&Self]) -> Cause {
        self.at_a_limit(place, others)
            .or_else(|| self.device.ebs.as_ref().and_then(|ebs| self.by_ebs(ebs)))
            .or_else(|| self.slow_leg(place, others))
            .unwrap_or_else(|| self.without_limit(place, others))
    }

    /// The limit of which most is used, if it is near.
    fn at_a_limit(&self, place: usize, others: &[&Self]) -> Option<Cause> {
        let used = self.used(place, others).into_iter();
        let near = used.filter(|used| match used.limit.kind.credits {
            // Above the baseline there are credits left.
            true => (NEAR_LIMIT..=NEAR_LIMIT.recip()).contains(&used.share),
            false => used.share >= NEAR_LIMIT,
        });
        let most = near.max_by(|one, other| one.share.total_cmp(&other.share))?;
        let (limit, per_s) = (most.limit, Some(most.per_s));
        Some(match (limit.kind.credits, limit.is_host()) {
            (true, _) => Cause::Credits { limit, per_s },
            (false, true) => Cause::InstanceLimit { limit, per_s },
            (false, false) => Cause::VolumeLimit { limit, per_s },
        })
    }

    /// The limit that EBS counted most excess demand of, if as long as IO was slow.
    fn by_ebs(&self, ebs: &EbsStatistics) -> Option<Cause> {
        let slow = (0..self.expected_us.len()).filter(|&place| self.is_slow(place));
        let least_s = MOST * slow.count() as f64 * self.seen.interval_s;
        let all = [
            (ebs.volume_iops_exceeded_s, Unit::Io, false),
            (ebs.volume_throughput_exceeded_s, Unit::Byte, false),
            (ebs.instance_iops_exceeded_s, Unit::Io, true),
            (ebs.instance_throughput_exceeded_s, Unit::Byte, true),
        ];
        let exceeded = all.into_iter().filter(|one| one.0 >= least_s);
        let (_, counts, of_host) = exceeded.max_by(|one, other| one.0.total_cmp(&other.0))?;
        let name = if counts == Unit::Io {
            "iops"
        } else {
            "throughput"
        };
        let kind = LimitKind::named(name)?;
        let limit = |owner| LimitId { owner, kind };
        Some(match of_host {
            true => Cause::InstanceLimit {
                limit: limit(Owner::Host("host".into())),
                per_s: None,
            },
            false => Cause::VolumeLimit {
                limit: limit(Owner::Device(self.device.name.clone())),
                per_s: None,
            },
        })
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
        let served = served.map(|used| used.share).fold(0.0, f64::max);
        let unknown = |why| Cause::Unknown { why };
        // Beside flushes without end a sound device is slower, too.
        let sound = if self.flushes_in_flight() < FLUSHING {
            SLOW
        } else {
            MANY_TIMES
        };
        let held = |device_us: f64| {
            let expected: f64 = self.expected_us.iter().sum();
            self.known.is_some() && device_us * self.data_ios() > sound * expected
        };
        match self.device.parts {
            Parts::Apart {
                queue_us,
                device_us,
            } => {
                let share = queue_us / (queue_us + device_us);
                match &self.known {
                    _ if held(device_us) => Cause::Degraded { served },
                    _ if share >= MOST => Cause::GuestQueue { share },
                    _ if self.flush_us() > 0.0 => self.flushes(),
                    None => unknown(Unknown::NoVolume),
                    Some(_) if share >= HELD_BACK => Cause::GuestQueue { share },
                    Some(_) => Cause::Degraded { served },
                }
            }
            _ if self.known.is_none() => unknown(Unknown::NoVolume),
            _ if self.active() < FEW_INTERVALS => unknown(Unknown::Coarse),
            Parts::Sampled { device_us } if held(device_us) => Cause::Degraded { served },
            Parts::DeviceAlone => Cause::Degraded { served },
            Parts::Together if self.has_changed(place) => Cause::Degraded { served },
            _ if self.flush_us() > NOTED * self.us() => self.flushes(),
            Parts::Sampled { device_us } => Cause::GuestQueue {
                share: (1.0 - device_us * self.ios() as f64 / self.us()).max(0.0),
            },
            _ => unknown(Unknown::QueueOrVolume),
        }
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

    /// That flushes wait for each other, if there nearly always is one in flight. Writes that ask
    /// for a flush wait with them.
    fn piled_up(&self) -> Option<Blame> {
        let slower = self.us() - self.expected_us.iter().sum::<f64>();
        (self.flushes_in_flight() >= FLUSHING).then(|| Blame {
            cause: self.flushes(),
            intervals: self.active(),
            us: self.flush_us() + slower.max(0.0),
        })
    }

    fn flushes(&self) -> Cause {
        Cause::Flushes {
            in_flight: self.flushes_in_flight(),
        }
    }

    fn flushes_in_flight(&self) -> f64 {
        self.flush_us() / 1e6 / (self.active() as f64 * self.seen.interval_s)
    }

    /// How much of each limit an interval used, while there was IO in flight.
    fn used(&self, place: usize, others: &[&Self]) -> Vec<Use> {
        let Some(known) = &self.known else {
            return Vec::new();
        };
        let own = &self.device.intervals[place];
        let beside = others
            .iter()
            .filter_map(|one| one.device.intervals.get(place));
        let all: Vec<_> = std::iter::once(own).chain(beside).collect();
        known.used(
            &self.device.name,
            own,
            &all,
            self.seen.interval_s * self.busy_while_slow(),
        )
    }

    /// The share of the time with IO in flight, of the slow intervals: bursts reach a limit in a
    /// part of them. At least they have the time in which the device was hardly ever idle, and what
    /// the others leave, taken for a queue at a single server: n in flight in the mean for
    /// n / (n + 1) of the time. Below [`LEAST_BUSY`] no limit holds.
    fn busy_while_slow(&self) -> f64 {
        let Some(busy) = self.device.busy else {
            return 1.0;
        };
        let length_us = self.seen.interval_s * 1e6;
        let each = self.device.intervals.iter().enumerate();
        let (slow, fast): (Vec<_>, Vec<_>) = each.partition(|(place, _)| self.is_slow(*place));
        let of_fast = fast
            .iter()
            .map(|(_, own)| own.us() / (own.us() + length_us));
        let of_fast: f64 = of_fast.sum();
        let left = busy.share * self.device.intervals.len() as f64 - of_fast;
        let full = busy.full_s / self.seen.interval_s;
        (left.max(full) / slow.len().max(1) as f64).clamp(LEAST_BUSY, 1.0)
    }

    fn is_slow(&self, place: usize) -> bool {
        let own = &self.device.intervals[place];
        own.ios() > 0 && own.us() > SLOW * self.expected_us[place]
    }

    fn active(&self) -> usize {
        let each = self.device.intervals.iter();
        each.filter(|own| own.ios() > 0).count()
    }

    fn ios(&self) -> u64 {
        self.device.intervals.iter().map(SeenInterval::ios).sum()
    }

    /// The same without empty writes.
    fn data_ios(&self) -> f64 {
        let each = self.device.intervals.iter();
        each.map(|own| own.without_empty().ios() as f64).sum()
    }

    fn us(&self) -> f64 {
        self.device.intervals.iter().map(SeenInterval::us).sum()
    }

    fn flush_us(&self) -> f64 {
        let each = self.device.intervals.iter();
        each.map(|own| own.flushes.us)
            .filter(|us| us.is_finite())
            .sum()
    }

    /// The times in which it did nothing although an IO waited: whole intervals without IO before
    /// one whose IO had waited through them, and those in which it then makes up for it.
    fn hung(&self) -> Vec<Gap> {
        let mut found = Vec::new();
        let mut begin = None;
        for (place, own) in self.device.intervals.iter().enumerate() {
            if own.ios() == 0 {
                continue;
            }
            if let Some(begin) = begin.filter(|&begin| begin < place) {
                let idle_us = (place - begin) as f64 * self.seen.interval_s * 1e6;
                let slow = own.us() > MANY_TIMES * self.expected_us[place];
                if slow && own.us() >= idle_us {
                    let rest = place..self.expected_us.len();
                    let last = rest.take_while(|&later| self.is_slow(later)).last();
                    found.push(Gap {
                        begin,
                        end: place,
                        last: last.unwrap_or(place),
                    });
                }
            }
            begin = Some(place + 1);
        }
        found
    }
}

/// Intervals without IO, up to the one in which it ended, and the last that was slow for it.
struct Gap {
    begin: usize,
    end: usize,
    last: usize,
}

impl Gap {
    fn holds(&self, place: usize) -> bool {
        (self.begin..=self.last).contains(&place)
    }

    fn cause(&self, interval_s: f64) -> Cause {
        Cause::Hung {
            longest_s: (self.end - self.begin) as f64 * interval_s,
        }
    }
}

/// Whether two causes are one, apart from their figures.
fn alike(one: &Cause, other: &Cause) -> bool {
    use Cause::{Credits, InstanceLimit, VolumeLimit};
    match (one, other) {
        (VolumeLimit { limit, .. }, VolumeLimit { limit: same, .. })
        | (InstanceLimit { limit, .. }, InstanceLimit { limit: same, .. })
        | (Credits { limit, .. }, Credits { limit: same, .. }) => limit == same,
        _ => std::mem::discriminant(one) == std::mem::discriminant(other),
    }
}
