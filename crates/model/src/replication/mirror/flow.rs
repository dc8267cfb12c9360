//! A request to a mirror on its way: what it has asked of which leg.

use crate::engine::Ticket;
use crate::event_queue::NEVER;
use crate::limits::LimitId;
use crate::network::{Taken, Trip, Wait};
use crate::request::{Reply, Request};
use crate::units::{Bytes, Nanos};

/// Index of a flow.
pub(super) type FlowId = u32;

/// A leg of the mirror that a flow is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FlowLeg {
    pub(super) id: FlowId,
    pub(super) leg: usize,
}

/// An end of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LinkEnd {
    pub(super) link: usize,
    pub(super) end: usize,
}

/// The ticket of a flow that nobody outside waits for.
pub(super) const NOBODY: Ticket = Ticket::MAX;

/// A request to a mirror, or a copy that brings a leg up to date.
///
/// It stands under its ticket until that is used again, and beyond that until nothing of it
/// is under way.
#[derive(Clone, Debug)]
pub(super) struct Flow {
    pub(super) ticket: Ticket,
    pub(super) mirror: u16,
    pub(super) request: Request,
    pub(super) step: Step,
    /// The first region that the log is not known to name.
    pub(super) to_log: u64,
    pub(super) branches: [Branch; 2],
    /// By leg: when what its disk does ends, as far as that is an event.
    pub(super) due: [Nanos; 2],
    /// What its messages took of the link: those to the leg, and those back.
    pub(super) trips: [Trip; 2],
    /// When a leg was asked last.
    pub(super) asked: Nanos,
    /// The part of `taken` before it did what was asked, while the log was written.
    pub(super) taken_before: Nanos,
    /// How long limits throttled it before that, and which did.
    pub(super) throttled_before: (Nanos, Option<LimitId>),
    /// How it ends, as was reported.
    pub(super) reply: Option<Reply>,
    /// It is over, and its place free.
    pub(super) is_over: bool,
}

/// What a flow is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// It writes the log for a region, or waits for who does.
    Log(u64),
    /// It does what was asked.
    Data,
    /// It reads what it will copy, in the given round of copying.
    CopyRead(u32),
    /// It writes that to the other leg.
    CopyWrite(u32),
    /// It is a slot of the mirror of a journal: which, and which slot.
    Journal(u16, u32),
}

impl Step {
    /// Whether it brings a leg up to date.
    #[inline]
    pub(super) fn copies(self) -> bool {
        matches!(self, Self::CopyRead(_) | Self::CopyWrite(_))
    }
}

/// What a flow's end has of one leg. What has failed stays so, whatever comes of it later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    /// Nothing has been asked of the leg.
    Unused,
    /// Its part of the end is not known.
    Asked,
    /// Its part of the end is [`Branch::end`], which may lie ahead.
    Done,
    /// It has not done it, or that it does is of no use.
    Failed,
}

/// What a flow has asked of one leg.
#[derive(Clone, Copy, Debug)]
pub(super) struct Branch {
    standing: Standing,
    /// The leg's part of the flow's end, where it is known.
    // Beside what stands, not in it: a reply in an enum is copied byte by byte.
    end: Reply,
    /// What is under way: [`Branch::REQUEST`], [`Branch::DISK`], [`Branch::ANSWER`].
    pub(super) open: u8,
    /// The leg was given up meanwhile: nothing that it does counts.
    pub(super) lost: bool,
    /// The leg's host has answered as soon as it had received the request.
    pub(super) at_receipt: bool,
    /// What the request has of the buffers of the leg's host.
    pub(super) buffered: Bytes,
    /// How the leg's disk ends it, or ended it.
    pub(super) disk: Reply,
}

impl Branch {
    /// A message to the leg.
    pub(super) const REQUEST: u8 = 1;
    /// The leg's disk.
    pub(super) const DISK: u8 = 2;
    /// A message back.
    pub(super) const ANSWER: u8 = 4;

    pub(super) const UNUSED: Self = Self {
        standing: Standing::Unused,
        end: Reply::NEVER,
        open: 0,
        lost: false,
        at_receipt: false,
        buffered: 0,
        disk: Reply::NEVER,
    };

