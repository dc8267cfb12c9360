//! Random mirrors, loads and events: no journal write is acknowledged that the active backup
//! lacks, none is lost, none waits longer than the rules let it, and the sums add up.

mod answers;
mod losses;

use alloc::vec;
use alloc::vec::Vec;

use proptest::prelude::*;

use crate::replication::mirror::tests::{link, volume};
use crate::spec::{
    Acknowledged, DejournalSpec, DeviceSpec, HostSpec, JournalMirrorSpec, Layout, LinkSpec,
    MemberSpec, StorageSpec,
};
use crate::storage::{
    BackupState, Change, JournalMirrorStatus, Op, Reply, Request, Storage, Transition,
};
use crate::units::{Bytes, KIB, MIB, MICROSECOND, MILLISECOND, Nanos, SECOND};
use crate::workload::spec::{JobSpec, RanWriteSpec, Region};

const QOS: Nanos = 40 * MILLISECOND;

/// The longest that a disk here takes.
const SLOWEST: Nanos = 3 * MILLISECOND;

fn region(device: usize, offset: Bytes, size: Bytes) -> Region {
    Region {
        device,
        offset,
        size,
    }
}

/// A job with its files on volume 0, a backup on volume 1 and an asynchronous member on volume 2.
fn job(mirror: JournalMirrorSpec) -> JobSpec {
    JobSpec::RanWrite(RanWriteSpec {
        name: "writers".into(),
        data: region(0, 0, 16 * MIB),
        wij: region(0, 16 * MIB, 8 * MIB),
        journal: region(0, 24 * MIB, MIB),
        block: 8 * KIB,
        steps: vec![(0, 1)],
        updates_per_process: 1,
        cycle: 30 * MILLISECOND,
        dirty_limit: 64,
        list_time_per_block: 100,
        wij_write: 256 * KIB,
        wij_outstanding: 2,
        daemons: 2,
        outstanding: 8,
        outstanding_per_daemon: 8,
        coalesce_blocks: 4,
        journal_record: 1000,
        journal_buffer: 4 * KIB,
        journal_interval: SECOND,
        mirror: Some(mirror),
    })
}

fn member(host: usize, link: usize) -> MemberSpec {
    MemberSpec {
        host,
        link: (link, 0),
        data: region(host, 0, 16 * MIB),
        wij: region(host, 16 * MIB, 8 * MIB),
        journal: region(host, 24 * MIB, MIB),
    }
}

/// A mirror with host 1 as backup and no asynchronous member, whose backup reads so many of 1000
/// blocks that it replays; `arbiter` has the links to it, if there is one.
fn with_backup(
    acknowledge: Acknowledged,
    arbiter: Option<[usize; 2]>,
    read_permille: u32,
) -> JournalMirrorSpec {
    JournalMirrorSpec {
        backup: member(1, 0),
        asynchronous: vec![],
        acknowledge,
        qos_timeout: QOS,
        arbiter,
        dejournal: DejournalSpec {
            jobs: 2,
            read_permille,
        },
    }
}

/// Hosts 0 and 1 are failover members, 3 the arbiter. `joined` where host 2 is linked to both.
fn storage(disks: [Nanos; 3], wires: [(u64, Nanos); 2], joined: bool) -> StorageSpec {
    let between = |ends, (bandwidth, timeout)| LinkSpec {
        ends,
        bandwidth,
        timeout,
        ..link()
    };
    let fast = (1_000_000_000, SECOND);
    StorageSpec {
        hosts: vec![HostSpec::unnamed(); 4],
        volumes: disks.iter().map(|&latency| volume("v", latency)).collect(),
        devices: (0..3)
            .map(|index| DeviceSpec {
                name: "d".into(),
                size: 64 * MIB,
                layout: Layout::Volume(index),
            })
            .collect(),
        links: vec![
            between([0, 1], wires[0]),
            between([0, 2], wires[1]),
            between([0, 3], fast),
            between([1, 3], fast),
            between([1, if joined { 2 } else { 3 }], fast),
        ],
    }
}

