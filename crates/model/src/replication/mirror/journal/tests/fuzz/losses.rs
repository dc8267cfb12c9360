//! What fails, with an arbiter and without one: who goes on, and for how long nobody does.

use super::{HostIs, Primary, QOS, job, storage, with_backup};
use crate::spec::Acknowledged;
use crate::storage::{BackupState, Change, JournalMirrorStatus, Transition};
use crate::units::{KIB, MILLISECOND, Nanos, SECOND};

impl Primary {
    /// A primary that is lost goes on alone never, a backup that is not able takes over never,
    /// and the pause is from the loss or the refused write on, whether a write waits or not.
    pub(super) fn look_at_members(&mut self, status: &JournalMirrorStatus) {
        for &(at, to) in &status.transitions[self.judged..] {
            let (primary, backup) = (self.judged_of, 1 - self.judged_of);
            let may_be = match to {
                Transition::Alone => !self.halted[primary],
                Transition::TakenOver => !self.halted[backup] && !self.failed[backup],
                _ => true,
            };
            if to == Transition::Ready {
                self.judged_of = backup;
            }
            assert!(may_be, "{to:?} at {at}: {status:?}");
        }
        self.judged = status.transitions.len();
        let stands = self.stopped.map_or(0, |since| self.now - since);
        assert!(
            status.paused >= self.stood + stands,
            "it stood for {} and {stands}: {status:?}",
            self.stood
        );
        assert!(status.paused <= self.now);
    }
}

/// Who is primary in the end, the pauses and their length in QoS timeouts, when a host or a disk
/// is lost at 10 ms for 400 ms, with an arbiter and without one.
#[test]
fn a_loss_pauses_commits_as_long_as_it_must() {
    let lost_for = 10 * QOS;
    let walk = |arbiter, lose: &dyn Fn(&mut Primary, HostIs)| {
        let mirror = with_backup(Acknowledged::Received, arbiter, 0);
        let jobs = [job(mirror)];
        let fast = (1_000_000_000, SECOND);
        let mut primary = Primary::new(&storage([MILLISECOND; 3], [fast; 2], true), &jobs);
        let write_until = |primary: &mut Primary, end: Nanos| {
            while primary.now < end {
                primary.write(4 * KIB);
                let to = primary.now + MILLISECOND / 2;
                primary.advance(to);
            }
        };
        write_until(&mut primary, 10 * MILLISECOND);
        lose(&mut primary, HostIs::Down);
        write_until(&mut primary, 10 * MILLISECOND + lost_for);
        lose(&mut primary, HostIs::Back);
        write_until(&mut primary, 10 * MILLISECOND + lost_for + 3 * QOS);
        let status = primary.storage.journal_mirrors(primary.now).next();
        let status = status.expect("there is one");
        // A write takes 1 ms, and one may have been under way.
        let times = (status.paused + 5 * MILLISECOND) / QOS;
        assert_eq!(status.backup, BackupState::Active, "{status:?}");
        (status.primary, status.pauses, times)
    };
    let host = |host: usize| {
        move |primary: &mut Primary, is: HostIs| match (is, host) {
            (HostIs::Down, host) => primary.host(host, HostIs::Down),
            (_, host) => primary.host(host, HostIs::Back),
        }
    };
    let paused = |primary: &mut Primary, is: HostIs| match is {
        HostIs::Down => primary.host(0, HostIs::Paused),
        _ => primary.host(0, HostIs::Back),
    };
    let disk = |volume: usize| {
        move |primary: &mut Primary, is: HostIs| {
            primary.change(match is {
                HostIs::Down => Change::Fail { volume },
                _ => Change::Resume { volume },
            });
        }
    };
    let both = |primary: &mut Primary, is: HostIs| {
        host(0)(primary, is);
        host(1)(primary, is);
    };
    let both_disks = |primary: &mut Primary, is: HostIs| {
        // The primary is back first: the backup would take over as soon as it is able to.
        if is == HostIs::Down {
            disk(1)(primary, is);
        }
        host(0)(primary, is);
        if is == HostIs::Back {
            disk(1)(primary, is);
        }
    };
    let (with, without) = (Some([2, 3]), None);
    assert_eq!(walk(with, &host(0)), (1, 1, 1));
    assert_eq!(walk(without, &host(0)), (0, 1, 10));
    assert_eq!(walk(with, &paused), (1, 1, 1));
    assert_eq!(walk(without, &paused), (0, 1, 10));
    assert_eq!(walk(with, &host(1)), (0, 1, 1));
    assert_eq!(walk(without, &host(1)), (0, 1, 3));
    for arbiter in [with, without] {
        assert_eq!(walk(arbiter, &both), (0, 1, 10));
        assert_eq!(walk(arbiter, &disk(0)), (0, 1, 10));
        assert_eq!(walk(arbiter, &both_disks), (0, 1, 10));
        // Acknowledged from memory, so that nobody waits for the backup's disk.
        assert_eq!(walk(arbiter, &disk(1)), (0, 0, 0));
    }
}
