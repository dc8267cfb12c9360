//! Random jobs.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

use proptest::prelude::*;

use crate::request::Op;
use crate::units::{Bytes, KIB, MILLISECOND, Nanos};
use crate::workload::spec::{
    AccessSpec, Arrivals, DemandSpec, DemandStep, FileSystem, Fsync, JobSpec, Load, LogWait,
    Preference, RanWriteSpec, ReadIos, RecordedIo, Recording, Region, ReplayPace, ReplaySpec, Skew,
    Totals,
};

/// A file of `units` at some place of one of three devices, where no file of
/// another `number` is.
pub(super) fn region(number: u64, unit: Bytes, units: u64) -> impl Strategy<Value = Region> {
    (0_usize..3, 0_u64..1000).prop_map(move |(device, mib)| Region {
        device,
        offset: (number << 40) + (mib << 20),
        size: units * unit,
    })
}

pub(super) fn steps<T: core::fmt::Debug>(amounts: Vec<T>) -> Vec<(Nanos, T)> {
    let starts = (0..).map(|step| step * 400 * MILLISECOND);
    starts.zip(amounts).collect()
}

fn load() -> impl Strategy<Value = Load> {
    let closed =
        (prop::collection::vec(0_u32..6, 1..5), 1_u32..5).prop_map(|(processes, outstanding)| {
            Load::Closed {
                steps: steps(processes),
                outstanding,
            }
        });
    let open = (
        prop::collection::vec(0_u64..2000, 1..5),
        1_u32..9,
        prop::option::of(1..20 * MILLISECOND),
        any::<bool>(),
    );
    let open = open.prop_map(|(rates, max_outstanding, latency_limit, even)| Load::Open {
        steps: steps(rates),
        arrivals: if even {
            Arrivals::Even
        } else {
            Arrivals::Poisson
        },
        max_outstanding,
        latency_limit,
    });
    prop_oneof![closed, open]
}

/// Any `ranread` or `access_spec` job.
pub(super) fn access() -> impl Strategy<Value = JobSpec> {
    prop_oneof![2 => direct(), 1 => synced(), 1 => read_ahead()]
}

/// Any `demand` job.
pub(super) fn demand() -> impl Strategy<Value = JobSpec> {
    let step = (0_u64..1000, 0_u64..1000, 1_u64..9);
    let steps = prop::collection::vec(step, 1..5);
    (region(0, 512, 100), steps, 1_u32..9, any::<bool>()).prop_map(
        |(file, steps, max_outstanding, even)| {
            let step = |(at, (reads, writes, sectors)): (u64, (u64, u64, u64))| DemandStep {
                from: at * 400 * MILLISECOND,
                reads: reads * 1000,
                writes: writes * 1000,
                size: sectors * 512,
            };
            JobSpec::Demand(DemandSpec {
                name: "demand".into(),
                file,
                steps: (0..).zip(steps).map(step).collect(),
                arrivals: if even {
                    Arrivals::Even
                } else {
                    Arrivals::Poisson
                },
                max_outstanding,
            })
        },
    )
}

/// Any `replay` job.
pub(super) fn replay() -> impl Strategy<Value = JobSpec> {
    let io = (0..20 * MILLISECOND, 0_u64..90, 1_u32..9, 0_usize..4);
    let ios = prop::collection::vec(io, 1..60);
    let chains = prop::collection::btree_set(1_u32..60, 0..6);
    let open = prop::option::of(1_u32..9);
    (region(0, 512, 100), ios, chains, open, any::<bool>()).prop_map(
        |(file, ios, chains, open, meet)| {
            let mut now = 0;
            let count = ios.len() as u32;
            let io = |(wait, sector, sectors, op): (Nanos, u64, u32, usize)| {
                now += wait / 10;
                let op = [Op::Read, Op::Write, Op::Flush, Op::Trim][op];
                let moves = u32::from(op != Op::Flush);
                RecordedIo {
                    wait: if open.is_some() { now } else { wait },
                    in_flight: [0, u32::MAX, 1, u32::MAX, 3][sector as usize % 5],
                    offset: sector * 512 * u64::from(moves),
                    len: sectors * 512 * moves,
                    op,
                    commits: false,
                    after: None,
                }
            };
            let ios: Vec<_> = ios.into_iter().map(io).collect();
            let begins = chains.into_iter().filter(|begin| *begin < count);
            let begins = begins.filter(|_| open.is_none());
            let begins: Vec<_> = [0].into_iter().chain(begins).collect();
            let ends = begins.iter().skip(1).copied().chain([count]);
            let chain = |(begin, end): (&u32, u32)| ios[*begin as usize..end as usize].to_vec();
            let mut chains: Vec<_> = begins.iter().zip(ends).map(chain).collect();
            if meet {
                let_commit(&mut chains);
            }
            let mut totals = Totals::default();
            chains.iter().flatten().for_each(|io| totals.add(io));
            // A log has one.
            let most = |(nth, _): (u32, &Vec<RecordedIo>)| 1 + nth % 4;
            let recording = Recording {
                totals,
                ios: Arc::new(InMemory(chains.clone())),
            };
            JobSpec::Replay(ReplaySpec {
                name: "replay".into(),
                file,
                per_s: open.map_or(0, |_| recording.per_s(Nanos::MAX)),
                pace: match open {
                    Some(max_outstanding) => ReplayPace::Open { max_outstanding },
                    None if meet => ReplayPace::Commits((0..).zip(&chains).map(most).collect()),
                    None => ReplayPace::Chains((1..).zip(&chains).map(most).collect()),
                },
                recording,
            })
        },
    )
}

