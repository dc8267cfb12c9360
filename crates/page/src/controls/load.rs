//! Controls of jobs: how much they ask for, and of which blocks.

use blockyard_scenario::schema::{Job, OneOrMany, Scenario, Skew};
use blockyard_scenario::units::Rate;

use super::{Choice, Control, Kind, Scale};

/// A load can be made so many times as large, or as small.
const TIMES: u64 = 20;

/// Exponents of Zipf's law that are offered: 0.99 is what YCSB takes.
const ZIPF: [&str; 3] = ["0.8", "0.99", "1.2"];

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
    let choice = |label: String, sets: Vec<String>| Choice {
        label,
        sets,
        refused: None,
    };
    let mut choices = vec![choice(
        "all blocks alike".to_owned(),
        vec![format!("{path}.skew=null")],
    )];
    choices.extend(ZIPF.iter().map(|exponent| {
        let set = format!("{path}.skew={{zipf: {exponent}}}");
        choice(format!("Zipf, exponent {exponent}"), vec![set])
    }));
    let set = format!("{path}.skew={{hot: {{ios: 80%, blocks: 20%}}}}");
    choices.push(choice("80% of IOs on 20% of blocks".to_owned(), vec![set]));
    let value = match own {
        None => Some(0),
        Some(_) => {
            choices.push(choice("as written".to_owned(), Vec::new()));
            Some(choices.len() - 1)
        }
    };
    Kind::Choice { value, choices }
}
