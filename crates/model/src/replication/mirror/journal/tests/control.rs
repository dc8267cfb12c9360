//! The rules of contact, against the same rules asked at every tick.

use alloc::vec::Vec;

use proptest::prelude::*;

use crate::event_queue::NEVER;
use crate::replication::mirror::journal::control::{BackupState, Connection, Control, Transition};
use crate::units::Nanos;

const ALL: [Connection; 3] = [
    Connection::Backup,
    Connection::PrimaryArbiter,
    Connection::BackupArbiter,
];

/// What is to be seen of it at a tick.
type Seen = (BackupState, bool);

/// The rules as the documentation states them, each looked at on every tick, from how long each
/// connection has been down. A backup that is back is active a tick later.
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
}

impl Oracle {
    fn tick(&mut self, is_down: [bool; 3]) -> Seen {
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
        match self.backup {
            // When it had come back a tick ago, it has caught up.
            BackupState::CatchingUp if is_down[0] => self.backup = BackupState::Disconnected,
            BackupState::CatchingUp => {
                self.backup = BackupState::Active;
                self.is_cut_off = false;
            }
            _ => {}
        }
        if self.backup == BackupState::Active && is_down == [false; 3] && self.has_arbiter {
            self.arbiter_controlled = true;
        }
        if self.backup == BackupState::Active && !is_down[0] && (lost[1] || lost[2]) {
            self.arbiter_controlled = false;
        }
        if self.backup == BackupState::Active && lost[0] {
            self.backup = BackupState::Disconnected;
            self.trouble_for = Some(0);
        }
        self.is_cut_off |= lost[0] && lost[2];
        if let Some(trouble) = self.trouble_for {
            let by_agent = trouble >= 2 * self.qos;
            let goes_on = if !is_down[0] {
                true
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
            {
                self.trouble_for = None;
                self.backup = BackupState::Primary;
            }
        }
        if self.backup == BackupState::Disconnected && self.trouble_for.is_none() && !is_down[0] {
            self.backup = BackupState::CatchingUp;
        }
        let commits = self.trouble_for.is_none() && self.backup != BackupState::Primary;
        (self.backup, commits)
    }
}

fn oracle(qos: Nanos, has_arbiter: bool, ticks: &[[bool; 3]]) -> Vec<Seen> {
    let mut oracle = Oracle {
        qos,
        has_arbiter,
        down: [0; 3],
        is_down: [false; 3],
        arbiter_controlled: has_arbiter,
        backup: BackupState::Active,
        trouble_for: None,
        is_cut_off: false,
    };
    ticks.iter().map(|is_down| oracle.tick(*is_down)).collect()
}

/// Has it do all that is due.
fn settle(control: &mut Control, now: Nanos) {
    while control.step(now) {}
    assert!(control.next_event() > now, "it would stand still");
}

/// The control, given changes only, and called when it wants to be.
fn run(qos: Nanos, has_arbiter: bool, ticks: &[[bool; 3]]) -> Vec<Seen> {
    let mut control = Control::new(qos, has_arbiter);
    let mut was = [false; 3];
    let mut seen = Vec::new();
    for (now, is) in (0..).zip(ticks) {
        while control.next_event() < now {
            let at = control.next_event();
            settle(&mut control, at);
        }
        for of in 0..3 {
            if was[of] != is[of] {
                control.turn(now, ALL[of], !is[of]);
            }
        }
        was = *is;
        settle(&mut control, now);
        seen.push((control.backup(), control.may_commit()));
        // The oracle's is active at the next tick.
        control.caught_up(now + 1);
    }
    seen
}

/// Connections that go or return at even ticks, several of them at once now and then.
fn ticks() -> impl Strategy<Value = Vec<[bool; 3]>> {
    let which = prop::sample::subsequence(alloc::vec![0_usize, 1, 2], 1..=3);
    let turn = (1_usize..14, which, any::<bool>());
    prop::collection::vec(turn, 1..14).prop_map(|turns| {
        let mut is_down = [false; 3];
        let mut ticks = Vec::new();
        for (after, which, works) in turns {
            ticks.extend(core::iter::repeat_n(is_down, 2 * after));
            which.into_iter().for_each(|it| is_down[it] = !works);
        }
        ticks.extend(core::iter::repeat_n(is_down, 30));
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
                (tick[1], tick[2]) = (false, false);
            }
        }
        // Odd, so that nothing that is due falls on a change.
        let qos = 2 * half - 1;
        prop_assert_eq!(run(qos, has_arbiter, &ticks), oracle(qos, has_arbiter, &ticks));
    }
}

const QOS: Nanos = 8000;

/// How long the primary does not commit from when these connections are lost, and whether the
/// backup takes over.
fn lost(has_arbiter: bool, connections: &[Connection]) -> (Option<Nanos>, bool) {
    let mut control = Control::new(QOS, has_arbiter);
    for &connection in connections {
        control.turn(1000, connection, false);
    }
    while control.next_event() != NEVER {
        let at = control.next_event();
        settle(&mut control, at);
    }
    let alone = control
        .transitions()
        .iter()
        .find(|it| it.1 == Transition::Alone);
    let taken_over = control.backup() == BackupState::Primary;
    (alone.map(|it| it.0 - 1000), taken_over)
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
