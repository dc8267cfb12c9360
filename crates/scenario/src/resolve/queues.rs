//! How many queues use each device: a volume serves one queue in order, and
//! several far from it.

use blockyard_model::workload::spec::{JobSpec, Load};

/// Queues on each of `devices` devices, over all jobs: a process or a write
/// daemon is one, whatever it keeps in flight; so is an open loop, the WIJ's
/// writer and the journal's.
pub(super) fn queues(jobs: &[JobSpec], devices: usize) -> Vec<u32> {
    let mut queues = vec![0_u32; devices];
    let mut add = |device: usize, count: u32| {
        queues[device] = queues[device].saturating_add(count);
    };
    for job in jobs {
        match job {
            JobSpec::Access(job) => {
                let count = match &job.load {
                    Load::Closed { steps, .. } => steps.iter().map(|step| step.1).max(),
                    Load::Open { .. } => Some(1),
                };
                add(job.file.device, count.unwrap_or(0));
            }
            JobSpec::RanWrite(job) => {
                add(job.data.device, job.daemons);
                add(job.wij.device, 1);
                add(job.journal.device, 1);
            }
        }
    }
    queues
}
