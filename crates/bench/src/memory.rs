//! Checks that the machine has the memory that a run takes, before anything is done: a failed
//! allocation would end the program at once.

use std::fs;

use blockyard_machine::{Error, processors};
use blockyard_model::units::{Bytes, KIB, MIB};
use blockyard_model::workload::FileUse;
use blockyard_model::workload::spec::JobSpec;
use blockyard_scenario::units::Size;
use rustix::process::{Resource, getrlimit};

use crate::Engine;
use crate::share;

/// Bytes for an IO in flight besides its data: its buffer begins at a page, and there are the
/// state of its slot, its place in the engine and its alarm.
const SLOT: Bytes = 4 * KIB + 512;

/// Bytes that verification keeps for a block.
const VERIFIED: Bytes = 10;

/// Address space for threads: a stack, and an arena of the allocator, of which there are at
/// most so many for each processor.
const STACK: Bytes = 2 * MIB;
const ARENA: Bytes = 64 * MIB;
const ARENAS: u64 = 8;

/// Address space for everything else.
const REST: Bytes = 256 * MIB;

/// A part of the scenario that takes memory.
struct Need {
    /// The field and its value, as the start of a sentence.
    field: String,
    bytes: Bytes,
}

/// Checks that the buffers of `jobs`, and what `verify` keeps of their files,
/// find room beside the threads of `engine`.
///
/// # Errors
/// If they do not: the field that takes most.
pub(crate) fn check(jobs: &[JobSpec], verify: bool, engine: Engine) -> Result<(), Error> {
    let in_flight = jobs.iter().map(share::in_flight).sum();
    let threads = engine.most_threads(in_flight);
    match available(threads) {
        Some(free) => check_room(jobs, verify, free),
        None => Ok(()),
    }
}

fn check_room(jobs: &[JobSpec], verify: bool, free: Bytes) -> Result<(), Error> {
    let mut needs: Vec<_> = jobs.iter().map(in_flight).collect();
    if verify {
        needs.extend(jobs.iter().map(verified));
    }
    let all = needs.iter().map(|need| need.bytes);
    if all.fold(0, Bytes::saturating_add) <= free {
        return Ok(());
    }
    let most = needs.iter().max_by_key(|need| need.bytes);
    Err(Error::Lacks(most.map_or_else(String::new, |need| {
        format!("{} of memory, and there is {}", need.field, whole(free))
    })))
}

/// What the IOs that a job has in flight at most take.
fn in_flight(job: &JobSpec) -> Need {
    let of_file = |file: FileUse| {
        let each = file.largest_io.saturating_add(SLOT);
        each.saturating_mul(file.in_flight)
    };
    let bytes = job.files().into_iter().map(of_file);
    let bytes = bytes.fold(0, Bytes::saturating_add);
    Need {
        field: format!(
            "workload.{}: {} IOs in flight take about {}",
            job.name(),
            share::in_flight(job),
            whole(bytes)
        ),
        bytes,
    }
}

/// What verification keeps of a job's files.
fn verified(job: &JobSpec) -> Need {
    let files = job.files();
    let size: Bytes = files.iter().map(|file| file.region.size).sum();
    let blocks: u64 = files.iter().map(|file| file.region.size / file.unit).sum();
    let bytes = blocks.saturating_mul(VERIFIED);
    Need {
        field: format!(
            "workload.{}.file_size: to verify {} takes about {}",
            job.name(),
            whole(size),
            whole(bytes)
        ),
        bytes,
    }
}

/// To four digits at most.
fn whole(bytes: Bytes) -> Size {
    let mut unit = KIB;
    while bytes / unit >= 10_000 {
        unit *= KIB;
    }
    Size::new(bytes / unit * unit)
}

/// The available memory: what is free or can be freed, within the limit of this process
/// (`ulimit -v`) less what `threads` take. None where the system does not say.
fn available(threads: u64) -> Option<Bytes> {
    let machine = |name| field("/proc/meminfo", name);
    let free = machine("MemAvailable:").map(|free| free + machine("SwapFree:").unwrap_or(0));
    let arenas = threads.min(ARENAS * u64::from(processors()));
    let taken = field("/proc/self/status", "VmSize:").unwrap_or(0);
    let taken = taken + REST + threads * STACK + arenas * ARENA;
    let limit = getrlimit(Resource::As).current;
    let left = limit.map(|limit| limit.saturating_sub(taken));
    free.into_iter().chain(left).min()
}

/// A size that the kernel gives in KiB.
fn field(table: &str, name: &str) -> Option<Bytes> {
    let table = fs::read_to_string(table).ok()?;
    let line = table.lines().find_map(|line| line.strip_prefix(name))?;
    let kib: Bytes = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * KIB)
}

#[cfg(test)]
mod tests {
    use blockyard_model::units::GIB;
    use blockyard_model::workload::spec::{AccessSpec, Load, Region, Skew};

    use super::*;

    fn readers(processes: u32, outstanding: u32) -> JobSpec {
        JobSpec::Access(AccessSpec {
            name: "readers".into(),
            file: Region {
                device: 0,
                offset: 0,
                size: GIB << 10,
            },
            block: 8192,
            read_permille: 1000,
            random_permille: 1000,
            skew: Skew::NONE,
            load: Load::Closed {
                steps: vec![(0, 1), (5, processes)],
                outstanding,
            },
            think: 0,
            fsync: None,
            read_ahead: None,
            amount: None,
        })
    }

    #[test]
    fn what_finds_no_room_is_named() {
        for (jobs, verify, said) in [
            (
                vec![readers(1, 1), readers(500_000, 1)],
                false,
                "workload.readers: 500000 IOs in flight take about 6103MiB of memory, and there is 4GiB",
            ),
            (
                vec![readers(1000, 500)],
                false,
                "workload.readers: 500000 IOs in flight take about 6103MiB of memory, and there is 4GiB",
            ),
            (
                vec![readers(1, 1); 4],
                true,
                "workload.readers.file_size: to verify 1TiB takes about 1.25GiB of memory, \
                 and there is 4GiB",
            ),
        ] {
            assert_eq!(check_room(&jobs, verify, 8 * GIB), Ok(()));
            let refused = check_room(&jobs, verify, 4 * GIB).unwrap_err();
            assert_eq!(refused.to_string(), said);
        }
    }

    #[test]
    fn a_machine_with_memory_takes_the_most_there_can_be() {
        assert_eq!(
            check_room(&[readers(1_000_000, 1)], false, 16 * GIB),
            Ok(())
        );
        assert!(available(1).is_some_and(|free| free > MIB));
    }
}
