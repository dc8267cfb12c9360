//! The rules of contact, against the same rules asked at every tick.

use alloc::vec::Vec;

use proptest::prelude::*;

use crate::event_queue::NEVER;
use crate::replication::mirror::journal::control::{
    BackupState, Connection, Control, Health, Transition,
};
use crate::units::Nanos;

const ALL: [Connection; 3] = [
    Connection::Backup,
    Connection::PrimaryArbiter,
    Connection::BackupArbiter,
];

/// What works at a tick.
#[derive(Clone, Copy, Debug)]
struct Tick {
    is_down: [bool; 3],
    primary: Health,
    backup: Health,
}

const WELL: Tick = Tick {
    is_down: [false; 3],
    primary: Health::Able,
    backup: Health::Able,
};

impl Tick {
    /// The same as the member on a side sees it as primary.
    fn of(self, side: usize) -> Self {
        let [between, one, other] = self.is_down;
        match side {
            0 => self,
            _ => Self {
                is_down: [between, other, one],
                primary: self.backup,
                backup: self.primary,
            },
        }
    }
}

/// What is to be seen of it at a tick.
type Seen = (BackupState, bool);

/// The rules as the documentation states them, each looked at on every tick, from how long each
/// connection has been down. A backup that is back is active a tick later, and one that has taken
/// over is primary a tick later.
struct Oracle {
    qos: Nanos,
    has_arbiter: bool,
    /// For how many ticks each connection has been down.
    down: [Nanos; 3],
    is_down: [bool; 3],
    arbiter_controlled: bool,
    backup: BackupState,
    trouble_for: Option<Nanos>,
    is_cut_off: bool,
    primary: Health,
    has_to_ask: bool,
    /// Which member is primary, and whether the other is to be at the next tick.
    side: usize,
    is_ready: bool,
}

impl Oracle {
    fn tick(&mut self, tick: Tick) -> Seen {
        if self.is_ready {
            self.side = 1 - self.side;
            self.down.swap(1, 2);
            self.is_down.swap(1, 2);
            self.backup = BackupState::Disconnected;
            self.arbiter_controlled = false;
            self.is_cut_off = true;
            self.primary = Health::Able;
            self.has_to_ask = false;
        }
        let tick = tick.of(self.side);
        let is_down = tick.is_down;
        for ((down, was), is) in self.down.iter_mut().zip(self.is_down).zip(is_down) {
            *down = if was && is { *down + 1 } else { 0 };
        }
        self.is_down = is_down;
        let lost: Vec<bool> = (0..3)
            .map(|it| self.is_down[it] && self.down[it] >= self.qos)
            .collect();
        if let Some(since) = &mut self.trouble_for {
            *since += 1;
        }
        let works = tick.primary == Health::Able;
        if works && self.primary != Health::Able && self.trouble_for.is_some() {
            self.trouble_for = Some(0);
        }
        self.primary = tick.primary;
        if tick.primary == Health::Down {
            self.has_to_ask = true;
        }
        if works && !is_down[0] {
            self.has_to_ask = false;
        }
        match self.backup {
            // When it had come back a tick ago, it has caught up.
            BackupState::CatchingUp if is_down[0] => self.backup = BackupState::Disconnected,
            BackupState::CatchingUp => {
                self.backup = BackupState::Active;
                self.is_cut_off = false;
            }
            _ => {}
        }
        if tick.backup == Health::Down {
            self.is_cut_off = true;
        }
        if self.backup == BackupState::Active && is_down == [false; 3] && self.has_arbiter {
            self.arbiter_controlled = true;
        }
        if self.backup == BackupState::Active && !is_down[0] && (lost[1] || lost[2]) {
            self.arbiter_controlled = false;
        }
        // A backup that has started anew says so when it meets the primary.
        let met = self.is_cut_off && tick.backup != Health::Down && works && !is_down[0];
        if self.backup == BackupState::Active && (lost[0] || met) {
            self.backup = BackupState::Disconnected;
            self.trouble_for = Some(0);
        }
        self.is_cut_off |= lost[0] && lost[2];
        if let Some(trouble) = self.trouble_for {
            let by_agent = trouble >= 2 * self.qos;
            let goes_on = if !works {
                false
            } else if !is_down[0] {
                true
            } else if self.has_to_ask {
                false
            } else if !self.arbiter_controlled {
                by_agent
            } else {
                !is_down[1] && (!is_down[2] || lost[2])
            };
            if goes_on {
                self.trouble_for = None;
                self.arbiter_controlled = false;
            } else if self.arbiter_controlled
                && lost[0]
                && lost[1]
                && !is_down[2]
                && !self.is_cut_off
                && tick.backup == Health::Able
            {
                self.trouble_for = None;
                self.backup = BackupState::Primary;
            }
        }
        if self.backup == BackupState::Disconnected
            && self.trouble_for.is_none()
            && !is_down[0]
            && works
        {
            self.backup = BackupState::CatchingUp;
        }
        self.is_ready = self.backup == BackupState::Primary && tick.backup == Health::Able;
        let commits = works && self.trouble_for.is_none() && self.backup != BackupState::Primary;
        (self.backup, commits)
    }
}

