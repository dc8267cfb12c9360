//! What the legs of a mirror lack of what was acknowledged, by what their disks did, and how
//! much that may be.

use super::*;
use crate::network::Link;

/// A write that is not known to be on both legs.
struct Write {
    request: Request,
    /// Whether the second leg's disk has been asked for it.
    received: bool,
    /// By leg: whether that was away before it had the write.
    missed: [bool; 2],
    /// When the second leg missed it while the first was not up to date, so that it is on
    /// neither once the first has been made what the second is.
    gone: Option<Nanos>,
}

/// The writes to a single mirror, each with a ticket of its own, whose first leg is local.
pub(super) struct Loss {
    acknowledge: Acknowledge,
    socket_buffer: Option<Bytes>,
    max_buffers: Bytes,
    /// By leg: whether its volume has failed.
    failed: [bool; 2],
    /// When the link to the second leg, if that has one, is given up as far as it is known now;
    /// since when each way of it is cut, and since when not both work.
    given_up: Nanos,
    cut: [Option<Nanos>; 2],
    broken: Option<Nanos>,
    /// Which ways are cut.
    from: [bool; 2],
    contact: Contact,
    timeout: Nanos,
    writes: BTreeMap<Ticket, Write>,
}

impl Loss {
    pub(super) fn new(spec: &StorageSpec) -> Self {
        let Layout::Mirror(mirror) = &spec.devices[0].layout else {
            panic!("the device is a mirror");
        };
        let is_remote = mirror.legs[1].link.is_some();
        Self {
            // Where there is nothing to send, a write ends on both disks, whatever the protocol.
            acknowledge: match is_remote {
                true => mirror.acknowledge,
                false => Acknowledge::C,
            },
            socket_buffer: spec.links[0].socket_buffer,
            max_buffers: mirror.max_buffers,
            failed: [false; 2],
            given_up: NEVER,
            cut: [None; 2],
            broken: None,
            from: [false; 2],
            contact: spec.links[0].contact,
            timeout: if is_remote {
                spec.links[0].timeout
            } else {
                NEVER
            },
            writes: BTreeMap::new(),
        }
    }

    pub(super) fn submit(&mut self, ticket: Ticket, request: &Request) {
        if request.op.writes() {
            let write = Write {
                request: *request,
                received: false,
                missed: [false; 2],
                gone: None,
            };
            self.writes.insert(ticket, write);
        }
    }

    pub(super) fn change(&mut self, now: Nanos, change: &Change) {
        match *change {
            Change::Fail { volume } => self.failed[volume] = true,
            Change::Resume { volume } => self.failed[volume] = false,
            Change::Cut { from, .. } => self.link_turns(now, from),
            _ => {}
        }
    }

    fn link_turns(&mut self, now: Nanos, from: [bool; 2]) {
        self.from = from;
        for end in (0..2).filter(|&end| from[end]) {
            self.cut[end].get_or_insert(now);
            self.broken.get_or_insert(now);
        }
        self.look_at_link(now, None);
    }

    /// Ways that work again may be heard later, when that is not the timeout's end but before.
    fn look_at_link(&mut self, now: Nanos, link: Option<&Link>) {
        if let Some(link) = link {
            for end in (0..2).filter(|&end| !self.from[end] && link.is_heard(end)) {
                self.cut[end] = None;
            }
            if self.from == [false; 2] && link.is_whole() {
                (self.broken, self.given_up) = (None, NEVER);
                return;
            }
        }
        // What was given up stays so until both ways work and are heard.
        if self.given_up > now {
            let since = match self.contact {
                Contact::Answered => self.broken,
                Contact::Heard => self.cut.into_iter().flatten().min(),
            };
            self.given_up = since.map_or(NEVER, |since| since.saturating_add(self.timeout));
        }
    }

    /// Looks at the mirror at `now`: to be called after each event and each change.
    pub(super) fn look(&mut self, storage: &Storage, contents: &Contents, now: Nanos) {
        let Some(mirrors) = storage.mirrors.as_deref() else {
            return;
        };
        for flow in &mirrors.flows {
            if let (Step::Data, Some(write)) = (flow.step, self.writes.get_mut(&flow.ticket)) {
                let branch = &flow.branches[1];
                write.received |= branch.open & Branch::DISK != 0 || branch.stored(now);
            }
        }
        let is_stale = !mirrors.mirrors[0].legs[0].dirty.is_empty();
        let away = [self.failed[0], self.failed[1] || self.given_up <= now];
        self.writes.retain(|&ticket, write| {
            let has = [0, 1].map(|leg| contents.has(leg, ticket, &write.request));
            for leg in [0, 1] {
                write.missed[leg] |= away[leg] && !has[leg];
            }
            if is_stale && write.missed[1] && !has[1] {
                write.gone = write.gone.or(Some(now));
            }
            has != [true; 2]
        });
        self.look_at_link(now, Some(&mirrors.links[0]));
    }

