//! Who was in an engine's group, as events of a run.

use blockyard_model::units::Bytes;
use blockyard_model::workload::spec::Shipped;
use blockyard_model::workload::{CopyStage, MembershipChange, MembershipEvent};
use blockyard_scenario::EventKind;

use crate::measure::event_words::in_bytes;
use crate::result::{Event, seconds};

/// The changes of the group of `job`, whose nodes are on `hosts`, as events: each until it was
/// over.
pub(super) fn events(
    (job, hosts): (&str, &[&str]),
    shipped: Option<Shipped>,
    changes: &[MembershipChange],
) -> Vec<Event> {
    let all = changes.iter().enumerate();
    let events = all.filter_map(|(place, change)| {
        let mut later = changes[place + 1..].iter();
        let over = later.find(|it| ends(change.what, it.what));
        let (kind, on, what) = begun((job, hosts), shipped, change.what, over.map(|it| it.what))?;
        Some(Event {
            until_s: over.map(|it| seconds(it.at)).filter(|_| lasts(kind)),
            ..Event::noted(seconds(change.at), kind, Some(on), what)
        })
    });
    events.collect()
}

/// What begins with a change, and how it is over: its kind, what it happens to, and in words.
fn begun(
    (job, hosts): (&str, &[&str]),
    shipped: Option<Shipped>,
    what: MembershipEvent,
    over: Option<MembershipEvent>,
) -> Option<(EventKind, String, String)> {
    let host = |node: u16| hosts[usize::from(node)].to_owned();
    let of_node =
        |kind, node, said: &str| (kind, host(node), format!("{job}: {} {said}", host(node)));
    Some(match what {
        MembershipEvent::Silent(node) => of_node(
            EventKind::Silent,
            node,
            "is silent, and commits wait for it",
        ),
        MembershipEvent::Left(node) => of_node(EventKind::Left, node, "is given up"),
        MembershipEvent::Back(node, missed) => {
            of_node(EventKind::CatchUp, node, &back(missed, shipped))
        }
        MembershipEvent::Outdated(node) => of_node(EventKind::Outdated, node, &outdated(shipped)),
        MembershipEvent::Errant(node) => of_node(
            EventKind::Left,
            node,
            "has transactions that the new source has not (errant ones), and stays away",
        ),
        MembershipEvent::Full(node, bytes) => {
            let said = format!(
                "has no room for the {} of log that it keeps for standbys, and stops",
                in_bytes(bytes)
            );
            of_node(EventKind::LogFull, node, &said)
        }
        MembershipEvent::Copies(node, donor, bytes) => {
            let said = copied((&host(node), &host(donor)), (bytes, shipped), over);
            of_node(EventKind::StateTransfer, node, &said)
        }
        MembershipEvent::NoQuorum => {
            let said = match shipped {
                None => "has no quorum, and refuses transactions",
                Some(_) => "cannot renew its leader key, and refuses transactions",
            };
            (EventKind::NoQuorum, job.to_owned(), format!("{job} {said}"))
        }
        MembershipEvent::NotPromoted(node, lacks) => {
            let said = format!("is not promoted: it lacks {} of the log", in_bytes(lacks));
            of_node(EventKind::NotPromoted, node, &said)
        }
        MembershipEvent::TakesOver(node) => of_node(EventKind::Takeover, node, &taken_over(over)),
        MembershipEvent::Awaited(node) => {
            let name = match shipped {
                Some(Shipped::Binlog) => "replica",
                _ => "standby",
            };
            let host = host(node);
            let said = format!("{job}: commits wait for {name} {host}");
            (EventKind::Silent, host, said)
        }
        MembershipEvent::Asynchronous => {
            let said = "too few replicas acknowledged in time, and replication is asynchronous";
            let said = format!("{job}: {said}");
            (EventKind::Asynchronous, job.to_owned(), said)
        }
        MembershipEvent::Heard(_)
        | MembershipEvent::Synced(_)
        | MembershipEvent::Copied(..)
        | MembershipEvent::NobodyAwaited
        | MembershipEvent::Quorum
        | MembershipEvent::SemiSynchronous
        | MembershipEvent::Serves(..) => return None,
    })
}

