//! Closed loops in which no time would ever pass.

use blockyard_model::spec::{StorageSpec, VolumeSpec};
use blockyard_model::storage::Op;
use blockyard_model::workload::spec::{JobSpec, Region};
use blockyard_model::workload::{FileUse, LoopType, Offered};

use super::Invalid;

/// Refuses a closed loop whose IOs all take no time: each would be followed by
/// the next at the same moment, without end. Only modelled time can stand still
/// like that, so only simulations are checked.
pub(crate) fn check(storage: &StorageSpec, jobs: &[JobSpec]) -> Result<(), Invalid> {
    for job in jobs.iter().filter(|job| waits_for_io_alone(job)) {
        let files = job.files();
        if let Some(first) = files.first()
            && !files.iter().any(|file| takes_time(storage, file))
        {
            let device = &storage.devices[first.region.device].name;
            let message = format!(
                "IO on `{device}` takes no time, so that a simulated closed loop on it would never end; \
                 expected `rate` in place of `processes`, or a device with limits or latency"
            );
            return Err(Invalid::new(format!("workload.{}.on", job.name()), message));
        }
    }
    Ok(())
}

/// Whether its processes wait for their IO and for nothing else.
fn waits_for_io_alone(job: &JobSpec) -> bool {
    let works = |(_, offered)| offered != Offered::Processes(0);
    job.loop_type() == LoopType::Closed && job.steps().into_iter().any(works)
}

/// Whether any IO on a file can take time: by its latency or by a limit.
fn takes_time(storage: &StorageSpec, file: &FileUse) -> bool {
    let mut some = false;
    let Region {
        device,
        offset,
        size,
    } = file.region;
    let layout = &storage.devices[device].layout;
    layout.extents(offset, size, &mut |extent| {
        let volume = &storage.volumes[extent.volume];
        some |= file
            .ops
            .iter()
            .any(|&op| op_takes_time(storage, volume, file, op));
    });
    some
}

fn op_takes_time(storage: &StorageSpec, volume: &VolumeSpec, file: &FileUse, op: Op) -> bool {
    let write = match op {
        Op::Read => false,
        Op::Write | Op::Zero | Op::Journal => true,
        Op::Flush | Op::Trim => return false,
    };
    let latency = &volume.latency;
    let (table, per_kib) = match write {
        true => (&latency.write, latency.per_kib.write),
        false => (&latency.read, latency.per_kib.read),
    };
    let hosts = &storage.hosts[volume.host].limits;
    let hosts = hosts.iter().filter(|_| volume.behind_host);
    table.iter().any(|quantile| quantile.1 > 0)
        || per_kib > 0 && file.largest_io > latency.base_size
        || hosts
            .chain(&volume.limits)
            .any(|limit| limit.applies.to(write))
}

#[cfg(test)]
mod tests;
