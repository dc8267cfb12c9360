//! How messages pass the interfaces of hosts, which they share with those of other links.
//!
//! Apart from what all messages pass: most hosts have no interface that bounds more than a link.

use super::Direction;
use crate::network::interface::{Passage, Port};
use crate::network::losses::Losses;
use crate::units::{Bytes, Nanos};

impl Direction {
    /// Sends a message that is ready through the interface and over the wires. Gives when it has
    /// left, and how long it waited: for its own link's messages, and for those of others.
    #[cold]
    pub(super) fn leave(
        &mut self,
        ready: Nanos,
        (bytes, packets): (Bytes, u64),
        out: &mut Port,
    ) -> (Nanos, [Nanos; 2]) {
        let whole = self.wires.whole(bytes, packets);
        let Passage { begins, ends } = out.send(ready, self.lottery.1.0, whole);
        let waited = begins - ready + self.wires.wait(begins);
        let own = self.alone.saturating_sub(ready).min(waited);
        self.alone = self.alone.max(ready) + self.wires.takes(whole);
        let left = self.wires.send(begins, bytes, packets);
        (left.max(ends), [own, waited - own])
    }

    /// The receiver's interface takes the first message under way, which has come to it: for how
    /// long that waited there, none if it still does. Those behind it come to the interface after
    /// it, so links take turns.
    #[cold]
    pub(super) fn enter(&mut self, now: Nanos, into: &mut Port) -> Option<Nanos> {
        if let Some(waited) = self.at_interface.take() {
            return Some(waited);
        }
        let Some(first) = self.transit.first() else {
            return Some(0);
        };
        let came = first.at;
        // What waits for lost packets before it has come when it was due.
        let due = self.losses.as_ref().and_then(Losses::due);
        let due = due.map_or(came, |due| due.min(came));
        let bytes = first.message.bytes;
        let whole = self.wires.whole(bytes, self.wires.packets(bytes));
        let Passage { ends, .. } = into.receive(due, self.lottery.1.0, whole);
        if ends <= now {
            return Some(0);
        }
        self.at_interface = Some(ends - came);
        self.transit.hold_up(ends);
        None
    }
}
