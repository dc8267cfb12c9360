//! Sending the journal to members, and what they acknowledge.

use super::JournalMirror;
use super::member::{MemberId, Parcel};
use crate::engine::Engine;
use crate::network::Message;
use crate::replication::mirror::Mirrors;
use crate::replication::mirror::flow::{FlowId, LinkEnd};
use crate::request::{Op, Request};
use crate::spec::Acknowledged;
use crate::units::{Bytes, MIB, Nanos};

/// Most that is read, sent or stored at once: the largest journal write.
const MOST: Bytes = 4 * MIB;

/// The receiver of a message: journal data for a member, or its acknowledgement.
fn address(flow: FlowId, is_answer: bool) -> u32 {
    flow << 2 | u32::from(is_answer)
}

impl Mirrors {
    /// Sends to a member all of the journal that was not, the commit that is being written
    /// included.
    pub(super) fn send(&mut self, engine: &mut Engine, now: Nanos, of: MemberId) {
        let until = self.journals[of.journal].position;
        self.send_until(engine, now, of, until);
    }

    fn send_until(
        &mut self,
        engine: &mut Engine,
        now: Nanos,
        MemberId { journal, member }: MemberId,
        until: Bytes,
    ) {
        let of = &mut self.journals[journal];
        let flow = of.first_flow + of.first_slot(member);
        let to = &mut of.members[member];
        let parcel = Parcel {
            epoch: to.epoch,
            until,
            sent_at: now,
        };
        let bytes = until - to.sent;
        to.sent = until;
        to.data.push_back(parcel);
        to.unanswered.push_back(parcel);
        if to.in_step {
            let oldest = to.unanswered.front().map(|it| it.sent_at);
            of.control.owes(oldest);
        }
        let (link, end) = of.members[member].spec.link;
        self.schedule_control(journal);
        self.message_to(
            engine,
            now,
            LinkEnd { link, end },
            address(flow, false),
            bytes,
        );
    }

    fn message_to(
        &mut self,
        engine: &mut Engine,
        now: Nanos,
        LinkEnd { link, end }: LinkEnd,
        to: u32,
        bytes: Bytes,
    ) {
        let message = Message {
            to,
            bytes,
            has_answer: false,
            ahead: false,
            is_copy: false,
        };
        self.links[link].send(now, end, message, &mut engine.processors);
        self.schedule_link(link, end);
    }

    /// Has a member get what it lacks and nobody waits for.
    pub(super) fn ship(
        &mut self,
        engine: &mut Engine,
        now: Nanos,
        MemberId { journal, member }: MemberId,
    ) {
        let of = &mut self.journals[journal];
        let is_backup = member == of.backup();
        if !is_backup && (1..=of.asynchronous).contains(&member) {
            of.turn_to_primary(member);
        }
        let to = &mut of.members[member];
        if !to.connected || to.in_step || to.reading > 0 {
            return;
        }
        let left = of.committed.saturating_sub(to.sent);
        if is_backup && left <= MOST && to.has_answered_all() {
            // From here on the primary waits for it; it is active once it has answered.
            to.in_step = true;
            to.from_files = false;
            return self.send(engine, now, MemberId { journal, member });
        }
        if left == 0 {
            // A backup leaves the files when the primary waits for it.
            to.from_files &= is_backup;
        } else if !to.from_files {
            let until = of.committed;
            self.send_until(engine, now, MemberId { journal, member }, until);
        } else if to.unanswered.is_empty() {
            let file = of.sides[of.serving].journal;
            let (offset, len) = JournalMirror::place(file, to.sent, left.min(MOST));
            to.reading = len;
            let slot = of.first_slot(member) + 1;
            self.flows[(of.first_flow + slot) as usize].request = Request {
                device: file.device,
                op: Op::Read,
                offset,
                len,
                requester: of.job.into(),
                submitter: super::READER,
            };
            self.journal_io(engine, now, journal, slot);
        }
    }

    /// The primary has read its journal for a member.
    pub(super) fn journal_was_read(
        &mut self,
        engine: &mut Engine,
        now: Nanos,
        MemberId { journal, member }: MemberId,
    ) {
        let to = &mut self.journals[journal].members[member];
        let read = core::mem::take(&mut to.reading);
        let until = to.sent + read;
        // It may have gone meanwhile, and returned.
        if to.connected && !to.in_step && until <= self.journals[journal].committed {
            self.send_until(engine, now, MemberId { journal, member }, until);
        }
        self.ship(engine, now, MemberId { journal, member });
    }

