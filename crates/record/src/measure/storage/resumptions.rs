//! Senders that did not notice at once that their link was restored, as events.

use blockyard_model::network::Resumption;
use blockyard_model::units::{Nanos, SECOND};
use blockyard_scenario::{EventKind, Resolved};

use crate::result::{Event, seconds};

/// Shorter waits are not told.
const BRIEF: Nanos = SECOND / 10;

/// The wait of each sender, until it sends again. A wait for another connection is left out where
/// the link was down with a host: that host's own events tell of it.
pub(super) fn events(resolved: &Resolved, resumptions: &[(usize, Resumption)]) -> Vec<Event> {
    let storage = &resolved.storage;
    let mut all: Vec<Event> = Vec::new();
    for &(link, one) in resumptions {
        let (of, at) = (&storage.links[link], seconds(one.works));
        let mut cuts = resolved.events.iter();
        let is_cut = cuts.any(|it| it.kind == EventKind::Cut && it.on == of.name);
        if one.sends - one.works < BRIEF || one.anew && !is_cut {
            continue;
        }
        let host = &storage.hosts[of.ends[one.from]].name;
        let waits = match one.anew {
            true => "its ends have given their connection up and make another".to_owned(),
            false => format!("TCP at {host} waits for its doubled retransmission timer"),
        };
        let what = format!("{} is restored, but {waits}", of.name);
        let event = Event {
            until_s: Some(seconds(one.sends)),
            ..Event::noted(at, EventKind::Resume, Some(of.name.clone()), what)
        };
        if !all.contains(&event) {
            all.push(event);
        }
    }
    all
}
