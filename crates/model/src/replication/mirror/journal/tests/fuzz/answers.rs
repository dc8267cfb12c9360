//! A backup that does not answer, with an arbiter and without one: for how long commits wait.

use alloc::vec::Vec;

use super::{Primary, QOS, job, storage, with_backup};
use crate::spec::Acknowledged;
use crate::storage::{BackupState, Change, Transition};
use crate::units::{KIB, MILLISECOND, Nanos, SECOND};

/// A link that is cut permanently: the pause is that of the rule, from the first write that cannot
/// be acknowledged on.
#[test]
fn a_cut_pauses_commits_for_one_qos_timeout_or_three() {
    for (arbiter, times) in [(Some([2, 3]), 1), (None, 3)] {
        let mirror = with_backup(Acknowledged::Received, arbiter, 1000);
        let fast = (1_000_000_000, SECOND);
        let jobs = [job(mirror)];
        let mut primary = Primary::new(&storage([MILLISECOND; 3], [fast; 2], true), &jobs);
        let mut cut = 0;
        for round in 0..400 {
            primary.write(4 * KIB);
            let to = primary.now + MILLISECOND / 2;
            primary.advance(to);
            if round == 100 {
                cut = primary.now;
                primary.change(Change::Cut {
                    link: 0,
                    from: [true; 2],
                });
            }
        }
        let status = primary.storage.journal_mirrors(primary.now).next().unwrap();
        assert_eq!(status.pauses, 1, "{status:?}");
        let rule = times * QOS;
        let least = rule - 2 * MILLISECOND;
        assert!((least..=rule).contains(&status.paused), "{status:?}");
        let alone = (cut + rule, Transition::Alone);
        assert!(status.transitions.contains(&alone), "{status:?}");
    }
}

/// A backup that is reached and whose disk does not answer is done without after one QoS timeout,
/// with an arbiter or without one; then commits go on, and what they write is at risk.
#[test]
fn a_backup_without_an_answer_pauses_commits_for_one_qos_timeout() {
    let away = [Change::Pause { volume: 1 }, Change::Fail { volume: 1 }];
    for (change, arbiter) in away.iter().flat_map(|away| {
        let both = [Some([2, 3]), None];
        both.map(|arbiter| (away, arbiter))
    }) {
        let mirror = with_backup(Acknowledged::Written, arbiter, 1000);
        let fast = (1_000_000_000, SECOND);
        let jobs = [job(mirror)];
        let mut primary = Primary::new(&storage([MILLISECOND; 3], [fast; 2], true), &jobs);
        let write_for = |primary: &mut Primary, time: Nanos| {
            let end = primary.now + time;
            while primary.now < end {
                primary.write(16 * KIB);
                let to = primary.now + MILLISECOND / 2;
                primary.advance(to);
            }
            let status = primary.storage.journal_mirrors(primary.now).next();
            (status.expect("there is one"), primary.ended)
        };
        let (before, _) = write_for(&mut primary, 10 * MILLISECOND);
        assert_eq!((before.pauses, before.at_risk), (0, 0));
        primary.change(change.clone());
        let (without, ended) = write_for(&mut primary, 4 * QOS);
        assert_eq!(without.backup, BackupState::CatchingUp, "{without:?}");
        assert_eq!(without.pauses, 1, "{without:?}");
        assert!(
            without.paused.abs_diff(QOS) < 2 * MILLISECOND,
            "{without:?}"
        );
        let became: Vec<_> = without.transitions.iter().map(|it| it.1).collect();
        let expected = [
            Transition::Trouble,
            Transition::Alone,
            Transition::CatchingUp,
        ];
        assert_eq!(became, expected);
        let (later, more) = write_for(&mut primary, QOS);
        assert!(more - ended > 25, "{} writes in {QOS} ns", more - ended);
        assert!(later.at_risk > without.at_risk, "{later:?}");
        primary.change(Change::Resume { volume: 1 });
        let (back, _) = write_for(&mut primary, 2 * SECOND);
        assert_eq!((back.backup, back.at_risk), (BackupState::Active, 0));
        assert_eq!((back.pauses, back.paused), (1, without.paused));
    }
}

/// A write that was issued while the backup was catching up is owed by it once it is active: if
/// its disk does not answer then, commits pause for one QoS timeout, not for ever.
#[test]
fn a_backup_owes_what_it_was_sent_before_it_was_active() {
    let mirror = with_backup(Acknowledged::Written, None, 1000);
    let slow = (20_000_000, SECOND);
    let spec = storage([MILLISECOND; 3], [slow; 2], true);
    let jobs = [job(mirror)];
    let state = |primary: &Primary| {
        let status = primary.storage.journal_mirrors(primary.now).next();
        status.expect("there is one").backup
    };
    let wait = |primary: &mut Primary, tenths: u64| {
        let to = primary.now + tenths * MILLISECOND / 10;
        primary.advance(to);
    };
    let mut owed = 0;
    for before in 0..200 {
        let mut primary = Primary::new(&spec, &jobs);
        primary.change(Change::Pause { volume: 1 });
        while state(&primary) != BackupState::CatchingUp {
            primary.write(32 * KIB);
            wait(&mut primary, 1);
        }
        primary.change(Change::Resume { volume: 1 });
        wait(&mut primary, before);
        let was = state(&primary);
        primary.write(32 * KIB);
        while state(&primary) != BackupState::Active {
            wait(&mut primary, 1);
        }
        owed += u32::from(was == BackupState::CatchingUp && primary.open.is_some());
        primary.change(Change::Pause { volume: 1 });
        wait(&mut primary, 1000);
        assert!(primary.open.is_none(), "the write waits for ever: {before}");
    }
    assert!(
        owed > 0,
        "no write was under way when the backup was active"
    );
}
