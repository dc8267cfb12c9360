//! What replicas of a layout get, in words, and what a full copy to one takes.

use blockyard_plan::{CopyBound, FullCopy, Layout};

use super::amounts::{dollars, lasting, size};
use crate::text::format::grouped;

/// How many nodes there are, and where; none of one.
pub(super) fn nodes(layout: &Layout) -> Option<String> {
    Some(match (&layout.replicas, layout.copies) {
        (_, 1) => return None,
        (None, _) => "in two zones".to_owned(),
        (Some(of), _) => {
            let zone = match (of.other_zones, of.count) {
                (false, _) => "in its zone",
                (true, 1) => "in another zone",
                (true, _) => "in other zones",
            };
            format!("the first and {} {zone}", replicas(of.count))
        }
    })
}

fn replicas(count: u32) -> String {
    match count {
        1 => "1 replica".to_owned(),
        several => format!("{several} replicas"),
    }
}

/// What each replica gets, and what a full copy takes and costs.
pub(super) fn replication(layout: &Layout) -> Vec<String> {
    let Some(of) = &layout.replicas else {
        return Vec::new();
    };
    let source = match of.log_assumed {
        true => "all bytes written, an upper bound that is assumed as no `log` is stated",
        false => "the stated `log`",
    };
    let each = if of.count == 1 { "the" } else { "each" };
    let log = format!(
        "{each} replica gets {} at the highest load: {source}",
        rate(of.log)
    );
    vec![log, full_copy(&of.full_copy, of.other_zones)]
}

fn full_copy(of: &FullCopy, crosses: bool) -> String {
    let price = match of.usd {
        _ if !crosses => "no traffic between zones".to_owned(),
        Some(usd) => format!("{} of traffic between zones", dollars(usd)),
        None => "at an unknown price between zones".to_owned(),
    };
    let said = format!(
        "a full copy to a replica (SST, base backup): {}, {price}",
        size(of.bytes)
    );
    let [reads, network, writes] = of.rates;
    let rates = [
        (CopyBound::DonorReads, "the first node's reads", reads),
        (CopyBound::Network, "the network", network),
        (CopyBound::ReplicaWrites, "the replica's writes", writes),
    ];
    let (slowest, others): (Vec<_>, Vec<_>) = rates
        .into_iter()
        .partition(|(bound, ..)| *bound == of.bound);
    let named = |all: Vec<(CopyBound, &str, u64)>| {
        let all = all.into_iter();
        let all = all.map(|(_, what, at)| format!("{what} ({})", rate(at)));
        all.collect::<Vec<_>>().join(" and ")
    };
    let (slowest, others) = (named(slowest), named(others));
    match of.seconds {
        Some(seconds) => format!(
            "{said}; takes {} beside the highest load, bound by {slowest}; {others} allow more. \
             Assumed: no burst credits, and no slower program",
            lasting(seconds)
        ),
        None => format!("{said}; beside the highest load it never ends, bound by {slowest}"),
    }
}

fn rate(bytes: u64) -> String {
    const MIB: f64 = (1 << 20) as f64;
    let places = if bytes < 10 << 20 { 1 } else { 0 };
    format!("{} MiB/s", grouped(bytes as f64 / MIB, places))
}