/// Chains of recorded IOs, read a few at once.
#[derive(Debug)]
struct InMemory(Vec<Vec<RecordedIo>>);

impl ReadIos for InMemory {
    fn read(&self, chain: u32, from: u64, batch: &mut Vec<RecordedIo>) {
        batch.extend(self.0[chain as usize].iter().skip(from as usize).take(3));
    }

    fn failure(&self) -> Option<String> {
        None
    }
}

/// A replay by commits of chains of these: what is done, after how long, whether of a thread that
/// commits, and after how many flushes.
pub(super) fn by_commits(chains: &[Vec<(Op, Nanos, bool, u32)>]) -> JobSpec {
    let io = |&(op, wait, commits, flushes): &(Op, Nanos, bool, u32)| RecordedIo {
        wait,
        in_flight: 0,
        offset: 0,
        len: if op == Op::Flush { 0 } else { 512 },
        op,
        commits,
        after: (flushes > 0).then_some(LogWait { work: 0, flushes }),
    };
    let chains: Vec<Vec<_>> = chains
        .iter()
        .map(|all| all.iter().map(io).collect())
        .collect();
    let mut totals = Totals::default();
    chains.iter().flatten().for_each(|io| totals.add(io));
    JobSpec::Replay(ReplaySpec {
        name: "replay".into(),
        file: Region {
            device: 0,
            offset: 0,
            size: 512,
        },
        pace: ReplayPace::Commits(chains.iter().map(|_| 1).collect()),
        per_s: 0,
        recording: Recording {
            totals,
            ios: Arc::new(InMemory(chains)),
        },
    })
}

/// The first chain is the log of the others, some of which wait for it.
fn let_commit(chains: &mut [Vec<RecordedIo>]) {
    for (nth, io) in (0_u32..).zip(chains.iter_mut().skip(1).flatten()) {
        io.commits = nth % 5 > 1;
        io.after = (nth % 4 > 0).then_some(LogWait {
            work: nth % 3 * 1000,
            flushes: nth % 4,
        });
    }
}

/// Any job with fsyncs, on a device or a file system.
pub(super) fn synced() -> impl Strategy<Value = JobSpec> {
    let commit = prop::collection::vec((1_u64..5).prop_map(|sectors| sectors * 512), 1..4);
    let file_system = (region(1, 512, 50), commit);
    let file_system = file_system.prop_map(|(journal, commit)| FileSystem { journal, commit });
    let fsync = (1_u32..5, prop::option::of(file_system));
    (closed(), fsync, 0_u32..1000).prop_map(|(mut job, (every, file_system), reads)| {
        if let JobSpec::Access(spec) = &mut job {
            spec.fsync = Some(Fsync { every, file_system });
            spec.read_permille = reads;
        }
        job
    })
}

/// Any job of buffered sequential reads.
pub(super) fn read_ahead() -> impl Strategy<Value = JobSpec> {
    (closed(), 1_u64..20).prop_map(|(mut job, blocks)| {
        if let JobSpec::Access(spec) = &mut job {
            (spec.read_permille, spec.random_permille) = (1000, 0);
            spec.read_ahead = Some(blocks * spec.block);
        }
        job
    })
}

