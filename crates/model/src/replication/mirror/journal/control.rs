//! Who may commit: the primary of a mirror of a journal, its backup and the arbiter, by the
//! product's rules for automatic failover ("Automatic Failover Mechanics Detailed" in the high
//! availability guide).
//!
//! All that decides is which of the three connections between them work, since when, and how
//! long the backup has owed an acknowledgement. A connection that is down for the QoS timeout
//! counts as lost. The product reacts after half of that at the earliest and all of it at the
//! latest; here it is always all of it.

use alloc::vec::Vec;

use crate::event_queue::NEVER;
use crate::units::Nanos;

/// A connection between two of the three.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::replication::mirror) enum Connection {
    /// From the primary to the backup.
    Backup,
    /// From the primary to the arbiter.
    PrimaryArbiter,
    /// From the backup to the arbiter.
    BackupArbiter,
}

/// How the backup stands to the primary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackupState {
    /// It has all journal data that was committed, and the primary waits for it.
    Active,
    /// It has lost active status, and is not connected.
    Disconnected,
    /// It is connected again and gets what it lacks.
    CatchingUp,
    /// It has taken over as primary.
    Primary,
}

/// An outcome of a mirror at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transition {
    /// The backup lost active status, and the primary is in trouble: it commits nothing.
    Trouble,
    /// The trouble is over: the primary commits without the backup.
    Alone,
    /// A backup that was catching up is gone again.
    Disconnected,
    /// The backup is connected again and gets what it lacks.
    CatchingUp,
    /// The backup is active.
    Active,
    /// The backup is primary; the former one commits nothing any more.
    TakenOver,
    /// The new primary has replayed all that it had received.
    Ready,
}

/// The state of the three.
#[derive(Clone, Debug)]
pub(in crate::replication::mirror) struct Control {
    qos_timeout: Nanos,
    has_arbiter: bool,
    /// Since when each connection has been down.
    down: [Option<Nanos>; 3],
    /// Whether what the arbiter sees decides, rather than the primary and its agent alone.
    arbiter_controlled: bool,
    backup: BackupState,
    /// Whether a backup that has lost the primary has lost the arbiter too: it then does not take
    /// over by itself any more.
    is_cut_off: bool,
    /// Since when the primary is in trouble.
    trouble: Option<Nanos>,
    /// Since when the backup has owed an acknowledgement.
    owed: Option<Nanos>,
    transitions: Vec<(Nanos, Transition)>,
}

impl Control {
    pub(super) fn new(qos_timeout: Nanos, has_arbiter: bool) -> Self {
        Self {
            qos_timeout,
            has_arbiter,
            down: [None; 3],
            arbiter_controlled: has_arbiter,
            backup: BackupState::Active,
            is_cut_off: false,
            trouble: None,
            owed: None,
            transitions: Vec::new(),
        }
    }

    /// How the backup is.
    pub(super) fn backup(&self) -> BackupState {
        self.backup
    }

    /// Whether the primary may write its journal.
    pub(super) fn may_commit(&self) -> bool {
        self.trouble.is_none() && self.backup != BackupState::Primary
    }

    /// Whether a commit waits for what only a decision can end.
    pub(super) fn is_waiting(&self) -> bool {
        !self.may_commit() || self.backup == BackupState::Active && self.is_down(Connection::Backup)
    }

    /// Whether a connection is down.
    pub(super) fn is_down(&self, connection: Connection) -> bool {
        self.down[connection as usize].is_some()
    }

    /// What has become of the mirror, in order.
    pub(super) fn transitions(&self) -> &[(Nanos, Transition)] {
        &self.transitions
    }

    /// A connection goes down, or works again.
    pub(super) fn turn(&mut self, now: Nanos, connection: Connection, works: bool) {
        let down = &mut self.down[connection as usize];
        *down = match works {
            true => None,
            false => down.or(Some(now)),
        };
    }

    /// Since when the backup has owed an acknowledgement; none if it owes none.
    pub(super) fn owes(&mut self, since: Option<Nanos>) {
        self.owed = since;
    }

    /// A backup that was catching up has all that was committed.
    pub(super) fn caught_up(&mut self, now: Nanos) {
        if self.backup == BackupState::CatchingUp {
            self.is_cut_off = false;
            self.become_(now, BackupState::Active, Transition::Active);
            self.choose_mode();
        }
    }

    /// A backup that is primary has replayed all that it had received.
    pub(super) fn ready(&mut self, now: Nanos) {
        let last = self.transitions.last();
        if last.is_some_and(|(_, last)| *last == Transition::TakenOver) {
            self.transitions.push((now, Transition::Ready));
        }
    }

