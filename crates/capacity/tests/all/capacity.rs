//! The largest load at which goals hold, against scans and closed forms.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use blockyard_capacity::{Asked, Capacity, Outcome, capacity};
use blockyard_experiment::budget::FOR_QUESTION;
use blockyard_experiment::{Ran, ScenarioText, Threads, simulate_many};
use blockyard_explain::Owner;
use blockyard_record::Detail;

fn asked(storage: &str, workload: &str, goals: &[&str]) -> Asked {
    let text = format!(
        "{{name: s, as_of: 2026-10-01, warmup: 2s, duration: 12s, storage: {{d: {storage}}}, \
         workload: {{{workload}}}}}"
    );
    Asked {
        scenario: ScenarioText {
            text,
            file_name: "s.yaml".to_owned(),
            sets: Vec::new(),
        },
        goals: goals.iter().map(|&goal| goal.to_owned()).collect(),
        job: None,
        up_to: None,
        sustained: false,
        most_ios: FOR_QUESTION,
    }
}

fn found(asked: &Asked) -> Capacity {
    capacity(asked, &Threads::of(2), &mut ()).unwrap().unwrap()
}

fn refused(asked: &Asked) -> String {
    match capacity(asked, &Threads::of(1), &mut ()) {
        Err(error) => error.to_string(),
        Ok(found) => panic!("{found:?}"),
    }
}

/// Without what lies ready at the start.
const GP3: &str = "{type: gp3, size: 100GiB, tokens: 0%}";
const READS: &str = "kind: ranread, on: d, file_size: 1GiB";

/// The largest of `rates` that meets the goals, each simulated.
fn scanned(asked: &Asked, rates: impl Iterator<Item = u64>) -> Option<u64> {
    let rates: Vec<_> = rates.collect();
    let text = |rate: &u64| {
        let mut text = asked.scenario.clone();
        text.sets = vec![
            format!("goals=['{}']", asked.goals[0]),
            format!("workload.r.rate={rate}/s"),
        ];
        text
    };
    let texts: Vec<_> = rates.iter().map(text).collect();
    let met = |ran: Ran| ran.result.unwrap().goals[0].met;
    let met = simulate_many(&texts, 2, Detail::Totals, met, &mut || false);
    let met = met.unwrap().unwrap();
    rates
        .into_iter()
        .zip(met)
        .filter(|(_, met)| *met)
        .map(|(rate, _)| rate)
        .max()
}

#[test]
fn an_open_loop_on_one_gp3_takes_3000_less_what_queueing_allows() {
    let asked = asked(
        GP3,
        &format!("r: {{{READS}, rate: 700/s}}"),
        &["r.latency.p99 < 2ms"],
    );
    let found = found(&asked);
    assert_eq!(found.outcome, Outcome::Found);
    let (holds, one_seed) = (found.holds.unwrap(), found.one_seed.unwrap());
    let scan = scanned(&asked, (2600..3060).step_by(10)).unwrap();
    assert!(
        (scan as f64 / one_seed as f64 - 1.0).abs() <= 0.01,
        "{one_seed} against {scan}"
    );
    assert!(holds <= one_seed, "{holds} {one_seed}");
    assert!((2700..3000).contains(&holds), "{holds}");
    let waits = &found.ended.facts.modelled.as_ref().unwrap().waits;
    let owner = &waits[0].limit.owner;
    assert!(
        *owner == Owner::Device("d".to_owned()) && waits[0].share > 0.99,
        "{waits:?}"
    );
    let (seeds, point) = (found.seeds.unwrap(), found.curve.last().unwrap());
    assert!(
        seeds.seeds == 30 && seeds.met >= 29 && seeds.at_least > 0.85,
        "{seeds:?}"
    );
    assert!(
        !point.met && point.goals[0].measured.contains(" times the goal"),
        "{point:?}"
    );
    assert_eq!(
        found.ended.sets[0],
        format!("workload.r.rate={}/s", found.ended.load)
    );
    let missed = found.missed.unwrap();
    let judged = found.curve.iter().find(|point| point.load == missed);
    let judged = judged.unwrap().seeds.unwrap();
    assert!(judged.seeds - judged.met >= 2 && missed - holds <= holds / 100);
}