/// One journal write at a time, as the job has it.
struct Primary {
    storage: Storage,
    now: Nanos,
    /// The write under way: since when, and how it ends.
    open: Option<(Nanos, Option<Reply>)>,
    next: Bytes,
    /// How long that write is.
    len: Bytes,
    /// Whether the primary's disk refused it, so that it is written again before anything else.
    refused: bool,
    committed: Bytes,
    /// Which failover member is primary, and how far a place in its journal is behind what was
    /// written here: what the former primary alone had is forgotten, and written again.
    serves: usize,
    behind: i64,
    /// What had come to the backup when it was last looked at.
    received: Bytes,
    issued: u64,
    ended: u64,
    /// Since when the primary's own disk has been working, none while it does not, and the link
    /// to the backup has been as it is.
    undisturbed: Option<Nanos>,
    /// What is down or paused, as it was told: hosts by index, and the volumes that have failed.
    halted: [bool; 3],
    failed: [bool; 3],
    /// Volumes that have failed or are paused.
    idle: [bool; 3],
    /// The pauses as they must be at least: since when the primary has been lost or its disk has
    /// refused a write, and how long it was before.
    stopped: Option<Nanos>,
    stood: Nanos,
    /// Of how many transitions it was asked whether they may be, and who was primary then.
    judged: usize,
    judged_of: usize,
}

impl Primary {
    fn new(spec: &StorageSpec, jobs: &[JobSpec]) -> Self {
        Self {
            storage: Storage::under(spec, jobs, 1),
            now: 0,
            open: None,
            next: 0,
            len: 0,
            refused: false,
            committed: 0,
            serves: 0,
            behind: 0,
            received: 0,
            issued: 0,
            ended: 0,
            undisturbed: Some(0),
            halted: [false; 3],
            failed: [false; 3],
            idle: [false; 3],
            stopped: None,
            stood: 0,
            judged: 0,
            judged_of: 0,
        }
    }

    /// A host goes down or is paused with its links and its volume, in the order of real faults,
    /// or works again.
    fn host(&mut self, host: usize, what: HostIs) {
        let links: &[usize] = [&[0, 1, 2][..], &[0, 3, 4], &[1, 4]][host];
        let cut = |link, is| Change::Cut {
            link,
            from: [is; 2],
        };
        let (volume, works) = (host, what == HostIs::Back);
        match what {
            HostIs::Down => self.change(Change::HostDown { host }),
            HostIs::Paused => self.change(Change::HostSpeed { host, speed: 0 }),
            HostIs::Back => {}
        }
        if !works {
            links.iter().for_each(|link| self.change(cut(*link, true)));
        }
        self.change(match what {
            HostIs::Down => Change::Fail { volume },
            HostIs::Paused => Change::Pause { volume },
            HostIs::Back => Change::Resume { volume },
        });
        if works {
            self.change(Change::HostUp { host });
            self.change(Change::HostSpeed { host, speed: 1000 });
            links.iter().for_each(|link| self.change(cut(*link, false)));
        }
    }

    /// Moves on, event by event; after each write that ended on both, looks at the backup.
    fn advance(&mut self, to: Nanos) {
        let mut events = 0;
        while let Some(at) = self.storage.next_event().filter(|at| *at <= to) {
            events += 1;
            assert!(events < 40_000, "time stands still at {at}");
            self.now = at;
            let open = &mut self.open;
            self.storage.advance(at, &mut |_, reply| {
                if let Some((_, end)) = open {
                    *end = Some(reply);
                }
            });
            self.look();
        }
        self.now = to;
    }

    fn look(&mut self) {
        let status = self.storage.journal_mirrors(self.now).next().unwrap();
        if status.primary != self.serves {
            self.other_serves(&status);
        }
        if let Some((since, Some(reply))) = self.open {
            assert_eq!(reply.at, self.now, "a journal write ends when that is told");
            assert!(since <= reply.at);
            self.open = None;
            self.ended += 1;
            self.refused = reply.failed;
            assert!(
                !self.halted[self.serves],
                "a primary that is lost ends a journal write"
            );
            if reply.failed {
                self.stopped.get_or_insert(since);
            } else {
                self.committed = self.next;
                self.goes_on();
            }
        }
        let backup = status.members[0];
        assert_eq!(status.lost, 0, "what was committed is lost: {status:?}");
        assert!(status.backup != BackupState::Active || status.at_risk == 0);
        assert!(
            backup.received <= self.place(self.next),
            "nothing comes that was not written"
        );
        let has_all = backup.received >= self.place(self.committed);
        assert!(status.backup != BackupState::Active || has_all);
        self.received = backup.received;
        self.look_at_members(&status);
        self.look_at_wait(&status);
    }

    /// Where in the primary's journal what was written here up to a place ends.
    fn place(&self, written: Bytes) -> Bytes {
        (written as i64 - self.behind) as Bytes
    }

