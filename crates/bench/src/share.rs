//! Which thread runs which share of the jobs.

use blockyard_model::workload::spec::JobSpec;
use blockyard_model::workload::{LoopType, Part};

/// IOs in flight that one thread drives well.
const IOS_PER_THREAD: u64 = 64;

/// How many threads to use on a machine with `processors`.
pub(crate) fn threads(jobs: &[JobSpec], processors: u32) -> u32 {
    let in_flight: u64 = jobs
        .iter()
        .filter(|job| !is_open_loop(job))
        .map(in_flight)
        .sum();
    let wanted = in_flight.div_ceil(IOS_PER_THREAD);
    wanted.clamp(1, u64::from(processors.max(1))) as u32
}

/// An open loop is one process, and the most IOs that it may have in flight
/// say nothing of how many there are.
fn is_open_loop(job: &JobSpec) -> bool {
    matches!(job.loop_type(), LoopType::Open { .. })
}

/// The most IOs that a job has in flight.
pub(crate) fn in_flight(job: &JobSpec) -> u64 {
    job.files().iter().map(|file| file.in_flight).sum()
}

/// Number, spec and share of each thread's jobs. Threads without a job are
/// left out.
pub(crate) fn assign(jobs: &[JobSpec], threads: u32) -> Vec<Vec<(u16, JobSpec, Part)>> {
    let mut assigned = vec![Vec::new(); threads as usize];
    let mut next = 0;
    for (number, job) in (0..).zip(jobs) {
        let of = threads.min(job.most_parts());
        for index in 0..of {
            assigned[next % threads as usize].push((number, job.clone(), Part { index, of }));
            next += 1;
        }
    }
    assigned.retain(|jobs| !jobs.is_empty());
    assigned
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use blockyard_model::job::Job;
    use blockyard_model::network::Processors;
    use blockyard_model::replication::NetworkSink;
    use blockyard_model::units::MIB;
    use blockyard_model::workload::spec::{AccessSpec, Arrivals, Load, Region, Skew};
    use blockyard_model::workload::{Fact, IoSink, Outcome, Slot};
    use blockyard_model::{storage::Request, units::Nanos};
    use proptest::prelude::*;

    use super::*;

    fn job(load: Load) -> JobSpec {
        JobSpec::Access(AccessSpec {
            name: "job".into(),
            file: Region {
                device: 0,
                offset: 0,
                size: 64 * MIB,
            },
            block: 8192,
            read_permille: 700,
            random_permille: 900,
            skew: Skew::NONE,
            load,
            think: 0,
            fsync: None,
            read_ahead: None,
            amount: None,
        })
    }

    fn readers(processes: u32, outstanding: u32) -> JobSpec {
        job(Load::Closed {
            steps: vec![(0, processes)],
            outstanding,
        })
    }

    fn arrivals(max_outstanding: u32) -> JobSpec {
        job(Load::Open {
            steps: vec![(0, 100)],
            arrivals: Arrivals::Even,
            max_outstanding,
            latency_limit: None,
        })
    }

    /// What was issued on each slot, and is done at once, a few times.
    #[derive(Default)]
    struct Taken {
        requests: BTreeMap<Slot, Vec<Request>>,
        ready: Vec<Slot>,
    }

    impl IoSink for Taken {
        fn io(&mut self, slot: Slot, _: Nanos, request: Request) {
            self.requests.entry(slot).or_default().push(request);
            self.ready.push(slot);
        }
        fn wake(&mut self, _: Slot, _: Nanos) {}
        fn fact(&mut self, _: Fact) {}
    }

    impl NetworkSink for Taken {
        fn over_network(&mut self, _: impl FnOnce(&mut Processors)) {}
    }

    /// The requests of every process, depth 1, of the parts of a job.
    fn by_process(job: &JobSpec, threads: u32) -> BTreeMap<u32, Vec<Request>> {
        let mut all = BTreeMap::new();
        for (number, spec, part) in assign(std::slice::from_ref(job), threads).concat() {
            let mut workload = Job::part(&spec, number, 7, part);
            let mut taken = Taken::default();
            workload.start(&mut taken);
            for now in 1..20 {
                for slot in std::mem::take(&mut taken.ready) {
                    workload.completed(now, slot, Outcome::Done, &mut taken);
                }
            }
            for (slot, requests) in taken.requests {
                all.insert(part.index + slot * part.of, requests);
            }
        }
        all
    }

    proptest! {
        #[test]
        fn a_process_does_the_same_in_whichever_thread(processes in 1_u32..40, threads in 1_u32..9) {
            let job = readers(processes, 1);
            let (alone, shared) = (by_process(&job, 1), by_process(&job, threads));
            prop_assert_eq!(alone.len(), processes as usize);
            prop_assert_eq!(alone, shared);
        }
    }

    #[test]
    fn threads_follow_the_ios_in_flight_up_to_the_processors() {
        assert_eq!(threads(&[readers(1, 1)], 8), 1);
        assert_eq!(threads(&[readers(65, 1)], 8), 2);
        assert_eq!(threads(&[readers(100, 128)], 8), 8);
        assert_eq!(threads(&[arrivals(1000)], 8), 1);
        assert_eq!(
            assign(&[readers(3, 1)], 8).len(),
            3,
            "threads without a job are left out"
        );
    }
}
