//! What becomes of a mirror whose hosts lose each other, as events.

use blockyard_model::replication::mirror::MirrorTransition;
use blockyard_model::spec::{Layout, StorageSpec};
use blockyard_model::units::Nanos;
use blockyard_scenario::EventKind;

use crate::measure::event_words::in_bytes;
use crate::result::{Event, seconds};

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
    let Some((link, end)) = mirror.legs[1].link else {
        return Vec::new();
    };
    let ends = storage.links[link].ends;
    let host = |leg: usize| &storage.hosts[ends[(end + leg) % 2]].name;
    let mut primary = 0;
    let mut all = Vec::new();
    for (place, &(at, what)) in transitions.iter().enumerate() {
        let (kind, what) = match what {
            MirrorTransition::Fences => {
                let (here, there) = (host(primary), host(1 - primary));
                let what = format!("{here} serves no IO until {there} is fenced");
                (EventKind::Frozen, what)
            }
            MirrorTransition::Lost => {
                let (here, there) = (host(primary), host(1 - primary));
                let what = format!("{here} is lost, and IO waits for {there} or its return");
                (EventKind::Frozen, what)
            }
            MirrorTransition::GoesOn => continue,
            MirrorTransition::TakenOver { leg, lacks } => {
                primary = leg;
                let here = host(leg);
                let lacks = match lacks {
                    0 => "and has all that was acknowledged".to_owned(),
                    lacks => format!("without {} that were acknowledged", in_bytes(lacks)),
                };
                (EventKind::Takeover, format!("{here} takes over, {lacks}"))
            }
            MirrorTransition::SplitBrain { leg, alone } => {
                let (there, here) = (host(leg), host(1 - leg));
                let what = format!(
                    "split brain: {there} and {here} have both been written to alone, {there} in \
                     regions of {}",
                    in_bytes(alone)
                );
                (EventKind::SplitBrain, what)
            }
            MirrorTransition::Discarded { leg } => {
                let what = format!("what only {} has is discarded", host(leg));
                (EventKind::Discarded, what)
            }
        };
        let next = transitions.get(place + 1);
        let until = next.filter(|_| kind == EventKind::Frozen);
        let what = format!("{}: {what}", of.name);
        all.push(Event {
            until_s: until.map(|(until, _)| seconds(*until)),
            ..Event::noted(seconds(at), kind, Some(of.name.clone()), what)
        });
    }
    all
}
