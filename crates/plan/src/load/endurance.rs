//! For how long a limit holds a load: at all, and as long as its credits last.

use blockyard_model::spec::TopUp;
use blockyard_model::units::{Nanos, SECOND};

use crate::load::demand::Demand;
use crate::load::profile::{Counted, DAY, LoadProfile};

/// A limit, as far as endurance goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bucket {
    /// Tokens that come in a second.
    pub(crate) rate: u64,
    /// Tokens when it is full, as it is at first.
    pub(crate) depth: u64,
    /// Whether what was saved up counts: credits do, the second of slack of every other limit
    /// does not.
    pub(crate) credits: bool,
    /// What comes all at once instead of what a rest would bring.
    pub(crate) top_up: Option<TopUp>,
}

/// Phases after which a load without end counts as held: two years of days with a peak. What
/// is not used up by then loses less than a thousandth of its depth in a day.
const MOST_PHASES: usize = 1460;

/// The same of a load by interval.
fn most_phases(demand: &Demand) -> usize {
    let periods = 730 * DAY / demand.every;
    demand.intervals.len() * periods.max(2) as usize
}

/// Holds a load, of which the limit counts so much, to a bucket: how long until it has to wait, or
/// none if it never has to.
pub(crate) fn exhausted_after(
    bucket: &Bucket,
    counted: &Counted,
    load_profile: &LoadProfile,
) -> Option<Nanos> {
    if load_profile.most_in_1000_s(counted) <= u128::from(bucket.rate) * 1000 {
        return None;
    }
    if !bucket.credits {
        return Some(0);
    }
    let (mut now, mut level) = (0_u128, i128::from(bucket.depth) * UNIT);
    let full = level;
    let every = load_profile.every();
    let mut before = None;
    let mut phases = load_profile.phases(counted);
    let demand = load_profile.demand.as_deref();
    for _ in 0..demand.map_or(MOST_PHASES, most_phases) {
        if load_profile.lasts.is_none() && now.is_multiple_of(u128::from(every)) {
            // No less than a period ago, and what comes is the same: it never runs dry. A
            // top-up, where there is one, came at the same moment.
            if before.is_some_and(|before| level >= before) {
                return None;
            }
            let same = bucket
                .top_up
                .is_none_or(|it| now.is_multiple_of(u128::from(it.every.max(1))));
            before = if same { Some(level) } else { before };
        }
        let (mut lasts, rate) = phases.next()?;
        while lasts > 0 {
            // Up to the next top-up at most.
            let part = match bucket.top_up {
                Some(top_up) => {
                    let every = u128::from(top_up.every.max(1));
                    let to_next = every - now % every;
                    u64::try_from(to_next).unwrap_or(u64::MAX).min(lasts)
                }
                None => lasts,
            };
            // Tokens a second, in 1/1000.
            let gain = i128::from(bucket.rate) * 1000 - i128::from(rate);
            if gain < 0 {
                let after = level / -gain;
                if after < i128::from(part) {
                    let spent = u128::try_from(after).unwrap_or(0);
                    return Some(u64::try_from(now + spent).unwrap_or(u64::MAX));
                }
                level += gain * i128::from(part);
            } else if bucket.top_up.is_none() {
                level = full.min(level + gain * i128::from(part));
            }
            now += u128::from(part);
            lasts -= part;
            if bucket
                .top_up
                .is_some_and(|top_up| now.is_multiple_of(u128::from(top_up.every.max(1))))
            {
                level = full;
            }
        }
    }
    None
}

/// How full credits are, in 1/1000.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Left {
    pub(crate) then: u64,
    /// At least, in the period before that.
    pub(crate) lowest: u64,
}

/// What is left of credits `before` the end of a load that they hold; of one without end, before
/// its highest is over in a period, after a month of them.
pub(crate) fn left(
    bucket: &Bucket,
    counted: &Counted,
    load_profile: &LoadProfile,
    before: Nanos,
) -> Left {
    let (every, highest_ends) = (load_profile.every(), load_profile.highest_ends());
    let periods = every.saturating_mul(PERIODS - 1);
    let end = load_profile.lasts;
    let end = end.unwrap_or_else(|| periods.saturating_add(highest_ends));
    left_at(
        bucket,
        counted,
        load_profile,
        end.saturating_sub(before).into(),
    )
}

/// The same when a period begins, after a month of them.
pub(crate) fn left_at_begin(bucket: &Bucket, counted: &Counted, load_profile: &LoadProfile) -> u64 {
    let until = u128::from(load_profile.every()) * u128::from(PERIODS);
    left_at(bucket, counted, load_profile, until).then
}

/// Periods after which what is left at their end no longer changes.
const PERIODS: u64 = 30;