/// The baseline of a gp2, where a tenth less load is what most seeds hold.
#[test]
fn the_answer_holds_with_other_seeds_than_it_was_found_with() {
    let mut asked = asked(
        "{type: gp2, size: 200GiB, tokens: 0%}",
        &format!("r: {{{READS}, rate: 400/s}}"),
        &["r.latency.p99 < 3ms"],
    );
    asked.sustained = true;
    let found = found(&asked);
    let (holds, one_seed) = (found.holds.unwrap(), found.one_seed.unwrap());
    let met = |load: u64| {
        let mut text = asked.scenario.clone();
        text.sets = found.sustained_sets.clone();
        text.sets.push(format!("goals=['{}']", asked.goals[0]));
        text.sets.push(format!("workload.r.rate={load}/s"));
        text.sets.push("repeats=40".to_owned());
        text.sets.push("seed=5001".to_owned());
        let met = |ran: Ran| ran.result.unwrap().goals[0].met;
        let met = simulate_many(&[text], 2, Detail::Totals, met, &mut || false);
        met.unwrap().unwrap().into_iter().filter(|met| *met).count()
    };
    assert!(met(holds) >= 34, "{} of 40 at {holds}", met(holds));
    assert!(holds < one_seed && met(one_seed) < 34, "{one_seed}");
}

#[test]
fn with_few_ios_one_seed_has_to_do() {
    let mut asked = asked(
        GP3,
        &format!("r: {{{READS}, rate: 2900/s}}"),
        &["r.latency.p99 < 2ms"],
    );
    asked.up_to = Some(2900.0);
    asked.most_ios = 20_000;
    let found = found(&asked);
    assert_eq!((found.seeds, found.holds), (None, found.one_seed));
    assert!(found.curve.iter().all(|point| point.seeds.is_none()));
}