    /// Whether what the legs lack of what was acknowledged by `now` is no more than the protocol
    /// allows, and what `status` says.
    pub(super) fn check(
        &self,
        contents: &Contents,
        ends: &BTreeMap<Ticket, Option<Reply>>,
        status: &MirrorStatus,
        now: Nanos,
    ) {
        let lacked = [0, 1].map(|leg| {
            let of_leg = self.writes.iter().filter(move |(ticket, write)| {
                let end = ends.get(ticket).copied().flatten();
                let is_done = end.is_some_and(|end| end.at <= now && !end.failed);
                is_done && !contents.has(leg, **ticket, &write.request)
            });
            of_leg.map(|(_, write)| write).collect::<Vec<_>>()
        });
        let in_flight = [0, 1].map(|leg| {
            let of_leg = lacked[leg].iter().filter(|write| !write.missed[leg]);
            of_leg.copied().collect::<Vec<_>>()
        });
        assert_eq!(
            in_flight[0].len(),
            0,
            "the first leg lacks what it was asked for"
        );
        self.check_in_flight(&in_flight[1]);
        let at_risk = status.at_risk;
        let kept = lacked[1].iter().filter(|write| write.gone.is_none());
        let lost = union(kept.copied());
        assert!(at_risk >= lost, "{lost} bytes would be lost, not {at_risk}");
        // Of a failure behind a link that is cut the mirror learns later.
        if self.given_up == NEVER || self.given_up <= now {
            let gone = lacked[1].iter().filter(|write| write.gone == Some(now));
            let (gone, told) = (union(gone.copied()), status.counts.lost);
            assert!(told >= gone, "{gone} bytes are lost, not {told}");
        }
        if status.state == MirrorState::InSync && contents.is_sure() {
            let kept = lacked[1].iter().filter(|write| write.gone.is_none());
            let sum: Bytes = kept.map(|write| write.request.len).sum();
            assert_eq!(
                at_risk, sum,
                "in sync, what is under way is what is at risk"
            );
        }
    }

    /// What the second leg lacks though it was there all the time was under way to it.
    fn check_in_flight(&self, lacked: &[&Write]) {
        let payload = |write: &&&Write| match write.request.op {
            Op::Zero => 0,
            _ => write.request.len,
        };
        let received = lacked.iter().filter(|write| write.received);
        let received = received.map(|write| payload(&write));
        let most = self.max_buffers.max(received.clone().max().unwrap_or(0));
        let sum: Bytes = received.sum();
        assert!(sum <= most, "{sum} bytes in memory for {most}");
        let sent = lacked.iter().filter(|write| !write.received);
        let payload = sent.map(|write| payload(&write));
        match (self.acknowledge, self.socket_buffer) {
            // A message of its own passes a buffer of any size.
            (Acknowledge::A, Some(buffer)) => {
                let most = buffer.max(payload.clone().max().unwrap_or(0));
                let sum: Bytes = payload.sum();
                assert!(sum <= most, "{sum} bytes in a buffer for {most}");
            }
            (Acknowledge::A, None) => {}
            (Acknowledge::B, _) => assert_eq!(payload.count(), 0, "not received"),
            (Acknowledge::C, _) => assert_eq!(lacked.len(), 0, "not on the second leg"),
        }
    }
}

/// The bytes that any of these writes.
fn union<'a>(writes: impl Iterator<Item = &'a Write>) -> Bytes {
    ranges(writes.map(|write| &write.request))
}

/// The bytes that any of these requests touches.
pub(super) fn ranges<'a>(requests: impl Iterator<Item = &'a Request>) -> Bytes {
    let range = |it: &Request| (it.offset, it.offset + it.len);
    let mut ranges: Vec<_> = requests.map(range).collect();
    ranges.sort_unstable();
    let (mut end, mut sum) = (0, 0);
    for (from, until) in ranges {
        sum += until.saturating_sub(from.max(end));
        end = end.max(until);
    }
    sum
}