fn left_at(bucket: &Bucket, counted: &Counted, load_profile: &LoadProfile, until: u128) -> Left {
    let every = u128::from(load_profile.every());
    let full = i128::from(bucket.depth) * UNIT;
    let (mut now, mut level, mut lowest) = (0_u128, full, full);
    for (lasts, rate) in load_profile.phases(counted) {
        let mut lasts = u128::from(lasts).min(until - now);
        while lasts > 0 {
            let top_up = bucket.top_up.map(|it| u128::from(it.every.max(1)));
            let part = top_up.map_or(lasts, |every| lasts.min(every - now % every));
            let gain = i128::from(bucket.rate) * 1000 - i128::from(rate);
            let part_gain = gain * i128::try_from(part).unwrap_or(i128::MAX);
            if top_up.is_none() || gain < 0 {
                level = (level + part_gain).clamp(0, full);
            }
            now += part;
            lasts -= part;
            if now + every >= until {
                lowest = lowest.min(level);
            }
            if top_up.is_some_and(|every| now.is_multiple_of(every)) {
                level = full;
            }
        }
        if now >= until {
            break;
        }
    }
    let share = |level: i128| {
        let share = u64::try_from(level / (full / 1000).max(1));
        share.map_or(0, |share| share.min(1000))
    };
    Left {
        then: share(level),
        lowest: share(lowest),
    }
}

/// Levels are in thousandths of a token times nanoseconds of a second, so that all is exact.
const UNIT: i128 = 1000 * SECOND as i128;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::load::profile::Peak;

    /// The same second by second, without arithmetic on phases.
    fn obvious(bucket: &Bucket, rate: u64, load_profile: &LoadProfile, most_s: u64) -> Option<u64> {
        let times = |second: u64| -> u64 {
            let Some(peak) = load_profile.peak else {
                return 1000;
            };
            let (every, lasts) = (peak.every / SECOND, peak.lasts / SECOND);
            // Peaks end where their period does, and the last where the load does.
            let end = load_profile.lasts.map_or(0, |lasts| lasts / SECOND % every);
            let into = (second + every - end) % every;
            if into >= every - lasts {
                peak.times.max(1000)
            } else {
                1000
            }
        };
        let end = load_profile.lasts.map_or(most_s, |lasts| lasts / SECOND);
        let full = i128::from(bucket.depth) * 1000;
        let mut level = full;
        for second in 0..end {
            if bucket
                .top_up
                .is_some_and(|it| (second * SECOND).is_multiple_of(it.every))
            {
                level = full;
            }
            let gain =
                i128::from(bucket.rate) * 1000 - i128::from(rate) * i128::from(times(second));
            if bucket.top_up.is_none() || gain < 0 {
                level = full.min(level + gain);
            }
            if level < 0 {
                return Some(second);
            }
        }
        None
    }

    proptest! {
        #[test]
        fn credits_last_as_long_as_second_by_second(
            (rate, load) in (1_u64..50, 1_u64..110),
            depth in 1_u64..5_000,
            top_up in proptest::option::of(1_u64..300),
            lasts in 1_u64..1_000,
            peak in proptest::option::of((1000_u64..4000, 1_u64..60, 60_u64..300)),
        ) {
            let top_up = top_up.map(|every| TopUp { every: every * SECOND, kept: 1 });
            let bucket = Bucket { rate, depth, credits: true, top_up };
            let peak = peak.map(|(times, lasts, every)| Peak {
                times, lasts: lasts * SECOND, every: every * SECOND,
            });
            let load_profile = LoadProfile { lasts: Some(lasts * SECOND), peak, demand: None };
            let found = exhausted_after(&bucket, &load.into(), &load_profile);
            let expected = obvious(&bucket, load, &load_profile, lasts);
            prop_assert_eq!(found.map(|at| at / SECOND), expected);
        }
    }

    #[test]
    fn thirty_minutes_at_the_maximum_and_not_a_second_more() {
        // r5.large: 18,750 IOPS for half an hour a day, else 3,600.
        let top_up = Some(TopUp {
            every: DAY,
            kept: 3600,
        });
        let bucket = Bucket {
            rate: 3600,
            depth: (18_750 - 3600) * 1800,
            credits: true,
            top_up,
        };
        let load_profile = |seconds: u64| LoadProfile {
            lasts: Some(seconds * SECOND),
            peak: None,
            demand: None,
        };
        assert_eq!(
            exhausted_after(&bucket, &18_750.into(), &load_profile(1800)),
            None
        );
        let used_up = Some(1800 * SECOND);
        assert_eq!(
            exhausted_after(&bucket, &18_750.into(), &load_profile(3600)),
            used_up
        );
        let daily = Peak {
            times: 5000,
            lasts: 1800 * SECOND,
            every: DAY,
        };
        let always = LoadProfile {
            lasts: None,
            peak: Some(daily),
            demand: None,
        };
        assert_eq!(exhausted_after(&bucket, &3600.into(), &always), None);
        let twice = Peak {
            every: DAY / 2,
            ..daily
        };
        let always = LoadProfile {
            lasts: None,
            peak: Some(twice),
            demand: None,
        };
        assert!(exhausted_after(&bucket, &3600.into(), &always).is_some());
    }
}