    /// The backup is primary now: it has all that was committed, and a write under way begins anew.
    fn other_serves(&mut self, status: &JournalMirrorStatus) {
        assert!(
            self.received >= self.place(self.committed),
            "{status:?} has not what was committed"
        );
        self.serves = status.primary;
        assert!(!self.halted[self.serves] && !self.failed[self.serves]);
        // A write that was refused is another to the new primary, also one that is tried again.
        if core::mem::replace(&mut self.refused, false) && self.open.is_none() {
            self.next -= self.len;
        }
        let open = match &mut self.open {
            None => 0,
            Some((since, _)) => {
                *since = self.now;
                self.len
            }
        };
        self.behind = (self.next - open) as i64 - self.received as i64;
        self.undisturbed = (!self.idle[self.serves]).then_some(self.now);
        self.goes_on();
    }

    /// The primary commits again, or could.
    fn goes_on(&mut self) {
        if let Some(since) = self.stopped.take() {
            self.stood += self.now - since;
        }
    }

    /// While the primary may commit, a journal write waits for its own disk, and a QoS timeout at
    /// most for a backup, whatever the backup's disk does.
    fn look_at_wait(&self, status: &JournalMirrorStatus) {
        use Transition::{Frozen, PrimaryBack, PrimaryLost, Thawed};
        let own = |to| matches!(to, PrimaryLost | PrimaryBack | Frozen | Thawed);
        let mut control = status.transitions.iter().filter(|it| !own(it.1));
        let may_commit = control.next_back().is_none_or(|(_, last)| {
            use Transition::{TakenOver, Trouble};
            !matches!(last, Trouble | TakenOver)
        });
        let last = status.transitions.last();
        let may_commit = may_commit && !self.halted[self.serves];
        if let (true, Some((since, _)), Some(calm)) = (may_commit, self.open, self.undisturbed) {
            let since = since.max(calm).max(last.map_or(0, |last| last.0));
            let waited = self.now - since;
            assert!(
                waited <= QOS + SLOWEST,
                "a journal write waits for {waited} ns: {status:?}"
            );
        }
    }

    fn write(&mut self, len: Bytes) {
        if self.open.is_some() {
            return;
        }
        if !self.refused {
            self.len = len;
            self.next += len;
        }
        let len = self.len;
        let request = Request {
            device: 0,
            op: Op::Write,
            offset: 24 * MIB + (self.next - len) % (MIB - 128 * KIB),
            len,
            requester: 0.into(),
            submitter: 1,
        };
        self.issued += 1;
        self.open = Some((self.now, None));
        assert_eq!(self.storage.submit(self.now, 0, &request), None);
        self.look();
    }

    /// Whether the backup has taken over and is not ready.
    fn is_taken_over(&self) -> bool {
        let status = self.storage.journal_mirrors(self.now).next();
        status.is_some_and(|it| it.backup == BackupState::Primary)
    }