    /// The leg is about to be asked.
    #[inline]
    pub(super) fn begin(&mut self) {
        self.clear();
        self.standing = Standing::Asked;
    }

    /// Nothing has been asked of the leg.
    // Field by field: to build it whole and then copy it makes a processor wait for what it has
    // just written.
    #[inline]
    pub(super) fn clear(&mut self) {
        self.standing = Standing::Unused;
        self.open = 0;
        self.lost = false;
        self.at_receipt = false;
        self.buffered = 0;
        self.disk.at = Nanos::MAX;
        self.disk.failed = false;
    }

    /// The leg's part of the end, if that is known.
    #[inline]
    pub(super) fn done(&self) -> Option<Reply> {
        (self.standing == Standing::Done).then_some(self.end)
    }

    /// Whether the leg's part of the end is known.
    #[inline]
    pub(super) fn is_done(&self) -> bool {
        self.standing == Standing::Done
    }

    /// Whether the leg's part of the end is to come.
    #[inline]
    pub(super) fn is_asked(&self) -> bool {
        self.standing == Standing::Asked
    }

    #[inline]
    pub(super) fn has_failed(&self) -> bool {
        self.standing == Standing::Failed
    }

    /// Whether the flow's end needs the leg, or has needed it.
    #[inline]
    pub(super) fn counts(&self) -> bool {
        matches!(self.standing, Standing::Asked | Standing::Done)
    }

    /// The leg's part of the end is known, unless it was before: under A it was when the
    /// message was sent. Whether that is news.
    #[inline]
    pub(super) fn finish(&mut self, reply: Reply) -> bool {
        let is_news = self.is_asked();
        if is_news {
            (self.standing, self.end) = (Standing::Done, reply);
        }
        is_news
    }

    /// The leg's part of the end is not known any more.
    pub(super) fn reopen(&mut self) {
        if self.standing == Standing::Done {
            self.standing = Standing::Asked;
        }
    }

    /// The leg does not do it. Whether that is news.
    pub(super) fn fail(&mut self) -> bool {
        !matches!(
            core::mem::replace(&mut self.standing, Standing::Failed),
            Standing::Failed
        )
    }

    /// Whether it is on the leg's disk at `now`.
    pub(super) fn stored(&self, now: Nanos) -> bool {
        self.counts() && !self.disk.failed && self.disk.at <= now
    }
}

impl Flow {
    pub(super) fn new(ticket: Ticket, mirror: u16, request: &Request, step: Step) -> Self {
        Self {
            ticket,
            mirror,
            request: *request,
            step,
            to_log: 0,
            branches: [Branch::UNUSED; 2],
            due: [NEVER; 2],
            trips: [Trip::default(), Trip::default()],
            asked: 0,
            taken_before: 0,
            throttled_before: (0, None),
            reply: None,
            is_over: false,
        }
    }

    /// Becomes the flow of another request under its ticket: nothing of it is under way.
    #[inline]
    pub(super) fn renew(&mut self, mirror: u16, request: &Request) {
        self.mirror = mirror;
        self.request = *request;
        self.step = Step::Data;
        self.to_log = 0;
        self.branches.iter_mut().for_each(Branch::clear);
        self.trips = [Trip::default(), Trip::default()];
        self.asked = 0;
        self.taken_before = 0;
        self.throttled_before = (0, None);
        self.reply = None;
    }

    /// What a leg's disk does ends at a time, or with [`NEVER`] not as an event. Gives when the
    /// next does.
    #[inline]
    pub(super) fn disk_is_due(&mut self, leg: usize, at: Nanos) -> Nanos {
        self.due[leg] = at;
        self.due[0].min(self.due[1])
    }

    /// Whether a leg's part of the end is to come.
    #[inline]
    pub(super) fn is_asked(&self) -> bool {
        self.branches[0].is_asked() || self.branches[1].is_asked()
    }

    /// Whether anything of it is under way.
    #[inline]
    pub(super) fn is_open(&self) -> bool {
        self.branches[0].open | self.branches[1].open != 0
    }

