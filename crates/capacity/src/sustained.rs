//! What is sustained, and what only as long as something lasts that was saved up.

use blockyard_explain::{Credits, Facts, Limit, LimitId, Owner};
use blockyard_model::spec::{LimitSpec, StorageSpec};
use blockyard_record::limit_names::{LimitKind, device_of, leg_of};
use blockyard_record::thresholds::CARRIED;

/// What lasts longer counts as sustained: a year.
const LONG_S: f64 = 365.0 * DAY_S;

const DAY_S: f64 = 86_400.0;

/// How many seconds after the end of a run its burst credits last that run out first: 0 if they
/// were used up, none if it is sustained.
pub(crate) fn lasts_s(facts: &Facts) -> Option<f64> {
    let credits = facts.modelled.iter().flat_map(|own| &own.credits);
    let ends = credits.filter_map(|own| own.last_s.filter(|&s| !is_chance(facts, own, s)));
    ends.filter(|&s| s <= LONG_S).min_by(f64::total_cmp)
}

/// Whether credits seem to run out only because of the run's last moments: for that, they take more
/// than a day, and the baseline carries the load of the whole run.
fn is_chance(facts: &Facts, own: &Credits, last_s: f64) -> bool {
    let carries = |limit: &Limit| limit.used.is_some_and(|used| used.mean <= limit.value);
    let mut limits = facts.limits.iter();
    last_s > DAY_S && limits.any(|limit| limit.limit == own.limit && carries(limit))
}

/// How many seconds from the start of a run tokens last that lay ready in limits, of those that
/// are used up first; none if it does without.
pub(crate) fn ready_s(facts: &Facts, storage: &StorageSpec) -> Option<f64> {
    let carried = facts.limits.iter().filter_map(|limit| {
        let over = limit.used?.mean / limit.value - 1.0;
        let saved_s = saved_s(&limit.limit, storage)?;
        (!limit.limit.kind.credits && over > CARRIED).then_some(saved_s / over)
    });
    carried.min_by(f64::total_cmp)
}

/// For how many seconds of its rate a limit has tokens at the start.
fn saved_s(id: &LimitId, storage: &StorageSpec) -> Option<f64> {
    let is_of = |volume: &str| match &id.owner {
        Owner::Host(_) => false,
        Owner::Device(device) => device_of(volume) == device,
        Owner::Leg { device, leg } => {
            device_of(volume) == device && leg_of(volume) == Some(leg.as_str())
        }
    };
    let volumes = storage.volumes.iter().filter(|it| is_of(&it.name));
    let of_volumes = volumes.flat_map(|it| &it.limits);
    let hosts = storage.hosts.iter();
    let hosts = hosts.filter(|host| id.owner == Owner::Host(host.name.clone()));
    let limits = of_volumes.chain(hosts.flat_map(|it| &it.limits));
    let own = limits.filter(|limit| LimitKind::named(&limit.name) == Some(id.kind));
    let saved = |limit: &LimitSpec| limit.level as f64 / limit.rate.max(1) as f64;
    own.map(saved).max_by(f64::total_cmp)
}