    fn change(&mut self, change: Change) {
        let had_halted = self.halted[self.serves];
        if matches!(change, Change::HostUp { .. } | Change::HostSpeed { .. }) {
            self.undisturbed = self.undisturbed.map(|_| self.now);
        }
        match change {
            Change::HostDown { host } | Change::HostSpeed { host, speed: 0 } => {
                self.halted[host] = true;
            }
            Change::HostUp { host } => self.halted[host] = false,
            Change::Fail { volume } => {
                (self.failed[volume], self.idle[volume]) = (true, true);
            }
            Change::Pause { volume } => self.idle[volume] = true,
            Change::Resume { volume } => {
                (self.failed[volume], self.idle[volume]) = (false, false);
            }
            _ => {}
        }
        let is_halted = self.halted[self.serves];
        if is_halted {
            self.stopped.get_or_insert(self.now);
        } else if had_halted && self.open.is_none() && !self.refused && !self.is_taken_over() {
            self.goes_on();
        }
        match change {
            Change::Pause { volume } | Change::Fail { volume } if volume == self.serves => {
                self.undisturbed = None;
            }
            Change::Resume { volume } if volume == self.serves => {
                self.undisturbed = Some(self.now);
            }
            Change::Cut { link: 0, .. } => {
                self.undisturbed = self.undisturbed.map(|_| self.now);
            }
            _ => {}
        }
        let open = &mut self.open;
        self.storage.change(self.now, change, &mut |_, reply| {
            if let Some((_, end)) = open {
                *end = reply;
            }
        });
        self.look();
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum HostIs {
    Down,
    Paused,
    Back,
}

#[derive(Clone, Debug)]
enum Input {
    Write(Bytes),
    Change(Change),
    Host(usize, HostIs),
}

fn inputs() -> impl Strategy<Value = Vec<(Nanos, Input)>> {
    let change = (0_usize..7, 0_usize..5, any::<[bool; 2]>());
    let change = change.prop_map(|(what, which, from)| match what {
        0 => Change::Cut {
            link: which,
            from: [true; 2],
        },
        1 => Change::Cut { link: which, from },
        2 | 3 => Change::Cut {
            link: which,
            from: [false; 2],
        },
        4 => Change::Fail { volume: which % 3 },
        5 => Change::Pause { volume: which % 3 },
        _ => Change::Resume { volume: which % 3 },
    });
    let host = prop_oneof![
        1 => Just(HostIs::Down),
        1 => Just(HostIs::Paused),
        2 => Just(HostIs::Back),
    ];
    let input = prop_oneof![
        12 => (1_u64..32).prop_map(|pages| Input::Write(pages * 4 * KIB)),
        2 => change.prop_map(Input::Change),
        1 => (0_usize..3, host).prop_map(|(host, what)| Input::Host(host, what)),
    ];
    prop::collection::vec((0_u64..8 * MILLISECOND, input), 1..100)
}

fn mirrors() -> impl Strategy<Value = (StorageSpec, JournalMirrorSpec)> {
    let disk = || 10 * MICROSECOND..SLOWEST;
    let wire = || (2_000_000_u64..2_000_000_000, MILLISECOND..200 * MILLISECOND);
    let of = (
        any::<bool>(),
        any::<bool>(),
        1_u32..5,
        0_u32..=1000,
        any::<bool>(),
    );
    let disks = (disk(), disk(), disk()).prop_map(|(a, b, c)| [a, b, c]);
    (disks, wire(), wire(), of).prop_map(|(disks, one, other, of)| {
        let (has_arbiter, written, jobs, read_permille, joined) = of;
        let mirror = JournalMirrorSpec {
            backup: member(1, 0),
            asynchronous: vec![member(2, 1)],
            acknowledge: if written {
                Acknowledged::Written
            } else {
                Acknowledged::Received
            },
            qos_timeout: QOS,
            arbiter: has_arbiter.then_some([2, 3]),
            dejournal: DejournalSpec {
                jobs,
                read_permille,
            },
        };
        (storage(disks, [one, other], joined), mirror)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn the_active_backup_has_what_is_committed_and_nothing_is_lost(
        (spec, mirror) in mirrors(), inputs in inputs(),
    ) {
        let jobs = [job(mirror)];
        let mut primary = Primary::new(&spec, &jobs);
        for (after, input) in inputs {
            let to = primary.now + after;
            primary.advance(to);
            match input {
                Input::Write(len) => primary.write(len),
                Input::Change(change) => primary.change(change),
                Input::Host(host, what) => primary.host(host, what),
            }
        }
        // Long enough for a backup that does not answer to be done without, twice.
        primary.advance(primary.now + 2 * QOS + 3 * SLOWEST);
        primary.write(4 * KIB);
        primary.advance(primary.now + 2 * QOS + 3 * SLOWEST);
        // Whatever has gone returns, and there is time to catch up and replay.
        for volume in 0..3 {
            primary.host(volume, HostIs::Back);
        }
        for link in 0..5 {
            primary.change(Change::Cut { link, from: [false; 2] });
        }
        // The job writes again what failed.
        if primary.refused {
            primary.write(4 * KIB);
        }
        let to = primary.now + 20 * SECOND;
        primary.advance(to);
        let status = primary.storage.journal_mirrors(to).next().unwrap();
        prop_assert!(primary.open.is_none(), "a journal write hangs: {:?}", status);
        prop_assert_eq!(primary.issued, primary.ended);
        prop_assert_eq!(status.backup, BackupState::Active, "{:?}", status);
        let is_joined = primary.serves == 0 || spec.links[4].ends == [1, 2];
        for (index, member) in status.members.iter().enumerate() {
            prop_assert_eq!(member.backlog_bytes, 0, "member {}: {:?}", index, status);
            let has_all = member.received == primary.place(primary.next);
            prop_assert!(has_all || index > 0 && !is_joined, "{:?}", status);
        }
    }
}