    /// When [`Control::step`] is to be called, or [`NEVER`].
    pub(super) fn next_event(&self) -> Nanos {
        let [backup, primary_arbiter, backup_arbiter] =
            self.down.map(|since| since.map(|at| self.lost_at(at)));
        let first = |times: &[Option<Nanos>]| times.iter().flatten().min().copied();
        let next = match (self.backup, self.trouble) {
            (BackupState::Primary, _) => None,
            (_, Some(since)) if !self.arbiter_controlled => Some(since + 2 * self.qos_timeout),
            (_, Some(_)) if primary_arbiter.is_none() => backup_arbiter,
            (_, Some(_)) if self.is_cut_off => None,
            (_, Some(_)) if backup_arbiter.is_none() => backup.max(primary_arbiter),
            (_, Some(_)) => backup.max(backup_arbiter),
            (BackupState::Active, None) => {
                let owed = self.owed.map(|since| self.lost_at(since));
                let arbiter = first(&[primary_arbiter, backup_arbiter]);
                let arbiter = arbiter.filter(|_| self.arbiter_controlled && backup.is_none());
                first(&[backup, owed, arbiter])
            }
            // One that is catching up and does not answer is gone.
            (BackupState::CatchingUp, None) => self.owed.map(|since| self.lost_at(since)),
            (BackupState::Disconnected, None) => None,
        };
        next.unwrap_or(NEVER)
    }

    /// Makes the first transition that is due by `now`; gives whether there was one. To be called
    /// again until there is none: several can be due at once, and whoever acts on the state must
    /// act on each that it passes through.
    pub(super) fn step(&mut self, now: Nanos) -> bool {
        let before = self.transitions.len();
        self.choose_mode();
        let is_lost = |since: Option<Nanos>| since.is_some_and(|at| self.lost_at(at) <= now);
        let [backup, primary_arbiter, backup_arbiter] = self.down.map(is_lost);
        let no_answer = backup || is_lost(self.owed);
        let is_down = self.is_down(Connection::Backup);
        self.is_cut_off |= backup && backup_arbiter;
        match self.backup {
            BackupState::Active if no_answer => {
                self.trouble = Some(now);
                self.become_(now, BackupState::Disconnected, Transition::Trouble);
            }
            BackupState::Active if !is_down => {
                // Members that reach each other agree to do without an arbiter that one lost.
                self.arbiter_controlled &= !(primary_arbiter || backup_arbiter);
            }
            BackupState::CatchingUp if no_answer || is_down => {
                self.become_(now, BackupState::Disconnected, Transition::Disconnected);
            }
            BackupState::Disconnected => match self.trouble {
                Some(since) => self.decide(now, since),
                None if is_down => {}
                None => self.become_(now, BackupState::CatchingUp, Transition::CatchingUp),
            },
            _ => {}
        }
        self.transitions.len() > before
    }

    /// What ends trouble that the primary has been in since then.
    fn decide(&mut self, now: Nanos, since: Nanos) {
        let [backup, primary_arbiter, backup_arbiter] =
            self.down.map(|since| since.map(|at| self.lost_at(at)));
        let is_over = match (backup, primary_arbiter) {
            // The backup answers that it is not active any more.
            (None, _) => true,
            // Its agent, if it could be asked, would have said by then that it is to take over.
            _ if !self.arbiter_controlled => since + 2 * self.qos_timeout <= now,
            // The arbiter has lost the backup too, or passes on that it is not active any more.
            (_, None) => backup_arbiter.is_none_or(|at| at <= now),
            // The primary is alone. It must wait, as the backup may take over.
            (Some(backup), Some(arbiter)) => {
                if !(self.is_cut_off || self.is_down(Connection::BackupArbiter))
                    && backup.max(arbiter) <= now
                {
                    self.trouble = None;
                    self.become_(now, BackupState::Primary, Transition::TakenOver);
                }
                false
            }
        };
        if is_over {
            self.trouble = None;
            self.arbiter_controlled = false;
            self.transitions.push((now, Transition::Alone));
        }
    }

    /// While all reach each other and the backup is active, the arbiter decides.
    fn choose_mode(&mut self) {
        let all = self.down == [None; 3] && self.backup == BackupState::Active;
        self.arbiter_controlled |= self.has_arbiter && all;
    }

    fn become_(&mut self, now: Nanos, state: BackupState, transition: Transition) {
        self.backup = state;
        self.owed = None;
        self.transitions.push((now, transition));
    }

    fn lost_at(&self, since: Nanos) -> Nanos {
        since + self.qos_timeout
    }
}
