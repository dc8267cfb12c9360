//! The sentence that a comparison ends in: golden texts, from what is shown of each figure.

use blockyard_compare::{Basis, Change, Row, SeriesGroup, Verdict};
use blockyard_experiment::{Base, Executor, Inline, ScenarioText, Variant};
use blockyard_record::result::Mode;

use super::conclusion::{self, Conclusion, Weighed};
use super::{Side, Whole};
use crate::Run;

const SCENARIO: &str = "
name: gp3
duration: 1s
storage: {data: {type: gp3, size: 100GiB}}
workload: {readers: {kind: ranread, on: data, file_size: 1GiB, processes: 1}}
";

/// A simulated run, which is then said to be made as `made`.
fn run(made: &str) -> Run {
    let text = ScenarioText {
        text: SCENARIO.to_owned(),
        file_name: "gp3.yaml".to_owned(),
        sets: Vec::new(),
    };
    let base = Base::read(text).unwrap();
    let answers = Inline.run(&[Variant::of(&base)], &mut || false).unwrap();
    let mut result = answers.into_iter().next().unwrap().unwrap().result;
    result.mode = match made {
        "simulate" => Mode::Simulate,
        "emulate" => Mode::Emulate,
        _ => Mode::Bench,
    };
    let own = ["simulate", "emulate", "bench"].contains(&made);
    Run {
        foreign: (!own).then(|| made.to_owned()),
        scenario: own.then_some(base),
        ..Run::bare("gp3", result)
    }
}

/// A figure of a job, with an interval so far around the change, if it has one.
fn figure(
    job: &str,
    figure: &'static str,
    (first, other): (f64, f64),
    margin: Option<f64>,
    verdict: Verdict,
) -> Row {
    let relative = other / first - 1.0;
    Row {
        group: SeriesGroup {
            job: job.to_owned(),
            device: None,
            op: Some("read".to_owned()),
        },
        figure,
        values: vec![Some(first), Some(other)],
        changes: vec![Some(Change {
            relative,
            interval: margin.map(|margin| (relative - margin, relative + margin)),
            basis: margin.map(|_| Basis::PairedSeeds),
            verdict,
        })],
    }
}

fn iops(first: f64, other: f64, margin: Option<f64>, verdict: Verdict) -> Row {
    figure("all", "iops", (first, other), margin, verdict)
}

fn p99(other: f64, margin: f64, verdict: Verdict) -> Row {
    figure(
        "all",
        "latency.p99",
        (6_000.0, other),
        Some(margin),
        verdict,
    )
}

fn same_p99() -> Row {
    p99(6_010.0, 0.02, Verdict::Alike)
}

fn worse_p99() -> Row {
    p99(9_000.0, 0.1, Verdict::Worse)
}

fn concluded([first, other]: [&str; 2], rows: &[Row]) -> Conclusion {
    let (first, other) = (run(first), run(other));
    let [first, other] = [("before", &first), ("after", &other)].map(|(name, run)| Side {
        name: name.to_owned(),
        ..Side::of(run)
    });
    let [first, other] = [&first, &other].map(|side| Weighed {
        side,
        cost: None,
        ends: None,
    });
    conclusion::of(first, 1, other, rows, false)
}

#[test]
fn an_emulated_volume_that_does_as_simulated() {
    let rows = [
        iops(3_000.0, 2_940.0, Some(0.005), Verdict::Worse),
        same_p99(),
    ];
    let sentence = "The emulated storage (`after`) vs the simulation (`before`): -2% IOPS (2,940 \
                    vs 3,000), p99 alike within 5% (6.01 ms vs 6.00 ms): the emulation does as \
                    simulated.";
    let expected = Conclusion {
        side: 1,
        verdict: Whole::Worse,
        fits: Some(true),
        sentence: sentence.to_owned(),
    };
    assert_eq!(concluded(["simulate", "emulate"], &rows), expected);
}

#[test]
fn an_emulation_that_does_not_keep_up() {
    let rows = [
        iops(3_000.0, 3_000.0, Some(0.003), Verdict::Alike),
        worse_p99(),
    ];
    let found = concluded(["simulate", "emulate"], &rows).sentence;
    let end = ", p99 +50% (9.00 ms vs 6.00 ms): the emulation does not do as simulated, for which \
               its machine may be too slow.";
    assert!(found.ends_with(end), "{found}");
}

#[test]
fn what_fio_measured_is_not_as_simulated() {
    let rows = [
        iops(3_000.0, 3_010.0, Some(0.003), Verdict::Alike),
        worse_p99(),
    ];
    let found = concluded(["simulate", "fio"], &rows);
    assert_eq!((found.verdict, found.fits), (Whole::Worse, Some(false)));
    assert_eq!(
        found.sentence,
        "Fio's run (`after`) vs the simulation (`before`): IOPS alike within 1% (3,010 vs 3,000), \
         p99 +50% (9.00 ms vs 6.00 ms): the model does not fit this storage."
    );
}

