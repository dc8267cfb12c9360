//! Other settings of mirrors over two hosts: what a write waits for.

use blockyard_record::result::RunResult;
use blockyard_scenario::schema::{Acknowledge, Device, Fencing, MirrorLayout};

use super::super::{Layout, Proposal};
use super::{as_written, setting};

/// For each mirror writes that wait for less; and for more, where a takeover lost some.
pub(super) fn proposals(of: &Layout<'_>) -> Vec<Proposal> {
    let devices = of.scenario.storage.iter();
    let mirrors = devices.filter_map(|(name, device)| match device {
        Device::Mirror(it) if it.mirror.link.is_some() => Some((name.as_str(), &it.mirror)),
        _ => None,
    });
    let written = mirrors.filter(|(name, _)| has_writes(of.result, name));
    let each = written.flat_map(|(name, mirror)| other_protocols(of.result, name, mirror));
    each.collect()
}

fn has_writes(result: &RunResult, device: &str) -> bool {
    let mut totals = result.totals.iter();
    totals.any(|it| it.device == device && it.op == "write" && it.ios > 0)
}

fn other_protocols(result: &RunResult, name: &str, mirror: &MirrorLayout) -> Vec<Proposal> {
    use Acknowledge::{A, B, C};
    let now = mirror.acknowledge;
    let mut mirrors = result.mirrors.iter();
    let has_lost = mirrors.any(|it| it.device == name && it.lost_bytes > 0);
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