    /// What its messages took so far.
    #[inline]
    pub(super) fn taken(&self) -> Nanos {
        self.trips[0].in_all() + self.trips[1].in_all()
    }

    /// A message to the leg, or back, took so much of the link.
    #[inline]
    pub(super) fn took(&mut self, trip: &Trip, back: bool) {
        let own = &mut self.trips[usize::from(back)];
        own.processor += trip.processor;
        own.bandwidth += trip.bandwidth;
        if let Some(waited) = &trip.waited {
            self.waited(waited, back);
        }
    }

    /// A message to the leg, or back, waited so long.
    pub(super) fn waited(&mut self, waited: &Taken, back: bool) {
        let own = self.trips[usize::from(back)].waited.get_or_insert_default();
        own.iter_mut().zip(waited).for_each(|(sum, it)| *sum += it);
        // Not the link's: what has the receiver's buffers is.
        own[Wait::Unread as usize] = 0;
    }

    /// So long it, or its message, waited for buffers that requests had which `limit` throttled.
    pub(super) fn throttled_unread(&mut self, time: Nanos, limit: Option<LimitId>) {
        if limit.is_some() {
            self.throttled(time, limit);
        }
    }

    /// Throttled for so long more by `limit` before it did what was asked.
    pub(super) fn throttled(&mut self, time: Nanos, limit: Option<LimitId>) {
        let (sum, by) = self.throttled_before;
        self.throttled_before = (sum + time, if time > sum { limit } else { by });
    }

    /// When it ends, where all that is asked is done, no leg failed it and nothing throttled it:
    /// most do. To put their replies together field by field would take several times as long.
    #[inline]
    pub(super) fn free_end(&self) -> Option<Nanos> {
        // Whether both legs are asked cannot be foretold, so nothing branches on it.
        let end_of = |branch: &Branch| branch.end.at * Nanos::from(branch.is_done());
        let is_plain = |branch: &Branch| {
            let is_unused = branch.standing == Standing::Unused;
            is_unused | (branch.is_done() & branch.end.is_free())
        };
        let [one, other] = &self.branches;
        let end = end_of(one).max(end_of(other));
        let is_free = is_plain(one) & is_plain(other) & (self.throttled_before.0 == 0);
        (is_free && end > 0).then_some(end)
    }

    /// How it ends, with all that limits throttled it: before it did what was asked, and on the
    /// `near` leg while its messages took as long and longer.
    #[inline]
    pub(super) fn throttled_in_all(&self, end: Reply, near: usize) -> Reply {
        let is_throttled = |branch: &Branch| branch.done().is_some_and(|it| it.throttled > 0);
        match self.throttled_before.0 > 0 || self.branches.iter().any(is_throttled) {
            true => self.throttled_with(end, near),
            false => end,
        }
    }

    fn throttled_with(&self, end: Reply, near: usize) -> Reply {
        let hidden = match self.branches[near].done() {
            Some(near) if near.at < end.at && near.throttled > 0 => {
                let of_data = self.taken() - self.taken_before;
                let hidden = of_data.saturating_sub(end.at - near.at);
                (hidden.min(near.throttled), near.limit)
            }
            _ => (0, None),
        };
        let longest = |a: (Nanos, Option<LimitId>), b: (Nanos, Option<LimitId>)| {
            (a.0 + b.0, if b.0 > a.0 { b.1 } else { a.1 })
        };
        // Without that, the other leg would have been waited for.
        let without = |leg: usize, taken: Nanos| {
            let done = self.branches[leg].done()?;
            Some(done.at.saturating_sub(done.throttled + taken))
        };
        let of_data = self.taken() - self.taken_before;
        let least = without(near, 0).max(without(1 - near, of_data));
        let most = end.at - least.unwrap_or(0).min(end.at);
        let own = (end.throttled.min(most), end.limit);
        let (throttled, limit) = longest(longest(own, hidden), self.throttled_before);
        Reply {
            throttled,
            limit,
            ..end
        }
    }

    /// Whether it changes what the legs hold.
    #[inline]
    pub(super) fn writes(&self) -> bool {
        self.request.op.writes()
    }
}
