//! What each leg of a mirror holds, worked out from what its disk did and from nothing that the
//! mirror says of itself.

use alloc::collections::BTreeSet;

use super::*;

/// Copies begin at multiples of this.
const PIECE: Bytes = 64 * KIB;

/// A piece of what a request wrote.
type Held = BTreeSet<(Ticket, u64)>;

/// A copy, by the place of its flow, its round and where it begins.
type CopyId = (usize, u32, Bytes);

/// The contents of a single mirror's legs, each request having a ticket of its own.
#[derive(Default)]
pub(super) struct Contents {
    legs: [Held; 2],
    /// Copies under way that have read: the leg that they are for, how long they are, and what
    /// they have.
    copies: BTreeMap<CopyId, (usize, Bytes, Held)>,
    /// Bytes copied so far.
    copied: Bytes,
    /// Copies were written and others given up at one moment: which is not to be seen.
    is_unsure: bool,
}

impl Contents {
    /// Looks at the mirror at `now`: to be called after each event and each change.
    pub(super) fn look(&mut self, storage: &Storage, now: Nanos) {
        let Some(mirrors) = storage.mirrors.as_deref() else {
            return;
        };
        let mut gone = core::mem::take(&mut self.copies);
        let flows = mirrors.flows.iter().enumerate();
        let under_way = || flows.clone().filter(|(_, flow)| !flow.is_over);
        // A copy's end is an event and a write's need not be: a copy that ends now has read what
        // was written since the last look.
        for (_, flow) in under_way() {
            if flow.step == Step::Data && flow.writes() && flow.ticket != NOBODY {
                self.wrote(flow, now);
            }
        }
        for (place, flow) in under_way() {
            if let Step::CopyRead(round) | Step::CopyWrite(round) = flow.step {
                let id = (place, round, flow.request.offset);
                let known = gone.remove(&id).or_else(|| self.has_read(flow, now));
                self.copies.extend(known.map(|copy| (id, copy)));
            }
        }
        // Of those that have ended either all were written or, as a leg has gone, none.
        let copied = mirrors.mirrors[0].counts.copied;
        if copied > self.copied {
            let gone_bytes = gone.values().map(|(_, len, _)| len).sum::<Bytes>();
            self.is_unsure |= self.copied + gone_bytes != copied;
            self.copied = copied;
            for (leg, _, held) in gone.into_values() {
                self.legs[leg].extend(held);
            }
        }
    }

    fn wrote(&mut self, flow: &Flow, now: Nanos) {
        for leg in [0, 1] {
            // What a disk does counts, whether or not anybody waits for it.
            let disk = &flow.branches[leg].disk;
            if !disk.failed && disk.at <= now {
                self.legs[leg].extend(pieces(&flow.request).map(|piece| (flow.ticket, piece)));
            }
        }
    }

    /// What a copy has read, if it has.
    fn has_read(&self, flow: &Flow, now: Nanos) -> Option<(usize, Bytes, Held)> {
        let from = [0, 1]
            .into_iter()
            .find(|&leg| flow.branches[leg].stored(now))?;
        let range = pieces(&flow.request);
        let own = self.legs[from]
            .iter()
            .filter(|(_, piece)| range.contains(piece));
        Some((1 - from, flow.request.len, own.copied().collect()))
    }

    /// Whether all that the legs hold is known.
    pub(super) fn is_sure(&self) -> bool {
        !self.is_unsure
    }

    /// Whether a leg holds all that a request wrote, as far as that can be seen.
    pub(super) fn has(&self, leg: usize, ticket: Ticket, request: &Request) -> bool {
        self.is_unsure || pieces(request).all(|piece| self.legs[leg].contains(&(ticket, piece)))
    }
}

fn pieces(request: &Request) -> core::ops::RangeInclusive<u64> {
    request.offset / PIECE..=(request.offset + request.len.max(1) - 1) / PIECE
}