/// Any closed loop whose processes, the same all the time, share an amount of so many IOs each, or
/// a little more.
pub(super) fn with_amount() -> impl Strategy<Value = JobSpec> {
    let jobs = prop_oneof![closed(), synced(), read_ahead()];
    let load = (1_u32..6, 1_u32..5);
    (jobs, load, 1_u64..40, 0_u64..100).prop_map(
        |(mut job, (processes, outstanding), ios, more)| {
            if let JobSpec::Access(spec) = &mut job {
                let each = spec.read_ahead.unwrap_or(spec.block);
                spec.amount = Some(u64::from(processes) * ios * each + more * each / 33);
                spec.load = Load::Closed {
                    steps: steps(vec![processes]),
                    outstanding,
                };
            }
            job
        },
    )
}

/// Any closed loop of processes, the same all the time, that have one IO in flight and think, with
/// the mean of that.
pub(super) fn thinking() -> impl Strategy<Value = (JobSpec, Nanos)> {
    let jobs = prop_oneof![closed(), synced()];
    (jobs, 1_u32..6, 1..20 * MILLISECOND).prop_filter_map(
        "no journal",
        |(mut job, processes, think)| {
            let JobSpec::Access(spec) = &mut job else {
                return None;
            };
            if spec
                .fsync
                .as_ref()
                .is_some_and(|fsync| fsync.file_system.is_some())
            {
                return None;
            }
            spec.think = think;
            spec.load = Load::Closed {
                steps: steps(vec![processes]),
                outstanding: 1,
            };
            Some((job, think))
        },
    )
}

fn closed() -> impl Strategy<Value = JobSpec> {
    let is_closed = |job: &JobSpec| matches!(job, JobSpec::Access(spec) if matches!(spec.load, Load::Closed { .. }));
    direct().prop_filter("a closed loop", is_closed)
}

fn direct() -> impl Strategy<Value = JobSpec> {
    let skew = prop_oneof![
        Just(Skew::NONE),
        any::<bool>().prop_map(|scatter| Skew {
            preference: Preference::Zipf { permille: 900 },
            scatter,
        })
    ];
    let shares = prop::sample::select(vec![0_u32, 1, 300, 999, 1000]);
    let file = (1_u64..9, 1_u64..100).prop_flat_map(|(sectors, blocks)| {
        let block = sectors * 512;
        (region(0, block, blocks), Just(block))
    });
    (file, shares, 0_u32..=1000, skew, load()).prop_map(
        |((file, block), read_permille, random_permille, skew, load)| {
            JobSpec::Access(AccessSpec {
                name: "access".into(),
                file,
                block,
                read_permille,
                random_permille,
                skew,
                load,
                think: 0,
                fsync: None,
                read_ahead: None,
                amount: None,
            })
        },
    )
}

/// Any `ranwrite` job.
pub(super) fn ranwrite() -> impl Strategy<Value = JobSpec> {
    let files = (1_u64..9, 1_u64..500, 1_u64..60, 1_u64..60).prop_flat_map(
        |(sectors, blocks, wij, journal)| {
            let block = sectors * 2 * KIB;
            // They hold at least a write: of the WIJ up to 20 KiB or a block, of the journal a
            // buffer.
            let log = |number, units| region(number, 4 * KIB, units);
            (
                region(0, block, blocks),
                log(1, 4 + wij),
                log(2, 15 + journal),
                Just(block),
            )
        },
    );
    let writers = (1_u64..40, 1_u32..9, 1_u32..9, 1_u32..17, 1_u32..5, 1_u32..9);
    // Some make more of a journal than a buffer for each of its writes.
    let record = prop_oneof![Just(300), 300_u64..30_000];
    let load = (
        prop::collection::vec(0_u32..30, 1..5),
        1_u64..200,
        1..500 * MILLISECOND,
        1_u64..200,
        record,
    );
    (files, writers, load).prop_map(
        |(
            (data, wij, journal, block),
            (wij_sectors, wij_outstanding, daemons, outstanding, per_daemon, coalesce),
            (processes, updates, cycle, dirty_limit, journal_record),
        )| {
            JobSpec::RanWrite(RanWriteSpec {
                mirror: None,
                name: "ranwrite".into(),
                data,
                wij,
                journal,
                block,
                steps: steps(processes),
                updates_per_process: updates,
                cycle,
                dirty_limit,
                list_time_per_block: 1000,
                wij_write: wij_sectors * 512,
                wij_outstanding,
                daemons,
                outstanding,
                outstanding_per_daemon: per_daemon,
                coalesce_blocks: coalesce,
                journal_record,
                journal_buffer: 64 * KIB,
                journal_interval: 20 * MILLISECOND,
            })
        },
    )
}
