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
    /// It has taken over, and replays what it has received; then it is the primary, and the former
    /// one its backup.
    Primary,
}

/// How a failover member of a mirror is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::replication::mirror) enum Health {
    /// It works.
    Able,
    /// Its host is paused or, of a backup, a volume of it has failed: it does nothing, and has
    /// all it had when that is over.
    Halted,
    /// Its host is down: once that is back it starts anew.
    Down,
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
    /// The new primary has replayed all that it had received: from here on *primary* is that one,
    /// and *backup* the former primary.
    Ready,
    /// The host of the primary is down or paused: nothing is committed.
    PrimaryLost,
    /// The host of the primary works again, and the backup has not taken over.
    PrimaryBack,
    /// The primary's disk refused a journal write: updates are frozen.
    Frozen,
    /// The primary's journal is written again.
    Thawed,
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
    /// Whether a backup that has lost the primary has lost the arbiter too, or has been down: it
    /// then does not take over by itself any more.
    is_cut_off: bool,
    primary_is: Health,
    backup_is: Health,
    /// Whether the primary was down and has not met the backup since: one that starts anew is not
    /// primary before it has asked the other failover member whether that has taken over.
    has_to_ask: bool,
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
            primary_is: Health::Able,
            backup_is: Health::Able,
            has_to_ask: false,
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
        self.trouble.is_none() && self.backup != BackupState::Primary && self.primary_works()
    }

    /// Whether the host of the primary is neither down nor paused.
    pub(super) fn primary_works(&self) -> bool {
        self.primary_is == Health::Able
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

    /// The primary and the backup are so from now on.
    pub(super) fn members_are(&mut self, now: Nanos, primary: Health, backup: Health) {
        let worked = self.primary_works();
        self.has_to_ask |= primary == Health::Down;
        self.is_cut_off |= backup == Health::Down;
        (self.primary_is, self.backup_is) = (primary, backup);
        if worked == self.primary_works() || self.backup == BackupState::Primary {
            return;
        }
        if worked {
            self.transitions.push((now, Transition::PrimaryLost));
        } else {
            // What it has not heard while it stood still counts from now on.
            self.trouble = self.trouble.map(|_| now);
            self.owed = self.owed.map(|_| now);
            self.transitions.push((now, Transition::PrimaryBack));
        }
    }

    /// The primary's disk refuses its journal, or does not any more.
    pub(super) fn journal_is(&mut self, now: Nanos, refused: bool) {
        let to = match refused {
            true => Transition::Frozen,
            false => Transition::Thawed,
        };
        self.transitions.push((now, to));
    }

    /// Since when the backup has owed an acknowledgement; none if it owes none.
    pub(super) fn owes(&mut self, since: Option<Nanos>) {
        self.owed = since;
    }

    /// A backup that was catching up has all that was committed.
    pub(super) fn caught_up(&mut self, now: Nanos) {
        if self.backup == BackupState::CatchingUp {
            self.is_cut_off = self.backup_is == Health::Down;
            self.become_(now, BackupState::Active, Transition::Active);
            self.choose_mode();
        }
    }

    /// Whether the backup has taken over and is able to replay what it has received.
    pub(super) fn takes_over(&self) -> bool {
        self.backup == BackupState::Primary && self.backup_is == Health::Able
    }

    /// A backup that has taken over has replayed all that it had received: it is primary from now
    /// on, and the former primary its backup, which is not active.
    pub(super) fn ready(&mut self, now: Nanos) {
        self.transitions.push((now, Transition::Ready));
        let [backup, primary_arbiter, backup_arbiter] = self.down;
        self.down = [backup, backup_arbiter, primary_arbiter];
        core::mem::swap(&mut self.primary_is, &mut self.backup_is);
        self.backup = BackupState::Disconnected;
        (self.trouble, self.owed) = (None, None);
        self.arbiter_controlled = false;
        self.is_cut_off = true;
        self.has_to_ask = false;
    }

    /// When [`Control::step`] is to be called, or [`NEVER`].
    pub(super) fn next_event(&self) -> Nanos {
        let [backup, primary_arbiter, backup_arbiter] =
            self.down.map(|since| since.map(|at| self.lost_at(at)));
        let first = |times: &[Option<Nanos>]| times.iter().flatten().min().copied();
        let next = match (self.backup, self.trouble) {
            (BackupState::Primary, _) => None,
            (_, Some(_)) if self.may_take_over() => backup.max(primary_arbiter),
            // From then on the backup does not take over any more, if it could.
            (_, Some(_)) if !self.may_go_on() => {
                let both = backup
                    .and(backup_arbiter)
                    .map(|at| at.max(backup.unwrap_or(at)));
                both.filter(|_| !self.is_cut_off)
            }
            (_, Some(since)) if !self.arbiter_controlled => Some(since + 2 * self.qos_timeout),
            (_, Some(_)) => backup_arbiter,
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
        let started_anew = self.is_cut_off && self.backup_is != Health::Down && !is_down;
        let started_anew = started_anew && self.primary_works();
        self.has_to_ask &= is_down || !self.primary_works();
        match self.backup {
            BackupState::Active if no_answer || started_anew => {
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
                None if is_down || !self.primary_works() => {}
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
        if self.may_take_over() {
            if backup.max(primary_arbiter).is_some_and(|at| at <= now) {
                self.trouble = None;
                self.become_(now, BackupState::Primary, Transition::TakenOver);
            }
            return;
        }
        let is_over = match backup {
            _ if !self.may_go_on() => false,
            // The backup answers that it is not active any more.
            None => true,
            // Its agent, if it could be asked, would have said by then that it is to take over.
            _ if !self.arbiter_controlled => since + 2 * self.qos_timeout <= now,
            // The arbiter has lost the backup too, or passes on that it is not active any more.
            _ => backup_arbiter.is_none_or(|at| at <= now),
        };
        if is_over {
            self.trouble = None;
            self.arbiter_controlled = false;
            self.transitions.push((now, Transition::Alone));
        }
    }

    /// Whether a primary in trouble may go on without the backup, once that is certain not to
    /// take over: it works, and it reaches one of those that know.
    fn may_go_on(&self) -> bool {
        let asks = !self.arbiter_controlled || !self.is_down(Connection::PrimaryArbiter);
        let reached = !self.is_down(Connection::Backup);
        self.primary_works() && (reached || !self.has_to_ask && asks)
    }

    /// Whether the backup may take over once it and the arbiter have lost the primary. Without an
    /// arbiter it does not: only the primary's agent could tell it that the primary is gone, and
    /// that has gone with its host.
    fn may_take_over(&self) -> bool {
        let arbiter_agrees = self.arbiter_controlled && !self.is_down(Connection::BackupArbiter);
        let primary_is_away = [Connection::Backup, Connection::PrimaryArbiter]
            .iter()
            .all(|it| self.is_down(*it));
        let is_able = self.backup_is == Health::Able && !self.is_cut_off;
        arbiter_agrees && primary_is_away && is_able
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