#[test]
fn of_a_model_too_little_is_known() {
    let rows = [iops(3_000.0, 2_900.0, None, Verdict::Unknown), same_p99()];
    let found = concluded(["bench", "simulate"], &rows);
    assert_eq!((found.verdict, found.fits), (Whole::Unknown, None));
    assert_eq!(
        found.sentence,
        "The simulation (`after`) vs the real storage (`before`): IOPS 2,900 vs 3,000 (too little \
         data to rule out chance), p99 alike within 5% (6.01 ms vs 6.00 ms): too little data to \
         tell whether the model fits; longer runs or repeats tell more."
    );
}

#[test]
fn a_model_whose_job_did_nothing_does_not_fit() {
    let rate = figure("readers", "iops", (3_000.0, 1.0), None, Verdict::Unknown);
    let rate = Row {
        values: vec![Some(3_000.0), None],
        changes: vec![None],
        ..rate
    };
    let found = concluded(["simulate", "bench"], &[rate]);
    assert_eq!((found.verdict, found.fits), (Whole::Worse, Some(false)));
}

fn benches(rows: &[Row], verdict: Whole, sentence: &str) {
    let found = concluded(["bench", "bench"], rows);
    assert_eq!((found.verdict, found.fits), (verdict, None));
    assert_eq!(found.sentence, sentence);
}

#[test]
fn two_benches_that_differ() {
    benches(
        &[
            iops(3_000.0, 6_000.0, Some(0.01), Verdict::Better),
            same_p99(),
        ],
        Whole::Better,
        "`after` vs `before`: +100% IOPS (6,000 vs 3,000), p99 alike within 5% (6.01 ms vs \
         6.00 ms): better.",
    );
    benches(
        &[
            iops(300_000.0, 1_234_000.0, Some(0.01), Verdict::Better),
            worse_p99(),
        ],
        Whole::BetterAndWorse,
        "`after` vs `before`: 4.11 times the IOPS (1.23 million vs 300,000), p99 +50% (9.00 ms \
         vs 6.00 ms): better in IOPS, worse in p99.",
    );
    let hours = figure(
        "all",
        "latency.p99",
        (1e6, 20_143e6),
        Some(9.0),
        Verdict::Worse,
    );
    benches(
        &[iops(3_000.0, 2_400.0, Some(0.25), Verdict::NotShown), hours],
        Whole::Worse,
        "`after` vs `before`: IOPS 2,400 vs 3,000 (no difference shown, -45% to +5%), p99 more \
         than 1,000 times as long (5 h 36 min vs 1.00 s): worse.",
    );
}

#[test]
fn two_benches_that_do_not_differ() {
    benches(
        &[
            iops(3_000.0, 3_001.0, Some(0.001), Verdict::Alike),
            same_p99(),
        ],
        Whole::Alike,
        "`after` vs `before`: IOPS alike within 1% (3,001 vs 3,000), p99 alike within 5% (6.01 ms \
         vs 6.00 ms): alike.",
    );
    benches(
        &[
            iops(3_000.0, 2_400.0, Some(0.25), Verdict::NotShown),
            same_p99(),
        ],
        Whole::NotShown,
        "`after` vs `before`: IOPS 2,400 vs 3,000 (no difference shown, -45% to +5%), p99 alike \
         within 5% (6.01 ms vs 6.00 ms): no difference shown; longer runs or repeats may show one.",
    );
    benches(
        &[iops(3_000.0, 2_400.0, None, Verdict::Unknown)],
        Whole::Unknown,
        "`after` vs `before`: IOPS 2,400 vs 3,000: too little data to say which is better.",
    );
    benches(
        &[],
        Whole::Unknown,
        "`after` vs `before`: no figure in common: too little data to say which is better.",
    );
}

#[test]
fn of_several_jobs_those_that_differ_come_first() {
    let job = |name: &str, values: (f64, f64), verdict: Verdict| {
        figure(name, "iops", values, Some(0.001), verdict)
    };
    let rows = [
        job("log", (200.0, 200.0), Verdict::Alike),
        job("readers", (3_000.0, 6_000.0), Verdict::Better),
        job("backup", (50.0, 50.0), Verdict::Alike),
        job("writers", (800.0, 400.0), Verdict::Worse),
    ];
    benches(
        &rows,
        Whole::BetterAndWorse,
        "`after` vs `before`: readers +100% IOPS (6,000 vs 3,000); writers -50% IOPS (400 vs 800); \
         log and backup IOPS alike within 1%: better in IOPS of readers, worse in IOPS of writers.",
    );
}
