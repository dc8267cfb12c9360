//! Controls of jobs: how much they ask for, and of which blocks.

use blockyard_scenario::schema::{Job, OneOrMany, Scenario, Skew};
use blockyard_scenario::units::Rate;

use super::{Choice, Control, Kind, Scale};

/// A load can be made so many times as large, or as small.
const TIMES: u64 = 20;

/// The skews on offer, each with its text in a scenario: an exponent of 0.99 is what YCSB takes.
const SKEWS: [(&str, &str); 5] = [
    ("all blocks alike", "null"),
    ("Zipf, exponent 0.8", "{zipf: 0.8}"),
    ("Zipf, exponent 0.99", "{zipf: 0.99}"),
    ("Zipf, exponent 1.2", "{zipf: 1.2}"),
    (
        "80% of IOs on 20% of blocks",
        "{hot: {ios: 80%, blocks: 20%}}",
    ),
];

/// Those of all jobs.
pub(super) fn controls(scenario: &Scenario) -> Vec<Control> {
    let jobs = scenario.workload.iter();
    jobs.flat_map(|(name, job)| of_job(name, job)).collect()
}

fn of_job(name: &str, job: &Job) -> Vec<Control> {
    let path = format!("workload.{name}");
    let control = |key: &str, label: &str, why: &str, kind: Kind| Control {
        path: format!("{path}.{key}"),
        label: label.to_owned(),
        group: name.to_owned(),
        why: why.to_owned(),
        kind,
    };
    let closed = |key, label, own: Option<&OneOrMany<u32>>| {
        let value = u64::from(one(own)?);
        let why = "each has one IO in flight, or as many as `outstanding` says";
        Some(control(key, label, why, load(value, "", "")))
    };
    let open = |own: Option<&OneOrMany<Rate>>, unit| {
        let value = one(own)?.per_s();
        let why = "what is due each second, however long earlier ones take";
        Some(control("rate", "Rate", why, load(value, "/s", unit)))
    };
    let skewed = |skew: Option<&Skew>| {
        let why = "which blocks are preferred; what is hot meets fewer volumes of a stripe";
        control("skew", "Skew", why, skews(&path, skew))
    };
    let found = match job {
        Job::RanRead(job) => vec![
            closed("processes", "Processes", job.processes.as_ref()),
            open(job.rate.as_ref(), "IOPS"),
            Some(skewed(job.skew.as_ref())),
        ],
        Job::AccessSpec(job) => vec![
            closed("processes", "Processes", job.processes.as_ref()),
            open(job.rate.as_ref(), "IOPS"),
            Some(skewed(job.skew.as_ref())),
        ],
        Job::RanWrite(job) => vec![closed("processes", "Processes", job.processes.as_ref())],
        Job::Demand(job) => {
            let why = "all of its intervals, in percent of what they say";
            let value = u64::from(job.percent.get());
            vec![Some(control(
                "percent",
                "Demand",
                why,
                load(value, "", "%"),
            ))]
        }
        // What was recorded.
        Job::Replay(_) => Vec::new(),
        Job::Oltp(job) => vec![
            closed("threads", "Threads", job.threads.as_ref()),
            open(job.rate.as_ref(), "TPS"),
        ],
    };
    found.into_iter().flatten().collect()
}

/// A load that is one all the time: steps are changed in the text.
fn one<T: Copy>(own: Option<&OneOrMany<T>>) -> Option<T> {
    match own.map(|own| &own[..]) {
        Some([one]) => Some(*one),
        _ => None,
    }
}

fn load(value: u64, suffix: &'static str, unit: &'static str) -> Kind {
    Kind::Range {
        value,
        min: (value / TIMES).max(1),
        max: value.max(1).saturating_mul(TIMES),
        step: 1,
        suffix,
        unit,
        scale: Scale::Log,
    }
}

fn skews(path: &str, own: Option<&Skew>) -> Kind {
    let choice = |label: &str, sets: Vec<String>| Choice {
        label: label.to_owned(),
        sets,
        refused: None,
    };
    let offered = SKEWS.iter();
    let mut choices: Vec<_> = offered
        .map(|(label, text)| choice(label, vec![format!("{path}.skew={text}")]))
        .collect();
    let now = written(own);
    let value = SKEWS.iter().position(|(_, text)| *text == now);
    let value = value.unwrap_or_else(|| {
        choices.push(choice("as written", Vec::new()));
        SKEWS.len()
    });
    Kind::Choice {
        value: Some(value),
        choices,
    }
}

/// A skew as `SKEWS` has them. One whose blocks are not scattered is none of those.
fn written(skew: Option<&Skew>) -> String {
    match skew {
        None => "null".to_owned(),
        Some(Skew { scatter: false, .. }) => String::new(),
        Some(Skew { zipf, hot, .. }) => {
            let zipf = zipf.map(|exponent| format!("zipf: {exponent}"));
            let hot = hot.map(|hot| format!("hot: {{ios: {}, blocks: {}}}", hot.ios, hot.blocks));
            let found: Vec<_> = zipf.into_iter().chain(hot).collect();
            format!("{{{}}}", found.join(", "))
        }
    }
}
