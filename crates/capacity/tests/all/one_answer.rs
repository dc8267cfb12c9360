//! The same question asked in two ways has one answer, for every scenario of the tree: what a run
//! gives is what its seeds, a batch, a largest load and the changes of a layout say of it.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]
#![allow(
    clippy::print_stderr,
    reason = "which scenarios cannot be as short is worth knowing"
)]

use std::fs;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use blockyard_capacity::{Asked, Came, StepsAre, capacity, what_if};
use blockyard_experiment::{
    Base, Executor, Inline, ScenarioText, Threads, Variant, simulate_many, simulate_seeds,
};
use blockyard_record::Detail;
use blockyard_record::result::RunResult;
use blockyard_simulate::Options;

use crate::asking;

/// So short that all scenarios together take some seconds; without events and goals, which are of
/// later times.
const SHORT: [&str; 5] = [
    "warmup=0s",
    "interval=50ms",
    "repeats=1",
    "events=[]",
    "goals=[]",
];

/// The shortest that has whole intervals for all load steps is taken.
const DURATIONS: [&str; 3] = ["200ms", "600ms", "1500ms"];

#[test]
fn all_ways_to_ask_agree() {
    let mut held = 0;
    for path in scenarios() {
        let Some(base) = short(&path) else {
            eprintln!("{} cannot be as short", path.display());
            continue;
        };
        let text = base.text().clone();
        let name = path.display().to_string();
        let run = base.opened().simulate(Options::default(), &mut ()).unwrap();
        as_a_batch(&name, &base, &run);
        as_a_grid(&name, &text, &run);
        as_it_is_now(&name, &text, &run);
        as_a_load(&name, &text, &run);
        held += 1;
    }
    assert!(held >= 40, "{held}");
}

fn as_a_batch(name: &str, base: &Arc<Base>, run: &RunResult) {
    let variant = Variant::of(base);
    let seeds = NonZeroU32::new(2);
    let mut with_seeds =
        simulate_seeds(&variant, Options::default(), seeds, &Inline, &mut ()).unwrap();
    assert!(with_seeds.by_seed.take().is_some());
    assert_eq!(json(&with_seeds), json(run), "{name}: with seeds");
    let answers = Threads::of(2).run(&[variant], &mut || false).unwrap();
    let answer = answers.into_iter().next().unwrap().unwrap();
    assert_eq!(json(&answer.result), json(run), "{name}: as a variant");
}

fn as_a_grid(name: &str, text: &ScenarioText, run: &RunResult) {
    let texts = std::slice::from_ref(text);
    let keep = |ran: blockyard_experiment::Ran| ran.result.unwrap();
    let found = simulate_many(texts, 1, Detail::Totals, keep, &mut || false);
    let found = found.unwrap().unwrap();
    assert_eq!(json(&found[0]), json(run), "{name}: in a grid");
}

/// `what-if`, without changes: none is affordable.
fn as_it_is_now(name: &str, text: &ScenarioText, run: &RunResult) {
    let asked = asking::asked(text.clone(), 0);
    let found = what_if(&asked, &Threads::of(1), &mut ()).unwrap().unwrap();
    assert_eq!(json(&found.result), json(run), "{name}: what-if");
    assert!(found.changes.iter().all(|row| row.came.is_none()));
    for job in &found.now.jobs {
        says(name, &job.came, run);
    }
}

/// `capacity`, which tries the scenario's own load first, and others only where that did no IO.
fn as_a_load(name: &str, text: &ScenarioText, run: &RunResult) {
    let job = &run.totals.first().map(|total| total.job.clone());
    let Some(job) = job else { return };
    let asked = Asked {
        scenario: text.clone(),
        goals: vec![format!("{job}.ios >= 0")],
        job: Some(job.clone()),
        up_to: None,
        sustained: false,
        most_ios: 0,
    };
    let Ok(found) = capacity(&asked, &Threads::of(1), &mut ()) else {
        return;
    };
    let found = found.unwrap();
    // One load throughout is another question than a list of loads.
    if found
        .scaled
        .iter()
        .any(|job| job.steps == StepsAre::Replaced)
    {
        return;
    }
    let own = found.scaled[0].own;
    let own = found.curve.iter().find(|point| point.loads == [own]);
    let own = own.unwrap_or_else(|| panic!("{name}: {:?}", found.curve));
    for came in &own.jobs {
        says(name, came, run);
    }
}

/// What a job came to is what the run's totals say of it.
fn says(name: &str, came: &Came, run: &RunResult) {
    let engine = run.transactions.iter().find(|own| own.job == came.job);
    let per_s = match engine {
        Some(engine) => engine.tps,
        None => {
            let own = run.totals.iter().filter(|total| total.job == came.job);
            own.map(|total| total.iops).sum()
        }
    };
    assert_eq!(came.per_s, per_s, "{name}: {}", came.job);
    if let Some((op, device)) = &came.of {
        let is_it = |total: &&blockyard_record::result::Total| {
            total.job == came.job && total.op == *op && total.device == *device
        };
        let total = run.totals.iter().find(is_it).unwrap();
        assert_eq!(came.latency_us, total.latency_us, "{name}: {}", came.job);
    }
}

fn json(result: &RunResult) -> String {
    serde_json::to_string(result).unwrap()
}

/// A scenario as short as it can be; none if it cannot.
fn short(path: &Path) -> Option<Arc<Base>> {
    let sets = |duration: &&str| {
        let duration = format!("duration={duration}");
        let others = SHORT.iter().map(|&set| set.to_owned());
        others.chain([duration]).collect()
    };
    let text = |sets: Vec<String>| ScenarioText {
        text: fs::read_to_string(path).unwrap(),
        file_name: path.display().to_string(),
        sets,
    };
    let mut each = DURATIONS.iter().map(sets).map(text);
    let base = each.find_map(|text| Base::read(text).ok())?;
    base.opened().can_be_simulated().ok()?;
    Some(base)
}

fn scenarios() -> Vec<PathBuf> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios"));
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let inside = fs::read_dir(entry.unwrap().path()).unwrap();
        found.extend(inside.map(|file| file.unwrap().path()));
    }
    found.retain(|path| path.extension().is_some_and(|it| it == "yaml"));
    found.sort();
    found
}
