//! Variants have one identity and one answer, whoever simulates them.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::base;
use blockyard_experiment::{
    Answered, Base, Edit, Error, Executor, Inline, Lab, Remembering, Threads, Variant, VariantId,
    emptied,
};

const GP3: &str = "
{name: gp3, duration: 2s, warmup: 1s, storage: {data: {type: gp3, size: 100GiB}},
 workload: {readers: {kind: ranread, on: data, file_size: 10GiB, processes: 4}}}
";

fn id(base: &Arc<Base>, edits: &[Edit]) -> VariantId {
    Variant::of(base).with(edits.to_vec()).id().unwrap()
}

#[test]
fn what_comes_to_the_same_has_one_identity() {
    let plain = base(GP3, &[]);
    let edits = [
        Edit::set("storage.data.iops", 4000),
        Edit::set("duration", "3s"),
    ];
    let sets = ["storage.data.iops=4000", "duration=3s"];
    assert_eq!(id(&plain, &edits), id(&base(GP3, &sets), &[]));
    let reversed = ["duration=3s", "storage.data.iops=4000"];
    assert_eq!(id(&base(GP3, &reversed), &[]), id(&plain, &edits));
    let own = Variant::of(&plain).seeded(1).id().unwrap();
    assert_eq!(own, id(&plain, &[]));
}

#[test]
fn whatever_may_change_a_result_is_part_of_the_identity() {
    let plain = base(GP3, &[]);
    let mut ids = vec![
        id(&plain, &[]),
        id(&plain, &[Edit::set("storage.data.iops", 4000)]),
        id(&plain, &[Edit::Silence("readers".into())]),
        id(&plain, &emptied(plain.opened().scenario())),
        Variant::of(&plain).seeded(2).id().unwrap(),
    ];
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 5);
    assert_eq!(ids[0].to_string().len(), 64);
}

#[test]
fn the_executor_changes_nothing() {
    let variants = Variant::of(&base(GP3, &[])).by_seed(3);
    let results = |executor: &dyn Executor| {
        let answers = executor.run(&variants, &mut || false).unwrap();
        let texts = answers.into_iter().map(|answer| answer.unwrap().result);
        texts
            .map(|it| serde_json::to_string(&it).unwrap())
            .collect::<Vec<_>>()
    };
    let alone = results(&Inline);
    assert_eq!(alone, results(&Threads::of(3)));
    assert_ne!(alone[0], alone[1]);
}

#[test]
fn what_cannot_be_had_is_the_answer_of_its_variant_alone() {
    let plain = base(GP3, &[]);
    let variants = [
        Variant::of(&plain).with([Edit::set("storage.data.iops", 1_000_000)]),
        Variant::of(&plain),
    ];
    for executor in [&Inline as &dyn Executor, &Threads::of(2)] {
        let answers = executor.run(&variants, &mut || false).unwrap();
        assert!(
            matches!(&answers[0], Err(Error::Scenario(_))),
            "{answers:?}"
        );
        assert!(answers[1].is_ok());
    }
}

#[test]
fn a_stop_ends_a_batch_on_any_executor() {
    struct AtOnce;
    impl blockyard_experiment::Watch for AtOnce {
        fn stopped(&mut self) -> bool {
            true
        }
    }
    let long = base(GP3, &["duration=100h", "interval=1h", "warmup=0s"]);
    let batch = Variant::of(&long).by_seed(2);
    for executor in [&Inline as &dyn Executor, &Threads::of(2)] {
        let stopped = executor.run(&batch, &mut || true);
        assert!(matches!(stopped, Err(Error::Stopped)), "{stopped:?}");
        let mut watch = AtOnce;
        let asked = Lab::new(executor, 1, &mut watch).ask(&batch);
        assert!(matches!(asked, Err(Error::Stopped)));
    }
}

/// Counts what it simulates.
#[derive(Debug, Default)]
struct Counting(AtomicUsize);

impl Executor for Counting {
    fn width(&self) -> usize {
        1
    }

    fn run(
        &self,
        batch: &[Variant],
        stopped: &mut dyn FnMut() -> bool,
    ) -> Result<Vec<Answered>, Error> {
        self.0.fetch_add(batch.len(), Ordering::Relaxed);
        Inline.run(batch, stopped)
    }
}

#[test]
fn what_was_simulated_is_not_simulated_again() {
    let counting = Counting::default();
    let remembering = Remembering::new(&counting);
    let plain = Variant::of(&base(GP3, &[]));
    let texts = |batch: &[Variant]| {
        let answers = remembering.run(batch, &mut || false).unwrap();
        let texts = answers.into_iter().map(|answer| match answer {
            Ok(answer) => serde_json::to_string(&answer.result).unwrap(),
            Err(error) => error.to_string(),
        });
        texts.collect::<Vec<_>>()
    };
    let first = texts(&plain.by_seed(2));
    assert_eq!(counting.0.load(Ordering::Relaxed), 2);
    // Read again, with an override that changes nothing, and one that cannot be had between them.
    let again = Variant::of(&base(GP3, &["duration=2s"]));
    let wrong = plain.clone().with([Edit::set("storage.data.iops", 1)]);
    let seeds = again.by_seed(3);
    let second = texts(&[
        seeds[1].clone(),
        wrong.clone(),
        seeds[2].clone(),
        seeds[0].clone(),
    ]);
    assert_eq!([&second[3], &second[0]], [&first[0], &first[1]]);
    assert!(!second[1].starts_with('{') && second[2] != second[3]);
    assert_eq!(counting.0.load(Ordering::Relaxed), 4);
}
