//! What becomes of a mirror that loses a leg, or whose hosts lose each other, as events.

use blockyard_model::replication::mirror::MirrorTransition;
use blockyard_model::spec::{Layout, MirrorSpec, StorageSpec};
use blockyard_model::units::{Bytes, Nanos};
use blockyard_scenario::EventKind;

use crate::measure::event_words::in_bytes;
use crate::result::{Event, ResyncBound, seconds};

/// The transitions of the mirror that is device number `device`, with the time at which those that
/// last are over.
pub(super) fn events(
    storage: &StorageSpec,
    device: usize,
    transitions: &[(Nanos, MirrorTransition)],
) -> Vec<Event> {
    let of = &storage.devices[device];
    let Layout::Mirror(mirror) = &of.layout else {
        return Vec::new();
    };
    let names = names(storage, mirror);
    let mut primary = 0;
    // Which legs have been away, or will be made what the other is.
    let mut away = [false; 2];
    let mut all = Vec::new();
    for (place, &(at, transition)) in transitions.iter().enumerate() {
        let later = &transitions[place + 1..];
        // Who takes over had given up nobody.
        let taken = |&(when, it): &(Nanos, _)| {
            when == at && matches!(it, MirrorTransition::TakenOver { .. })
        };
        if matches!(transition, MirrorTransition::GivenUp { .. }) && later.iter().any(taken) {
            continue;
        }
        let over = later.iter().find(|it| ends(transition, it.1));
        let over = over.filter(|_| lasts(transition));
        match transition {
            MirrorTransition::GivenUp { leg } => away[leg] = true,
            MirrorTransition::TakenOver { leg, .. } => away[1 - leg] = true,
            MirrorTransition::InSync { leg, .. } => away[leg] = false,
            // A leg that is not given up yet is tried in vain.
            MirrorTransition::Resyncs { leg, .. } if !away[leg] => continue,
            _ => {}
        }
        let Some((kind, what)) = told(&names, primary, transition, over.map(|it| it.1)) else {
            continue;
        };
        if let MirrorTransition::TakenOver { leg, .. } = transition {
            primary = leg;
        }
        let what = format!("{}: {what}", of.name);
        all.push(Event {
            until_s: over.map(|it| seconds(it.0)),
            ..Event::noted(seconds(at), kind, Some(of.name.clone()), what)
        });
    }
    all
}

/// What the legs are called: their hosts, where a link is between them.
fn names(storage: &StorageSpec, mirror: &MirrorSpec) -> [String; 2] {
    match mirror.legs[1].link {
        Some((link, end)) => {
            let ends = storage.links[link].ends;
            [0, 1].map(|leg| storage.hosts[ends[(end + leg) % 2]].name.clone())
        }
        None => ["its first leg", "its second leg"].map(str::to_owned),
    }
}

fn lasts(transition: MirrorTransition) -> bool {
    matches!(
        transition,
        MirrorTransition::Fences | MirrorTransition::Lost | MirrorTransition::Resyncs { .. }
    )
}

/// Whether what began with `first` is over with `then`.
fn ends(first: MirrorTransition, then: MirrorTransition) -> bool {
    match first {
        MirrorTransition::Resyncs { .. } => matches!(
            then,
            MirrorTransition::InSync { .. } | MirrorTransition::Interrupted
        ),
        _ => matches!(
            then,
            MirrorTransition::Fences
                | MirrorTransition::Lost
                | MirrorTransition::GoesOn
                | MirrorTransition::TakenOver { .. }
        ),
    }
}

/// A transition in words and the kind of event that it is, where leg number `primary` serves; none
/// where it only ends another, which is over with `over`.
fn told(
    names: &[String; 2],
    primary: usize,
    transition: MirrorTransition,
    over: Option<MirrorTransition>,
) -> Option<(EventKind, String)> {
    let (here, there) = (&names[primary], &names[1 - primary]);
    Some(match transition {
        MirrorTransition::GivenUp { leg } => {
            (EventKind::Left, format!("{} is given up", names[leg]))
        }
        MirrorTransition::Resyncs { leg, bytes } => {
            (EventKind::CatchUp, resynced(&names[leg], bytes, over))
        }
        MirrorTransition::Fences => {
            let what = format!("{here} serves no IO until {there} is fenced");
            (EventKind::Frozen, what)
        }
        MirrorTransition::Lost => {
            let what = format!("{here} is lost, and IO waits for {there} or its return");
            (EventKind::Frozen, what)
        }
        MirrorTransition::TakenOver { leg, lacks } => {
            let lacks = match lacks {
                0 => "and has all that was acknowledged".to_owned(),
                lacks => format!("without {} that were acknowledged", in_bytes(lacks)),
            };
            let what = format!("{} takes over, {lacks}", names[leg]);
            (EventKind::Takeover, what)
        }
        MirrorTransition::SplitBrain { leg, alone } => {
            let (there, here) = (&names[leg], &names[1 - leg]);
            let what = format!(
                "split brain: {there} and {here} have both been written to alone, {there} in \
                 regions of {}",
                in_bytes(alone)
            );
            (EventKind::SplitBrain, what)
        }
        MirrorTransition::Discarded { leg } => {
            let what = format!("what only {} has is discarded", names[leg]);
            (EventKind::Discarded, what)
        }
        MirrorTransition::GoesOn
        | MirrorTransition::InSync { .. }
        | MirrorTransition::Interrupted => return None,
    })
}

fn resynced(leg: &str, bytes: Bytes, over: Option<MirrorTransition>) -> String {
    let copied = format!(
        "{leg} is back, and gets the {} that it lacks",
        in_bytes(bytes)
    );
    match over {
        Some(MirrorTransition::InSync { bound, .. }) => {
            format!("{copied}, bound by {}", ResyncBound::of(bound).in_words())
        }
        Some(_) => format!("{copied}, which breaks off"),
        None => format!("{copied}, which is not over at the end"),
    }
}