#[test]
fn the_threads_do_not_change_the_answer() {
    let asked = asked(
        "{stripe: {chunk: 64KiB, width: 2}, of: {type: gp3, size: 100GiB, tokens: 0%}}",
        "r: {kind: access_spec, on: d, file_size: 1GiB, rate: 300/s, \
         pattern: {size: 64KiB, read: 100%, random: 100%}}",
        &["r.latency.p99 < 4ms"],
    );
    let found = |threads| {
        let found = capacity(&asked, &Threads::of(threads), &mut ());
        found.unwrap().unwrap()
    };
    let json = |found: &Capacity| serde_json::to_string(found).unwrap();
    let found_by_one = found(1);
    let one = json(&found_by_one);
    assert_eq!(one, json(&found(2)));
    assert_eq!(one, json(&found(5)));
    // 2 × 125 MiB/s are 4,000 IOs of 64 KiB a second, below the 6,000 IOPS of the two.
    let holds = found_by_one.holds.unwrap();
    assert!((3200..4000).contains(&holds), "{holds}");
    assert!(one.contains(r#""counts":"bytes","applies":"both""#));
}

#[test]
fn transactions_are_counted_in_transactions() {
    let asked = asked(
        GP3,
        "o: {kind: oltp, engine: innodb, on: d, data_size: 1GiB, pool: 32MiB, rate: 100/s, \
         cores: 8, transactions: {t: {pages: 20, changes: 2, log: 2KiB, cpu: 0.2ms}}}",
        &["o.transactions.latency.p99 < 60ms"],
    );
    let found = found(&asked);
    assert_eq!(found.outcome, Outcome::Found);
    let (holds, came) = (found.holds.unwrap(), &found.curve[0].jobs[0]);
    assert!(came.transactions && came.latency_us.is_some());
    // Some 19 reads and 5 writes each, of 3,000 a second.
    assert!((80..200).contains(&holds), "{holds}");
    assert!(
        found.ended.facts.modelled.unwrap().transactions[0]
            .by
            .is_some()
    );
}

#[test]
fn goals_that_ask_for_load_hold_from_a_load_on() {
    let asked = |least: &str| {
        let goals = [least, "r.latency.p99 < 5ms"];
        asked(GP3, &format!("r: {{{READS}, processes: 1}}"), &goals)
    };
    let both = found(&asked("r.iops > 2500"));
    assert_eq!(both.outcome, Outcome::Found);
    assert!(
        both.too_low.unwrap() < both.holds.unwrap(),
        "{:?}",
        both.curve
    );
    assert!(both.missed_below.is_empty());
    // 3,000 a second at most.
    let never = found(&asked("r.iops > 3100"));
    assert_eq!((never.outcome, never.holds), (Outcome::Nowhere, None));
    let mut only = asked("r.iops > 3100");
    only.goals.pop();
    only.up_to = Some(50.0);
    assert_eq!(found(&only).outcome, Outcome::NeverReached);
}

#[test]
fn there_may_be_no_such_load() {
    let mut asked = asked(
        GP3,
        &format!("r: {{{READS}, processes: [4, 8]}}"),
        &["r.latency.p99 < 10us"],
    );
    let never = found(&asked);
    assert_eq!((never.outcome, never.missed), (Outcome::NeverMet, Some(1)));
    asked.goals = vec!["r.latency.p99 < 10s".to_owned()];
    asked.up_to = Some(20.0);
    let always = found(&asked);
    assert_eq!(
        (always.outcome, always.holds),
        (Outcome::NeverMissed, Some(20))
    );
    // 36,000 IOs each: three loads of 30 are not affordable.
    asked.goals = vec!["r.latency.p99 < 20ms".to_owned()];
    asked.up_to = None;
    asked.most_ios = 120_000;
    let stopped = found(&asked);
    assert_eq!(stopped.outcome, Outcome::Stopped);
    assert!(
        stopped.ios <= 120_000 && stopped.holds.is_some(),
        "{stopped:?}"
    );
}

#[test]
fn what_cannot_be_asked_is_said_in_a_line() {
    let jobs = format!("readers: {{{READS}, processes: [1, 2]}}");
    let with = |goals: &[&str]| asked(GP3, &jobs, goals);
    assert_eq!(
        refused(&with(&["reader.latency.p99 < 2ms"])),
        "--goal: no job is called `reader`; did you mean `readers`?"
    );
    assert_eq!(
        refused(&with(&[])),
        "s.yaml: goals: none; expected some, here or as --goal 'readers.latency.p99 < 2ms'"
    );
    assert_eq!(
        refused(&with(&["readers.step 2.iops > 5"])),
        "--goal: `readers.step 2.iops > 5` names a load step, and `readers` gets one load \
         throughout; expected a goal of the whole run"
    );
    let mut none = with(&["readers.iops > 5"]);
    none.up_to = Some(0.5);
    assert_eq!(
        refused(&none),
        "--up-to: `0.5`; expected a load of 1 or more"
    );
}

#[test]
fn what_burst_credits_carry_is_told_from_what_is_sustained() {
    // 200 GiB of gp2 have 600 IOPS, and 3,000 for as long as credits last.
    let mut asked = asked(
        "{type: gp2, size: 200GiB}",
        "r: {kind: ranread, on: d, file_size: 1GiB, rate: 400/s}",
        &["r.latency.p99 < 4ms"],
    );
    asked.up_to = Some(2000.0);
    let carried = found(&asked);
    assert_eq!(carried.holds, Some(2000));
    let ends = |found: &Capacity, load| {
        let point = found.curve.iter().find(|point| point.load == load);
        point.unwrap().lasts_s
    };
    // 5.4 million credits, less by 1,400 a second, but for those of the run.
    let lasts = ends(&carried, 2000).unwrap();
    assert!((lasts - 5.4e6 / 1400.0).abs() < 60.0, "{lasts}");
    assert_eq!(ends(&carried, 400), None);
    asked.sustained = true;
    let lasting = found(&asked);
    let holds = lasting.holds.unwrap();
    assert!((540..=615).contains(&holds), "{holds}");
    assert!(lasting.curve.iter().all(|point| point.lasts_s.is_none()));
    assert_eq!(lasting.ended.sets[..2], lasting.sustained_sets[..]);
    assert_eq!(
        lasting.sustained_sets,
        ["storage.d.burst_balance=0%", "storage.d.tokens=0%"]
    );
}

/// Whether the goal holds at a rate over a run of so many seconds.
fn holds(asked: &Asked, rate: u64, seconds: u64) -> bool {
    let mut text = asked.scenario.clone();
    text.sets = vec![
        format!("goals=['{}']", asked.goals[0]),
        format!("workload.r.rate={rate}/s"),
        format!("duration={seconds}s"),
    ];
    let met = |ran: Ran| ran.result.unwrap().goals[0].met;
    let met = simulate_many(&[text], 1, Detail::Totals, met, &mut || false);
    met.unwrap().unwrap()[0]
}

#[test]
fn what_is_sustained_is_told_apart_from_what_tokens_carry() {
    let mut asked = asked(
        "{type: gp3, size: 100GiB}",
        &format!("r: {{{READS}, rate: 700/s}}"),
        &["r.latency.p99 < 2ms"],
    );
    let plain = found(&asked);
    let sustained = plain.sustained.unwrap();
    let (most, lasting) = (plain.holds.unwrap(), sustained.holds.unwrap());
    assert!(
        (2700..3000).contains(&lasting) && most > 3030,
        "{most} {lasting}"
    );
    assert_eq!(sustained.loads, [lasting]);
    // A second of tokens covers what is beyond 3,000 a second.
    let point = plain.curve.iter().find(|point| point.load == most).unwrap();
    let expected = 3000.0 / (most as f64 - 3000.0);
    let ready_s = point.ready_s.unwrap();
    assert!(
        (ready_s / expected - 1.0).abs() < 0.2,
        "{ready_s} {expected}"
    );
    // A run that is ten times as long says the same.
    assert!(holds(&asked, most, 12) && !holds(&asked, most, 120));
    assert!(holds(&asked, lasting - lasting / 100, 120));
    // Nothing else is said where nothing is saved up.
    asked.sustained = true;
    let alone = found(&asked);
    let same = alone.holds.unwrap();
    assert!(
        alone.sustained.is_none() && same.abs_diff(lasting) <= same / 50,
        "{same} {lasting}"
    );
}

#[test]
fn what_is_sustained_of_burst_credits_is_their_baseline() {
    let mut asked = asked(
        "{type: gp2, size: 200GiB}",
        &format!("r: {{{READS}, rate: 1500/s}}"),
        &["r.latency.p99 < 5ms"],
    );
    asked.up_to = Some(2000.0);
    let found = found(&asked);
    assert_eq!(
        (found.outcome, found.holds),
        (Outcome::NeverMissed, Some(2000))
    );
    let sustained = found.sustained.unwrap();
    let lasting = sustained.holds.unwrap();
    assert!((540..=615).contains(&lasting), "{lasting}");
    assert_eq!(sustained.outcome, Outcome::Found);
    assert!(
        sustained
            .sustained_sets
            .contains(&"storage.d.burst_balance=0%".to_owned())
    );
}

#[test]
fn a_curve_is_told_by_the_job_whose_goal_binds() {
    let storage = "{type: gp3, size: 100GiB, tokens: 0%}";
    let jobs = format!(
        "a: {{{READS}, rate: 300/s}}, b: {{kind: ranread, on: e, file_size: 1GiB, rate: 600/s}}"
    );
    let goals = ["a.latency.p99 < 5ms", "b.latency.p99 < 5ms"];
    for order in [[0, 1], [1, 0]] {
        let mut asked = asked(storage, &jobs, &order.map(|index| goals[index]));
        let second = format!("storage: {{e: {storage}, ");
        asked.scenario.text = asked.scenario.text.replace("storage: {", &second);
        let found = found(&asked);
        assert_eq!(found.told, "b", "{:?}", found.goals);
        let level = found
            .levels
            .iter()
            .find(|level| level.job == found.told)
            .unwrap();
        let missed = found.curve.iter().filter(|point| !point.met);
        for point in missed {
            let came = point
                .jobs
                .iter()
                .find(|came| came.job == found.told)
                .unwrap();
            assert!(came.latency_us.unwrap().p99 >= level.value, "{point:?}");
        }
    }
}
