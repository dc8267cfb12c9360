//! What a node is to the group, as states: whether it is heard, and how far it is with the data.

use super::Member;
use super::copy::Copying;
use crate::event_queue::NEVER;
use crate::units::Nanos;

/// How another node stands to the group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// A member.
    Member,
    /// A member of which nothing has been heard since then.
    Silent(Nanos),
    /// It was given up, may come back from then on, and is owed what was certified meanwhile: that,
    /// or all data.
    Out(Nanos),
    /// Its engine has stopped, and it was given up.
    Gone,
}

/// How far a member is with the data, as Galera's node states have it.
#[derive(Clone, Debug)]
pub(super) enum Sync {
    /// It applies what it gets, and stops the group when its queue is too long (`SYNCED`).
    Synced,
    /// It gets what it has missed, or a copy of all data is to begin (`JOINER`).
    Receives,
    /// It gets a copy of all data.
    Copies(Copying),
    /// The copy has failed: it leaves.
    CopyFailed,
    /// Another is copied its data (`DONOR`). It stops nobody.
    Donates(usize),
    /// It has all that was sent, and is to apply that (`JOINED`). It stops the group when its queue
    /// is longer than the shortest that it was by so much (`fc_offset` in Galera's
    /// `gcs/src/gcs.cpp`).
    CatchesUp(u64),
}

/// Whether the host of a node works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Host {
    Up,
    Down,
    /// It is paused, ...
    Paused,
    /// ... and another node serves: its engine does nothing more.
    Fenced,
    /// It works again since then, and its engine is to be started.
    Back(Nanos),
}

impl Standing {
    /// Whether what is sent waits for it.
    pub(super) fn is_member(self) -> bool {
        matches!(self, Self::Member | Self::Silent(_))
    }

    pub(super) fn is_silent(self) -> bool {
        matches!(self, Self::Silent(_))
    }
}

impl Host {
    /// Its engine was ended.
    pub(super) fn ended(self, now: Nanos) -> Self {
        match self {
            Self::Paused | Self::Fenced => Self::Fenced,
            Self::Up | Self::Down | Self::Back(_) => Self::Back(now),
        }
    }

    /// It is paused, or goes on.
    pub(super) fn turned(self, now: Nanos, goes_on: bool) -> Self {
        match (self, goes_on) {
            (Self::Up, false) => Self::Paused,
            (Self::Paused, true) => Self::Up,
            (Self::Fenced, true) => Self::Back(now),
            _ => self,
        }
    }

    /// When its engine is started that is started so long after its host is back.
    pub(super) fn starts(self, restart: Nanos) -> Nanos {
        match self {
            Self::Back(at) => at + restart,
            Self::Up | Self::Down | Self::Paused | Self::Fenced => NEVER,
        }
    }
}

impl Member {
    /// A member that has and has applied what others have.
    pub(super) fn is_synced(&self) -> bool {
        self.standing == Standing::Member && matches!(self.sync, Sync::Synced)
    }

    /// The copy of all data that it gets, if it does.
    pub(super) fn copy(&mut self) -> Option<&mut Copying> {
        match &mut self.sync {
            Sync::Copies(copy) => Some(copy),
            _ => None,
        }
    }

    /// Who is copied its data, if anybody is.
    pub(super) fn donates_to(&self) -> Option<usize> {
        match self.sync {
            Sync::Donates(to) => Some(to),
            _ => None,
        }
    }

    /// With how many write sets more in its queue than others it stops the group; none if it never
    /// does.
    pub(super) fn may_lag(&self) -> Option<u64> {
        match self.sync {
            _ if self.standing != Standing::Member => None,
            Sync::Synced => Some(0),
            Sync::CatchesUp(shortest) => Some(shortest),
            Sync::Receives | Sync::Copies(_) | Sync::CopyFailed | Sync::Donates(_) => None,
        }
    }
}