    /// A message of a mirror of a journal was delivered.
    pub(in crate::replication::mirror) fn journal_message(
        &mut self,
        engine: &mut Engine,
        now: Nanos,
        journal: usize,
        slot: u32,
        is_answer: bool,
    ) {
        let of = &mut self.journals[journal];
        let member = ((slot - 1) / of.slots_of_member()) as usize;
        let it = &mut of.members[member];
        let queue = if is_answer {
            &mut it.answers
        } else {
            &mut it.data
        };
        let Some(parcel) = queue.pop_front().filter(|parcel| parcel.epoch == it.epoch) else {
            return;
        };
        match is_answer {
            false => {
                it.arrived = parcel.until;
                if of.spec.acknowledge == Acknowledged::Received || it.stored >= it.arrived {
                    self.answer_journal(engine, now, MemberId { journal, member }, parcel.until);
                }
                self.store(engine, now, MemberId { journal, member });
            }
            true => {
                it.acknowledged = it.acknowledged.max(parcel.until);
                while it
                    .unanswered
                    .front()
                    .is_some_and(|first| first.until <= parcel.until)
                {
                    it.unanswered.pop_front();
                }
                if member == of.sides[1 - of.serving].member {
                    self.backup_answered(engine, now, journal);
                }
                self.ship(engine, now, MemberId { journal, member });
            }
        }
    }

    /// A member acknowledges what has come up to a place.
    fn answer_journal(
        &mut self,
        engine: &mut Engine,
        now: Nanos,
        MemberId { journal, member }: MemberId,
        until: Bytes,
    ) {
        let of = &mut self.journals[journal];
        let flow = of.first_flow + of.first_slot(member);
        let it = &mut of.members[member];
        it.answers.push_back(Parcel {
            epoch: it.epoch,
            until,
            sent_at: now,
        });
        let (link, end) = it.spec.link;
        self.message_to(
            engine,
            now,
            LinkEnd { link, end: 1 - end },
            address(flow, true),
            0,
        );
    }

    /// A member writes what has come to its journal, one write at a time.
    fn store(&mut self, engine: &mut Engine, now: Nanos, MemberId { journal, member }: MemberId) {
        let of = &mut self.journals[journal];
        let it = &mut of.members[member];
        let left = it.arrived - it.stored;
        if it.storing > 0 || left == 0 {
            return;
        }
        let (offset, len) = JournalMirror::place(it.spec.journal, it.stored, left.min(MOST));
        it.storing = len;
        let request = Request {
            device: it.spec.journal.device,
            op: Op::Write,
            offset,
            len,
            requester: of.job.into(),
            submitter: super::READER,
        };
        let slot = of.first_slot(member);
        self.flows[(of.first_flow + slot) as usize].request = request;
        self.journal_io(engine, now, journal, slot);
    }

    /// What a member wrote is on its disk.
    pub(super) fn journal_is_stored(
        &mut self,
        engine: &mut Engine,
        now: Nanos,
        MemberId { journal, member }: MemberId,
    ) {
        let of = &mut self.journals[journal];
        let it = &mut of.members[member];
        let written = core::mem::take(&mut it.storing);
        it.stored = (it.stored + written).min(it.arrived);
        let stored = it.stored;
        if of.spec.acknowledge == Acknowledged::Written {
            self.answer_journal(engine, now, MemberId { journal, member }, stored);
        }
        self.store(engine, now, MemberId { journal, member });
        self.replay(engine, now, MemberId { journal, member });
    }

    /// A link works again: what it has dropped is sent again to those who are still connected.
    pub(super) fn send_again(
        &mut self,
        engine: &mut Engine,
        now: Nanos,
        journal: usize,
        link: usize,
    ) {
        for member in 0..self.journals[journal].members.len() {
            let it = &mut self.journals[journal].members[member];
            if it.spec.link.0 != link || !it.dropped || !it.connected {
                continue;
            }
            it.begin_again();
            if it.in_step {
                self.send(engine, now, MemberId { journal, member });
            } else {
                it.from_files = true;
            }
        }
    }

    /// A link has been down for so long that it drops what was to be sent.
    pub(in crate::replication::mirror) fn drop_journals(&mut self, link: usize) {
        let members = self.journals.iter_mut().flat_map(|it| &mut it.members);
        for member in members.filter(|member| member.spec.link.0 == link) {
            member.drop_messages();
        }
    }
}