fn oracle(qos: Nanos, has_arbiter: bool, ticks: &[Tick]) -> Vec<Seen> {
    let mut oracle = Oracle {
        qos,
        has_arbiter,
        down: [0; 3],
        is_down: [false; 3],
        arbiter_controlled: has_arbiter,
        backup: BackupState::Active,
        trouble_for: None,
        is_cut_off: false,
        primary: Health::Able,
        has_to_ask: false,
        side: 0,
        is_ready: false,
    };
    ticks.iter().map(|tick| oracle.tick(*tick)).collect()
}

/// Has it do all that is due.
fn settle(control: &mut Control, now: Nanos) {
    while control.step(now) {}
    assert!(control.next_event() > now, "it would stand still");
}

/// The control, given changes only, and called when it wants to be.
fn run(qos: Nanos, has_arbiter: bool, ticks: &[Tick]) -> (Vec<Seen>, Control) {
    let mut control = Control::new(qos, has_arbiter);
    let (mut was, mut side) = (WELL, 0);
    let mut seen = Vec::new();
    for (now, is) in (0..).zip(ticks) {
        while control.next_event() < now {
            let at = control.next_event();
            settle(&mut control, at);
        }
        let (before, here) = (was.of(side), is.of(side));
        for (of, connection) in ALL.into_iter().enumerate() {
            if before.is_down[of] != here.is_down[of] {
                control.turn(now, connection, !here.is_down[of]);
            }
        }
        control.members_are(now, here.primary, here.backup);
        was = *is;
        settle(&mut control, now);
        seen.push((control.backup(), control.may_commit()));
        // The oracle's is active at the next tick.
        control.caught_up(now + 1);
        if control.takes_over() {
            control.ready(now + 1);
            side = 1 - side;
        }
    }
    (seen, control)
}

