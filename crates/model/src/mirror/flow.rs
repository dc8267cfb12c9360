//! A request to a mirror on its way: what it has asked of which leg.

use crate::request::{Reply, Request};
use crate::storage::Ticket;
use crate::units::Nanos;

/// Index of a flow.
pub(super) type FlowId = u32;

/// The ticket of a flow that nobody outside waits for.
pub(super) const NOBODY: Ticket = Ticket::MAX;

/// A request to a mirror, or a copy that brings a leg up to date.
///
/// It stands under its ticket until that is used again, and beyond that until nothing of it
/// is under way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flow {
    pub(super) ticket: Ticket,
    pub(super) mirror: u16,
    pub(super) request: Request,
    pub(super) step: Step,
    /// The first region that the log is not known to name.
    pub(super) to_log: u64,
    pub(super) branches: [Branch; 2],
    /// How it ends, as was told of it.
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

/// What a flow has asked of one leg.
#[derive(Clone, Copy, Debug)]
pub(super) struct Branch {
    /// Whether it has asked anything of it.
    pub(super) used: bool,
    /// What is under way: [`Branch::REQUEST`], [`Branch::DISK`], [`Branch::ANSWER`].
    pub(super) open: u8,
    /// The leg was given up meanwhile: nothing that it does counts.
    pub(super) lost: bool,
    /// The leg has not done it.
    pub(super) failed: bool,
    /// The leg's part of the end, if that is known. It may lie ahead.
    pub(super) ok: Option<Reply>,
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
        used: false,
        open: 0,
        lost: false,
        failed: false,
        ok: None,
        disk: Reply {
            at: Nanos::MAX,
            throttled: 0,
            limit: None,
            failed: false,
        },
    };

    /// Nothing more to come that the flow's end depends on.
    #[inline]
    pub(super) fn settled(&self) -> bool {
        !self.used || self.failed || self.ok.is_some()
    }

    /// Whether it is on the leg's disk at `now`.
    pub(super) fn stored(&self, now: Nanos) -> bool {
        self.used && !self.failed && !self.disk.failed && self.disk.at <= now
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
            reply: None,
            is_over: false,
        }
    }

    /// Whether anything of it is under way.
    #[inline]
    pub(super) fn is_open(&self) -> bool {
        self.branches[0].open | self.branches[1].open != 0
    }

    /// Whether it changes what the legs hold.
    #[inline]
    pub(super) fn writes(&self) -> bool {
        self.request.op.writes()
    }
}
