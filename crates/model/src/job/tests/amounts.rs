//! A job with an amount does just that much, and then nothing, however much of it fails.

use super::specs::with_amount;
use super::*;
use crate::workload::spec::AccessSpec;

/// A job on storage that fails one IO in so many, and tells what became of all.
struct World {
    slots: Slots<Request>,
    random: Stream,
    /// When processes were through, and who had completed an IO then.
    through: Vec<(Nanos, u32)>,
    completing: u32,
    network: Processors,
}

impl IoSink for World {
    fn io(&mut self, slot: Slot, _due: Nanos, request: Request) {
        let latency = self.slots.latency();
        self.slots.io(slot, latency, request);
    }

    fn wake(&mut self, _slot: Slot, _at: Nanos) {
        unreachable!("there is one load step");
    }

    fn fact(&mut self, fact: Fact) {
        let Fact::Through(at) = fact else {
            unreachable!("{fact:?}")
        };
        self.through.push((at, self.completing));
    }
}

impl NetworkSink for World {
    fn over_network(&mut self, act: impl FnOnce(&mut Processors)) {
        act(&mut self.network);
    }
}

/// What a process has done: reads and writes, and when the last of them or the last flush ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Done {
    ios: u64,
    last: Nanos,
}

/// Runs a share of the processes of `spec` to the end, if it has one; says what each did, and when
/// which of them were through.
fn carry_out(spec: &JobSpec, part: Part, failing_permille: u32) -> (Vec<Done>, Vec<(Nanos, u32)>) {
    let mut workload = Job::part(spec, JOB, 1, part);
    let (_, processes) = spec.amount().expect("an amount");
    let mut world = World {
        slots: Slots::of(&workload, MILLISECOND),
        random: Stream::new(u64::from(part.index), "world"),
        through: Vec::new(),
        completing: 0,
        network: Processors::default(),
    };
    let mut done = vec![Done::default(); processes as usize];
    workload.start(&mut world);
    while let Some((slot, Event::Ends(request))) = world.slots.next(Nanos::MAX) {
        let now = world.slots.now;
        let outcome = Outcome::of(world.random.chance(failing_permille));
        // A file system's journal is nobody's.
        if let Some(own) = done.get_mut(request.submitter as usize) {
            own.ios += u64::from(outcome == Outcome::Done && request.op != Op::Flush);
            own.last = now;
            world.completing = request.submitter;
        }
        workload.completed(now, slot, outcome, &mut world);
    }
    (done, world.through)
}

fn spec_of(job: &JobSpec) -> &AccessSpec {
    match job {
        JobSpec::Access(spec) => spec,
        _ => unreachable!("an access job"),
    }
}

proptest! {
    #[test]
    fn what_is_asked_for_is_done_once(job in with_amount(), parts in 1_u32..4) {
        let spec = spec_of(&job);
        let (bytes, processes) = job.amount().unwrap();
        let unit = spec.read_ahead.unwrap_or(spec.block);
        let mut done = vec![Done::default(); processes as usize];
        let mut through = Vec::new();
        let of = parts.min(processes);
        for index in 0..of {
            let (share, own) = carry_out(&job, Part { index, of }, 0);
            through.extend(own);
            for (sum, it) in done.iter_mut().zip(share).filter(|(_, it)| it.last > 0) {
                *sum = it;
            }
        }
        let ios: u64 = done.iter().map(|it| it.ios).sum();
        prop_assert_eq!(ios, bytes.div_ceil(unit));
        let (least, most) = (done.iter().map(|it| it.ios).min(), done.iter().map(|it| it.ios).max());
        prop_assert!(most <= least.map(|least| least + 1), "{done:?}");
        through.sort_by_key(|it| it.1);
        let ends: Vec<_> = (0..).zip(&done).map(|(process, it)| (it.last, process)).collect();
        if spec.fsync.as_ref().is_none_or(|it| it.file_system.is_none()) {
            prop_assert_eq!(&through, &ends);
        }
        prop_assert_eq!(through.len(), processes as usize, "each is through once");
    }

    #[test]
    fn what_failed_is_done_again(job in with_amount(), failing in 1_u32..600) {
        let (bytes, processes) = job.amount().unwrap();
        let spec = spec_of(&job);
        let (done, through) = carry_out(&job, Part::WHOLE, failing);
        let ios: u64 = done.iter().map(|it| it.ios).sum();
        let wanted = bytes.div_ceil(spec.read_ahead.unwrap_or(spec.block));
        match spec.fsync {
            None => prop_assert_eq!(ios, wanted),
            // What an fsync that failed had covered is written again.
            Some(_) => prop_assert!(ios >= wanted),
        }
        prop_assert_eq!(through.len(), processes as usize);
    }
}
