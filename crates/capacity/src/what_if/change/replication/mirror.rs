//! Other settings of mirrors over two hosts: what a write waits for, and when one host goes on
//! without the other.

use blockyard_record::result::RunResult;
use blockyard_scenario::schema::{Acknowledge, Device, Fencing, Job, MirrorLayout};
use blockyard_scenario::units::Duration;

use super::super::{Layout, Proposal};
use super::{as_written, setting};

/// For each mirror writes that wait for less, and for more and fencing where a takeover lost some;
/// where nothing was served for a while, other hosts that go on earlier. The same of IRIS mirrors.
pub(super) fn proposals(of: &Layout<'_>) -> Vec<Proposal> {
    let devices = of.scenario.storage.iter();
    let mirrors = devices.filter_map(|(name, device)| match device {
        Device::Mirror(it) if it.mirror.link.is_some() => Some((name.as_str(), &it.mirror)),
        _ => None,
    });
    let mut found = Vec::new();
    for (name, mirror) in mirrors {
        if has_writes(of.result, name) {
            found.extend(other_protocols(of.result, name, mirror));
        }
        if has_lost(of.result, name) {
            found.extend(fenced(name, mirror));
        }
        if stood_still(of.result, name) {
            found.extend(earlier(of, name, mirror));
        }
    }
    found.extend(journals(of));
    found
}

/// A host that takes over as soon as it may, and a peer that is given up in half the time; both
/// where that is what a takeover waits for.
fn earlier(of: &Layout<'_>, name: &str, mirror: &MirrorLayout) -> Vec<Proposal> {
    let link = mirror.link.as_deref().and_then(|link| {
        let timeout = of.scenario.links.get(link)?.timeout;
        Some((timeout, halved("links", link, "timeout", timeout)))
    });
    let Some((timeout, given_up_earlier)) = link else {
        return Vec::new();
    };
    let failover = |to: Duration| {
        let change = (
            mirror.failover.as_ref().and_then(as_written),
            as_written(&to),
        );
        // What lacks writes may serve then, or both hosts may.
        let weaker = mirror.failover.is_none()
            && (mirror.acknowledge == Acknowledge::A || mirror.fencing == Fencing::DontCare);
        setting("storage", name, "mirror.failover", change, weaker)
    };
    let takes_over = match mirror.failover {
        Some(now) if now == timeout => given_up_earlier.clone().and(failover(half(now))),
        _ => failover(timeout),
    };
    vec![takes_over, given_up_earlier]
}

/// A backup that is given up, or takes over, in half the time: for each journal whose mirror
/// committed nothing for a while.
fn journals(of: &Layout<'_>) -> Vec<Proposal> {
    let stood = of.result.journal_mirrors.iter();
    let stood = stood.filter(|it| it.outage_s.is_some());
    let each = stood.filter_map(|total| match of.scenario.workload.get(&total.job)? {
        Job::RanWrite(job) => {
            let timeout = job.mirror.as_ref()?.qos_timeout;
            Some(halved(
                "workload",
                &total.job,
                "mirror.qos_timeout",
                timeout,
            ))
        }
        _ => None,
    });
    each.collect()
}

fn halved(section: &str, name: &str, key: &str, now: Duration) -> Proposal {
    let change = (as_written(&now), as_written(&half(now)));
    setting(section, name, key, change, false)
}

fn half(of: Duration) -> Duration {
    Duration::new(of.nanos() / 2)
}

/// Hosts that see to it that only one of them serves, where both might. DRBD refuses to freeze IO
/// for that under A.
fn fenced(name: &str, mirror: &MirrorLayout) -> Option<Proposal> {
    let both_may = mirror.failover.is_some() && mirror.fencing == Fencing::DontCare;
    let change = (
        as_written(&mirror.fencing),
        as_written(&Fencing::ResourceAndStonith),
    );
    (both_may && mirror.acknowledge != Acknowledge::A)
        .then(|| setting("storage", name, "mirror.fencing", change, false))
}

/// Whether nothing was served for a second or more; of an engine that is gone with its host no IO
/// is due meanwhile.
fn stood_still(result: &RunResult, device: &str) -> bool {
    let mut mirrors = result.mirrors.iter();
    mirrors.any(|it| it.device == device && (it.outage_s.is_some() || it.frozen_s >= 1.0))
}

fn has_lost(result: &RunResult, device: &str) -> bool {
    let mut mirrors = result.mirrors.iter();
    mirrors.any(|it| it.device == device && it.lost_bytes > 0)
}

fn has_writes(result: &RunResult, device: &str) -> bool {
    let mut totals = result.totals.iter();
    totals.any(|it| it.device == device && it.op == "write" && it.ios > 0)
}

fn other_protocols(result: &RunResult, name: &str, mirror: &MirrorLayout) -> Vec<Proposal> {
    use Acknowledge::{A, B, C};
    let now = mirror.acknowledge;
    let has_lost = has_lost(result, name);
    // What is fenced must have what was acknowledged.
    let is_fenced = mirror.fencing == Fencing::ResourceAndStonith;
    let (stronger, weaker): (&[_], &[_]) = match now {
        A => (&[B, C], &[]),
        B => (&[C], &[A]),
        C => (&[], &[B, A]),
    };
    let to = |to: &Acknowledge, weaker| {
        let change = (as_written(&now), as_written(to));
        setting("storage", name, "mirror.acknowledge", change, weaker)
    };
    let stronger = stronger.iter().filter(|_| has_lost);
    let weaker = weaker.iter().filter(|it| **it != A || !is_fenced);
    let stronger = stronger.map(|it| to(it, false));
    stronger.chain(weaker.map(|it| to(it, true))).collect()
}
