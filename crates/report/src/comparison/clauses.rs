//! What a conclusion says of each job: the figures of both sides, and the change.

use blockyard_compare::Change;
use blockyard_record::thresholds::{GAIN, MANY_TIMES};

use super::figures::{ALL, in_words, is_rate, signed, times};
use super::job_figures::{Figure, Job, LoneJob};
use super::whole::Whole;
use crate::text::format::{latency, number_to, rate};
use crate::words::phrases::listed;

/// More jobs than these have no clause of their own.
const MOST_JOBS: usize = 3;

/// The figures of both sides: `` `b` vs `a`: readers +49% IOPS (…), p99 -27% (…)``.
pub(crate) fn said(jobs: &[Job<'_>], lone: &[LoneJob<'_>], first: &str, other: &str) -> String {
    let figures = match (jobs, lone) {
        ([], []) => "no figure in common".to_owned(),
        ([job], []) => {
            let mut figures = job.figures.iter();
            of_job(job, figures.all(|it| it.state() == Whole::Unknown))
        }
        _ => of_several(jobs, lone),
    };
    format!("{other} vs {first}: {figures}")
}

fn of_several(jobs: &[Job<'_>], lone: &[LoneJob<'_>]) -> String {
    let (alike, unlike): (Vec<_>, Vec<_>) = jobs.iter().partition(|job| job.is_alike());
    let differing = unlike.into_iter().map(|job| of_job(job, false));
    let mut parts: Vec<_> = lone.iter().map(of_lone).chain(differing).collect();
    if let more @ 1.. = parts.len().saturating_sub(MOST_JOBS) {
        parts.truncate(MOST_JOBS);
        parts.push(format!("{more} more jobs in the table"));
    }
    if !alike.is_empty() {
        let all = alike.len() == jobs.len() + lone.len();
        parts.push(of_alike(&alike, all));
    }
    parts.join("; ")
}

fn of_alike(jobs: &[&Job<'_>], all: bool) -> String {
    let names: Vec<_> = jobs.iter().map(|job| job.name).collect();
    let who = if all {
        "all jobs".to_owned()
    } else {
        listed(&names)
    };
    let figures = || jobs.iter().flat_map(|job| &job.figures);
    let mut same: Vec<&str> = Vec::new();
    for name in figures().map(|figure| in_words(figure.name)) {
        if !same.contains(&name) {
            same.push(name);
        }
    }
    let within = within(figures().all(|figure| is_within_a_percent(figure.change)));
    format!("{who} {} alike within {within}", listed(&same))
}

fn of_lone(job: &LoneJob<'_>) -> String {
    let done = rate(job.value);
    let (first, other) = match job.first {
        true => (done.as_str(), "none"),
        false => ("none", done.as_str()),
    };
    format!("{} {} {other} vs {first}", job.name, in_words(job.figure))
}

/// The figures of a job; `bare` where the sentence ends in what would be said of each.
fn of_job(job: &Job<'_>, bare: bool) -> String {
    let name = match job.name {
        ALL => String::new(),
        name => format!("{name} "),
    };
    let figures: Vec<_> = job.figures.iter().map(|it| of_figure(it, bare)).collect();
    format!("{name}{}", figures.join(", "))
}

/// A figure with its change and both values.
fn of_figure(figure: &Figure, bare: bool) -> String {
    let (name, change) = (in_words(figure.name), figure.change);
    let shown = if is_rate(figure.name) { rate } else { latency };
    let values = format!("{} vs {}", shown(figure.other), shown(figure.first));
    let why = match figure.state() {
        Whole::Alike => {
            let within = within(is_within_a_percent(change));
            return format!("{name} alike within {within} ({values})");
        }
        Whole::Better | Whole::Worse => {
            return format!("{} ({values})", of_change(figure));
        }
        Whole::Unknown => "too little data to rule out chance".to_owned(),
        Whole::NotShown | Whole::BetterAndWorse | Whole::NotComparable => {
            let (low, high) = change
                .interval
                .unwrap_or((change.relative, change.relative));
            let (low, high) = (signed(low, 0), signed(high, 0));
            format!("no difference shown, {low} to {high}")
        }
    };
    match bare {
        true => format!("{name} {values}"),
        false => format!("{name} {values} ({why})"),
    }
}

fn within(a_percent: bool) -> &'static str {
    if a_percent { "1%" } else { "5%" }
}

fn is_within_a_percent(change: Change) -> bool {
    let is_small = |bound: f64| bound.abs() < GAIN;
    change
        .interval
        .is_some_and(|(low, high)| is_small(low) && is_small(high))
}

/// A change that is shown: `+49% IOPS`, `p99 -27%`, `4.11 times the IOPS`.
fn of_change(figure: &Figure) -> String {
    let (name, relative) = (in_words(figure.name), figure.change.relative);
    let is_rate = is_rate(figure.name);
    if relative >= MANY_TIMES - 1.0 {
        return match is_rate {
            true => format!("{} the {name}", times(relative)),
            false => format!("{name} {} as long", times(relative)),
        };
    }
    let sign = if relative > 0.0 { '+' } else { '-' };
    let percent = format!("{sign}{}%", number_to(100.0 * relative.abs(), 2));
    match is_rate {
        true => format!("{percent} {name}"),
        false => format!("{name} {percent}"),
    }
}