/// Connections and members that go or return at even ticks, several of them at once now and then.
fn ticks() -> impl Strategy<Value = Vec<Tick>> {
    let which = prop::sample::subsequence(alloc::vec![0_usize, 1, 2], 0..=3);
    let health = || {
        prop_oneof![
            3 => Just(None),
            2 => Just(Some(Health::Able)),
            1 => Just(Some(Health::Halted)),
            1 => Just(Some(Health::Down)),
        ]
    };
    let turn = (1_usize..14, which, any::<bool>(), health(), health());
    prop::collection::vec(turn, 1..14).prop_map(|turns| {
        let mut is = WELL;
        let mut ticks = Vec::new();
        for (after, which, works, primary, backup) in turns {
            ticks.extend(core::iter::repeat_n(is, 2 * after));
            which.into_iter().for_each(|it| is.is_down[it] = !works);
            is.primary = primary.unwrap_or(is.primary);
            is.backup = backup.unwrap_or(is.backup);
        }
        ticks.extend(core::iter::repeat_n(is, 30));
        ticks
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn the_rules_hold_at_every_tick(
        half in 1_u64..8, has_arbiter in any::<bool>(), mut ticks in ticks(),
    ) {
        if !has_arbiter {
            for tick in &mut ticks {
                (tick.is_down[1], tick.is_down[2]) = (false, false);
            }
        }
        // Odd, so that nothing that is due falls on a change.
        let qos = 2 * half - 1;
        let (seen, control) = run(qos, has_arbiter, &ticks);
        prop_assert_eq!(seen, oracle(qos, has_arbiter, &ticks));
        let mut side = 0;
        for &(at, to) in control.transitions() {
            let is = ticks[(at as usize).min(ticks.len() - 1)].of(side);
            side = if to == Transition::Ready { 1 - side } else { side };
            let may_be = match to {
                Transition::Alone => is.primary == Health::Able,
                Transition::TakenOver => is.backup == Health::Able && has_arbiter,
                _ => true,
            };
            prop_assert!(may_be, "{:?} at {} with {:?}", to, at, is);
        }
    }
}

const QOS: Nanos = 8000;

/// How long the primary does not commit from when these connections are lost, and whether the
/// backup takes over.
fn lost(has_arbiter: bool, connections: &[Connection]) -> (Option<Nanos>, bool) {
    lost_with(has_arbiter, connections, Health::Able, Health::Able)
}

/// The same, when the primary and the backup are so from then on.
fn lost_with(
    has_arbiter: bool,
    connections: &[Connection],
    primary: Health,
    backup: Health,
) -> (Option<Nanos>, bool) {
    let mut control = Control::new(QOS, has_arbiter);
    for &connection in connections {
        control.turn(1000, connection, false);
    }
    control.members_are(1000, primary, backup);
    settle_all(&mut control);
    let alone = control
        .transitions()
        .iter()
        .find(|it| it.1 == Transition::Alone);
    let taken_over = control.backup() == BackupState::Primary;
    (alone.map(|it| it.0 - 1000), taken_over)
}

fn settle_all(control: &mut Control) {
    while control.next_event() != NEVER {
        let at = control.next_event();
        settle(control, at);
    }
}

/// The documentation's table of lost connections, and its pauses: one QoS timeout after a backup's
/// outage, three without an arbiter.
#[test]
fn lost_connections_do_what_the_documentation_says() {
    use Connection::{Backup, BackupArbiter, PrimaryArbiter};
    let once = (Some(QOS), false);
    assert_eq!(lost(true, &[Backup]), once);
    assert_eq!(lost(true, &[Backup, BackupArbiter]), once);
    assert_eq!(lost(false, &[Backup]), (Some(3 * QOS), false));
    assert_eq!(lost(true, &[Backup, PrimaryArbiter]), (None, true));
    assert_eq!(
        lost(true, &[Backup, PrimaryArbiter, BackupArbiter]),
        (None, false)
    );
    assert_eq!(lost(true, &[PrimaryArbiter, BackupArbiter]), (None, false));
}

/// A lost host takes its connections with it. Without an arbiter nobody tells the backup that the
/// primary is gone, and a primary that is gone does not go on.
#[test]
fn lost_members_do_what_the_documentation_says() {
    use Connection::{Backup, BackupArbiter, PrimaryArbiter};
    use Health::{Able, Down, Halted};
    let nobody = (None, false);
    for primary in [Down, Halted] {
        let away = [Backup, PrimaryArbiter];
        assert_eq!(lost_with(true, &away, primary, Able), (None, true));
        assert_eq!(lost_with(false, &[Backup], primary, Able), nobody);
        // A backup whose disk has failed is not able to.
        assert_eq!(lost_with(true, &away, primary, Halted), nobody);
        let all = [Backup, PrimaryArbiter, BackupArbiter];
        assert_eq!(lost_with(true, &all, primary, Down), nobody);
        assert_eq!(lost_with(true, &all, primary, Able), nobody);
    }
    for backup in [Down, Halted] {
        let once = (Some(QOS), false);
        let away = [Backup, BackupArbiter];
        assert_eq!(lost_with(true, &away, Able, backup), once);
        let thrice = (Some(3 * QOS), false);
        assert_eq!(lost_with(false, &[Backup], Able, backup), thrice);
    }
}

/// A primary that was down is primary again once it meets the backup, and not before; one that
/// was paused goes on as if it had lost the backup only now.
#[test]
fn a_primary_that_returns_asks_the_backup_first() {
    let back = |primary, reaches| {
        let mut control = Control::new(QOS, false);
        control.turn(0, Connection::Backup, false);
        control.members_are(0, primary, Health::Able);
        settle_all(&mut control);
        let at = 10 * QOS;
        if reaches {
            control.turn(at, Connection::Backup, true);
        }
        control.members_are(at, Health::Able, Health::Able);
        settle(&mut control, at);
        settle_all(&mut control);
        let transitions = control.transitions().iter();
        let mut alone = transitions.filter(|it| it.1 == Transition::Alone);
        alone.next().map(|it| it.0 - at)
    };
    assert_eq!(back(Health::Down, true), Some(0));
    assert_eq!(back(Health::Down, false), None);
    assert_eq!(back(Health::Halted, true), Some(0));
    assert_eq!(back(Health::Halted, false), Some(2 * QOS));
}
