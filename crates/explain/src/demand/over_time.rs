//! One limit under a measured load, interval by interval.

use blockyard_model::balance::Balance;
use blockyard_model::spec::LimitSpec;
use blockyard_model::units::{Nanos, SECOND};
use blockyard_record::thresholds::{ALIKE, NOTEWORTHY};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::demand::{LimitUnderDemand, Owned};
use crate::limits::id::LimitId;

/// What becomes of credits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CreditsOverTime {
    /// When they are used up first, in seconds: when IO has to wait, or less than 1 % is left
    /// after an interval, as load that storage throttled asks for no more; none if they last.
    pub dry_s: Option<u64>,
    /// How many intervals leave less than 1 %.
    pub dry: usize,
    /// The least that is left after an interval, in percent.
    pub lowest_pct: f64,
    /// The end of that interval, in seconds.
    pub lowest_s: u64,
    /// What is left after each interval, in percent.
    pub balance_pct: Vec<f64>,
}

/// What `limit`, one of those of `own`, does to what it counts of the load.
pub(super) fn over_time(
    own: &Owned<'_>,
    limit: &LimitSpec,
    interval: Nanos,
) -> Result<LimitUnderDemand, String> {
    let asked: Vec<u64> = own
        .counted
        .iter()
        .map(|counted| counted.of(limit))
        .collect();
    let seconds = interval as f64 / SECOND as f64;
    let value = limit.rate.saturating_mul(own.volumes);
    let full = value as f64 * seconds * (1.0 - ALIKE);
    let (busiest, most) = peak(&asked);
    let at = |index: usize| index as u64 * (interval / SECOND);
    Ok(LimitUnderDemand {
        limit: LimitId::of(own.owner.clone(), &limit.name)?,
        value,
        mean: asked.iter().map(|&one| one as f64).sum::<f64>() / asked.len() as f64 / seconds,
        busiest: most as f64 / seconds,
        busiest_s: at(busiest),
        reached: asked.iter().filter(|&&one| one as f64 >= full).count(),
        credits: limit.credits.then(|| credits(own, limit, &asked, interval)),
    })
}

/// The place of the largest amount, the first of several, and the amount.
fn peak(asked: &[u64]) -> (usize, u64) {
    let largest = asked.iter().copied().enumerate();
    largest.fold((0, 0), |most, own| if own.1 > most.1 { own } else { most })
}

/// The credits of one of the owner's volumes, which share the load equally.
fn credits(own: &Owned<'_>, limit: &LimitSpec, asked: &[u64], interval: Nanos) -> CreditsOverTime {
    // No more than the other limits let through takes credits.
    let same = |other: &&LimitSpec| {
        !other.credits && other.unit == limit.unit && other.applies == limit.applies
    };
    let highest = own.limits.iter().filter(same).map(|other| other.rate).min();
    let highest = highest.map_or(u64::MAX, |rate| rate.saturating_mul(interval / SECOND));
    let mut balance = Balance::new(limit);
    let mut dry_s = None;
    let mut permille = Vec::with_capacity(asked.len());
    for &tokens in asked {
        let each = tokens.div_ceil(own.volumes).min(highest);
        let dry_at = balance.take(each, interval).dry_at;
        permille.push(balance.permille());
        let end = permille.len() as u64 * (interval / SECOND);
        match dry_at {
            Some(at) => dry_s = dry_s.or(Some(at / SECOND)),
            None if used_up(balance.permille()) => dry_s = dry_s.or(Some(end)),
            None => {}
        }
    }
    let lowest = permille.iter().copied().min().unwrap_or(1000);
    let place = permille.iter().position(|&one| one == lowest).unwrap_or(0);
    CreditsOverTime {
        dry_s,
        dry: permille.iter().filter(|&&one| used_up(one)).count(),
        lowest_pct: f64::from(lowest) / 10.0,
        lowest_s: (place as u64 + 1) * (interval / SECOND),
        balance_pct: permille
            .into_iter()
            .map(|one| f64::from(one) / 10.0)
            .collect(),
    }
}

/// Whether what is left, in 1/1000, is not worth a word.
fn used_up(permille: u32) -> bool {
    f64::from(permille) < 1000.0 * NOTEWORTHY
}
