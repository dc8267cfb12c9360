//! Load steps side by side.

use super::synthetic::{Like, PLAIN, run};
use crate::{Load, Run, Step, StepRow, Verdict, compare};

/// A run of four load steps of the readers with these processes.
fn stepped(latency: f64, processes: [u64; 4]) -> Run {
    let like = Like {
        bins: 80,
        steps: true,
        latency,
        ..PLAIN
    };
    let step = |(place, processes)| Step {
        job: "readers".to_owned(),
        load: Load::Processes(processes),
        bins: place..=place,
    };
    Run {
        steps: (0..).zip(processes).map(step).collect(),
        ..run(like, 1)
    }
}

fn rows(sides: [Run; 2], figure: &str) -> Vec<StepRow> {
    let comparison = compare(&sides.map(|run| vec![run]), &[]).unwrap();
    let steps = comparison.steps.into_iter();
    steps.filter(|step| step.row.figure == figure).collect()
}

#[test]
fn each_step_has_its_own_figures() {
    let found = rows(
        [stepped(1.0, [1, 2, 4, 8]), stepped(2.0, [1, 2, 4, 8])],
        "latency.mean",
    );
    let loads: Vec<_> = found.iter().map(|step| step.load).collect();
    assert_eq!(loads, [1, 2, 4, 8].map(Load::Processes));
    for (place, step) in found.iter().enumerate() {
        let first = step.row.values[0].unwrap() / 1000.0 / f64::powi(4.0, place as i32);
        assert!((0.8..1.2).contains(&first), "{step:?}");
        assert_eq!(
            step.row.changes[0].unwrap().verdict,
            Verdict::Worse,
            "{step:?}"
        );
    }
}

/// The same load is compared with itself, wherever it is in a run, and a load that comes
/// twice with its like.
#[test]
fn steps_are_known_by_their_load() {
    let found = rows(
        [stepped(1.0, [1, 2, 1, 8]), stepped(1.0, [2, 8, 1, 1])],
        "latency.mean",
    );
    let keys: Vec<_> = found.iter().map(|step| (step.load, step.time)).collect();
    let load = Load::Processes;
    assert_eq!(
        keys,
        [(load(1), 1), (load(2), 1), (load(1), 2), (load(8), 1)]
    );
    let factors = found.iter().map(|step| {
        let [first, other] = [0, 1].map(|side| step.row.values[side].unwrap());
        (other / first).log(4.0).round()
    });
    assert_eq!(factors.collect::<Vec<_>>(), [2.0, -1.0, 1.0, -2.0]);
}

#[test]
fn a_step_that_only_one_side_has_is_not_compared() {
    let found = rows(
        [stepped(1.0, [1, 2, 4, 8]), stepped(1.0, [1, 3, 5, 7])],
        "iops",
    );
    assert_eq!(found.len(), 1);
    let mut single = stepped(1.0, [1, 2, 4, 8]);
    single.steps.truncate(1);
    assert!(
        rows([single.clone(), single], "iops").is_empty(),
        "the whole says it all"
    );
}
