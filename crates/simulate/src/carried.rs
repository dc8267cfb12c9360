//! What a run has from before its start: tokens that lie ready in rested limits.

use blockyard_model::spec::{Applies, LimitSpec, Unit};
use blockyard_record::limit_names::LimitKind;
use blockyard_record::result::{RunResult, VolumeTotal};
use blockyard_scenario::Resolved;

/// By how much what was let through must exceed a limit's rate before it is worth a notice.
/// A minute that begins with a second's tokens exceeds it by 2 %.
const WORTH_SAYING: f64 = 0.05;

/// Notices on a run too short for its figures to be those of a longer one: it delivered more
/// than a limit lets through in the long run, as tokens lay ready, or it counts less than the
/// second of tokens that limits save up.
pub(crate) fn notices(result: &RunResult, resolved: &Resolved, measured_s: f64) -> Vec<String> {
    if measured_s <= 0.0 {
        return Vec::new();
    }
    let said_s = (1e3 * measured_s).round() / 1e3;
    let Resolved {
        storage, schedule, ..
    } = resolved;
    let volumes = storage.volumes.iter().zip(&result.volumes).enumerate();
    // One that is modified has no one rate to be measured against.
    let stays = |volume: &usize| schedule.terms.iter().all(|terms| terms.volume != *volume);
    let volumes = volumes.filter(|(index, _)| stays(index)).map(|it| it.1);
    let of_volumes = volumes.flat_map(|(spec, total)| spec.limits.iter().map(move |l| (l, total)));
    let hosts = storage.hosts.iter().zip(&result.hosts);
    let of_hosts = hosts.flat_map(|(spec, total)| spec.limits.iter().map(move |l| (l, total)));
    let over = of_volumes.chain(of_hosts).filter_map(|(limit, total)| {
        let over = granted(limit, total)? / measured_s / limit.rate as f64 - 1.0;
        (over >= WORTH_SAYING).then_some((over, limit, total))
    });
    let most = over.max_by(|a, b| a.0.total_cmp(&b.0));
    let carried = most.map(|(over, limit, total)| {
        format!(
            "the limit {}.{} let through {:.0}% more than its rate, from tokens saved before the \
             start of these {said_s} s: a longer run, or a warm-up, gives less",
            total.name,
            limit.name,
            100.0 * over
        )
    });
    let has_second = storage.volumes.iter().flat_map(|volume| &volume.limits);
    let short = carried.is_none()
        && measured_s < 1.0
        && has_second.clone().any(|limit| limit.depth >= limit.rate);
    let too_short = short.then(|| {
        format!(
            "its figures are of {said_s} s, less than the second of tokens that limits save \
             up: they need not show the limits"
        )
    });
    carried.into_iter().chain(too_short).collect()
}

/// What a limit let through, where the totals tell; not of burst credits, which are there to
/// be carried.
fn granted(limit: &LimitSpec, total: &VolumeTotal) -> Option<f64> {
    let kind = LimitKind::named(&limit.name)?;
    match (limit.applies, kind.credits, limit.unit) {
        (Applies::Both, false, Unit::Io) => Some(total.ios as f64),
        (Applies::Both, false, Unit::Byte) => Some(total.bytes as f64),
        _ => None,
    }
}