/// What engines call a copy of all data for a node.
fn copy_of_all(shipped: Option<Shipped>) -> &'static str {
    match shipped {
        None => "SST",
        Some(Shipped::Wal) => "base backup",
        Some(Shipped::Binlog) => "clone",
    }
}

fn outdated(shipped: Option<Shipped>) -> String {
    let lacks = match shipped {
        None => "has missed more than the gcache holds",
        Some(_) => "cannot follow the log, which is kept no more or is another",
    };
    let copy = copy_of_all(shipped);
    format!("{lacks}: it gets a copy of all data ({copy}) once it is started again (`restart`)")
}

fn back(missed: Bytes, shipped: Option<Shipped>) -> String {
    let what = shipped.map_or("write sets", |_| "log");
    match missed {
        0 => "is back, and has missed nothing".into(),
        _ => format!(
            "is back, and gets the {} of {what} that it has missed",
            in_bytes(missed)
        ),
    }
}

/// That a node gets a copy of so many bytes from another, and how that went.
fn copied(
    (node, donor): (&str, &str),
    (bytes, shipped): (Bytes, Option<Shipped>),
    over: Option<MembershipEvent>,
) -> String {
    let gib = bytes as f64 / (1024.0 * 1024.0 * 1024.0);
    let called = copy_of_all(shipped);
    let copy = format!("gets a copy of all data from {donor} ({called}, {gib:.1} GiB)");
    let slowest = match over {
        Some(MembershipEvent::Copied(_, _, CopyStage::Read)) => format!("{donor} reads them"),
        Some(MembershipEvent::Copied(_, _, CopyStage::Send)) => "the link carries them".into(),
        Some(MembershipEvent::Copied(_, _, CopyStage::Write)) => format!("{node} writes them"),
        Some(_) => return format!("{copy}, which breaks off"),
        None => return format!("{copy}, which is not over at the end"),
    };
    format!("{copy}, as fast as {slowest}")
}

fn taken_over(over: Option<MembershipEvent>) -> String {
    match over {
        Some(MembershipEvent::Serves(_, 0)) => {
            "takes over, and has every acknowledged transaction".into()
        }
        Some(MembershipEvent::Serves(..)) => {
            "takes over, and lacks acknowledged transactions".into()
        }
        _ => "takes over, and has yet to apply what it has received".into(),
    }
}

/// Whether an event of a kind has an end.
fn lasts(kind: EventKind) -> bool {
    matches!(
        kind,
        EventKind::Silent
            | EventKind::StateTransfer
            | EventKind::CatchUp
            | EventKind::NoQuorum
            | EventKind::Takeover
            | EventKind::Asynchronous
    )
}

/// Whether what began is over with another change.
fn ends(begun: MembershipEvent, then: MembershipEvent) -> bool {
    match (begun, then) {
        // Another serves in place of the one that waited.
        (MembershipEvent::Silent(_), MembershipEvent::Serves(..))
        | (
            MembershipEvent::Awaited(_),
            MembershipEvent::Awaited(_) | MembershipEvent::NobodyAwaited,
        ) => true,
        (
            MembershipEvent::Silent(one),
            MembershipEvent::Heard(other) | MembershipEvent::Left(other),
        )
        | (
            MembershipEvent::Back(one, _),
            MembershipEvent::Synced(other) | MembershipEvent::Silent(other),
        ) => one == other,
        (
            MembershipEvent::Copies(one, ..),
            MembershipEvent::Copied(other, ..)
            | MembershipEvent::Left(other)
            | MembershipEvent::Copies(other, ..),
        ) => one == other,
        (MembershipEvent::Copies(..), MembershipEvent::NoQuorum | MembershipEvent::Serves(..)) => {
            true
        }
        (MembershipEvent::TakesOver(one), MembershipEvent::Serves(other, _)) => one == other,
        (MembershipEvent::NoQuorum, MembershipEvent::Quorum | MembershipEvent::Serves(..))
        | (MembershipEvent::Asynchronous, MembershipEvent::SemiSynchronous) => true,
        _ => false,
    }
}
