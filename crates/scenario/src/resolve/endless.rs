//! Closed loops in which no time would ever pass.

use blockyard_model::spec::{StorageSpec, VolumeSpec};
use blockyard_model::workload::spec::{AccessSpec, JobSpec, Load};

use super::Invalid;

/// Refuses a closed loop whose IOs all take no time: each would be followed by
/// the next at the same moment, without end. Only modelled time can stand still
/// like that, so this is for simulations.
pub(crate) fn check(storage: &StorageSpec, jobs: &[JobSpec]) -> Result<(), Invalid> {
    for job in jobs {
        if let JobSpec::Access(job) = job
            && is_closed(&job.load)
            && !takes_time(storage, job)
        {
            let device = &storage.devices[job.file.device].name;
            let message = format!(
                "IO on `{device}` takes no time, so that a simulated closed loop on it would never end; \
                 expected `rate` in place of `processes`, or a device with limits or latency"
            );
            return Err(Invalid::new(format!("workload.{}.on", job.name), message));
        }
    }
    Ok(())
}

/// Whether it has processes that wait for their IO.
fn is_closed(load: &Load) -> bool {
    match load {
        Load::Closed { steps, .. } => steps.iter().any(|step| step.1 > 0),
        Load::Open { .. } => false,
    }
}

/// Whether any IO of a job can take time: by its latency or by a limit.
fn takes_time(storage: &StorageSpec, job: &AccessSpec) -> bool {
    let mut some = false;
    let layout = &storage.devices[job.file.device].layout;
    layout.extents(job.file.offset, job.file.size, &mut |extent| {
        let volume = &storage.volumes[extent.volume];
        let reads = job.read_permille > 0 && direction_takes_time(storage, volume, job, false);
        let writes = job.read_permille < 1000 && direction_takes_time(storage, volume, job, true);
        some |= reads || writes;
    });
    some
}

fn direction_takes_time(
    storage: &StorageSpec,
    volume: &VolumeSpec,
    job: &AccessSpec,
    write: bool,
) -> bool {
    let latency = &volume.latency;
    let table = if write { &latency.write } else { &latency.read };
    let hosts = storage.host_limits.iter().filter(|_| volume.behind_host);
    table.iter().any(|quantile| quantile.1 > 0)
        || latency.per_kib > 0 && job.block > latency.base_size
        || hosts
            .chain(&volume.limits)
            .any(|limit| limit.applies.to(write))
}

#[cfg(test)]
mod tests;
