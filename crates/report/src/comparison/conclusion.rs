//! The conclusion of a comparison, in one sentence that can be forwarded.
//!
//! It is drawn from two figures of each job, the IOs a second and the p99 of their latency, or the
//! same of its transactions if it does any. A percent stands only beside the figures that it is of.

use std::collections::BTreeMap;

use blockyard_compare::Row;
use blockyard_record::result::Mode;
use schemars::JsonSchema;
use serde::Serialize;

use super::burst_credits::{self, Ends};
use super::comparability::{has_same_load, is_known, unlike};
use super::figures::in_words;
use super::job_figures::{self, Job, LoneJob};
use super::side::Side;
use super::side_costs::{self, SideCost};
use super::whole::Whole;
use super::{clauses, model};
use crate::text::format::capital;
use crate::words::phrases::listed;

/// The outcome of a side against the first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Conclusion {
    /// From 1.
    pub side: usize,
    /// What it comes to.
    pub verdict: Whole,
    /// Whether the model fits, where one side is modelled and the other is not, or is served in
    /// real time; none where that is not asked, or not shown.
    pub fits: Option<bool>,
    /// For people.
    pub sentence: String,
}

/// A side, with what it costs and the burst credits that it lives on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weighed<'a> {
    pub(crate) side: &'a Side<'a>,
    pub(crate) cost: Option<&'a SideCost>,
    pub(crate) ends: Option<&'a Ends>,
}

/// The outcome of a side, the `number`th, against the first; `changed` is as [`super::Asked`] has
/// it.
pub(crate) fn of(
    first: Weighed<'_>,
    number: usize,
    other: Weighed<'_>,
    rows: &[Row],
    changed: bool,
) -> Conclusion {
    if changed {
        return Found::of(first, number, other, rows).of_a_change(first, number, other);
    }
    let reasons = reasons(first.side, other.side);
    if !reasons.is_empty() {
        return Conclusion {
            side: number,
            verdict: Whole::NotComparable,
            fits: None,
            sentence: format!(
                "`{}` and `{}` are not comparable ({}): no figure tells which is better.",
                other.side.name,
                first.side.name,
                reasons.join("; "),
            ),
        };
    }
    let found = Found::of(first, number, other, rows);
    let asked = model::is_asked(first.side.first, other.side.first);
    let fits = asked
        .then(|| model::fits(&found.jobs, &found.lone))
        .flatten();
    let sentence = match asked {
        true => found.of_the_model(first, other, fits),
        false => found.judged(first, other),
    };
    Conclusion {
        side: number,
        verdict: found.whole(),
        fits,
        sentence: capital(&sentence),
    }
}

/// Why runs of another side cannot be compared with the first.
fn reasons(first: &Side<'_>, other: &Side<'_>) -> Vec<String> {
    let mut found = Vec::new();
    for reason in other.runs().flat_map(|run| unlike(first.first, run)) {
        if !found.contains(&reason) {
            found.push(reason);
        }
    }
    found
}

/// What the figures of two sides say.
#[derive(Debug)]
struct Found<'a> {
    jobs: Vec<Job<'a>>,
    lone: Vec<LoneJob<'a>>,
    /// Whether what the other does lasts longer; none where both last.
    lasts: Option<Whole>,
    first_ends: Option<&'a Ends>,
    other_ends: Option<&'a Ends>,
}

impl<'a> Found<'a> {
    fn of(first: Weighed<'a>, number: usize, other: Weighed<'a>, rows: &'a [Row]) -> Self {
        let both = had_by_both(first.side, other.side);
        let lone = job_figures::lone(number, rows, &both);
        Self {
            jobs: job_figures::of(number, rows, &lone),
            lone,
            lasts: burst_credits::against(first.ends, other.ends),
            first_ends: first.ends,
            other_ends: other.ends,
        }
    }

    fn whole(&self) -> Whole {
        let figures = self.jobs.iter().flat_map(|job| &job.figures);
        let figures = figures.map(|figure| figure.state());
        let lone = self.lone.iter().map(LoneJob::state);
        Whole::of(&figures.chain(lone).chain(self.lasts).collect::<Vec<_>>())
    }

    /// The sentence on whether storage does as the model says.
    fn of_the_model(&self, first: Weighed<'_>, other: Weighed<'_>, fits: Option<bool>) -> String {
        let called = |side: &Side<'_>| model::called(&side.name, side.first);
        let emulated = [first, other]
            .iter()
            .any(|it| it.side.first.is(Mode::Emulate));
        let end = model::said(fits, emulated);
        self.sentence(&called(first.side), &called(other.side), "", end)
    }

    /// The sentence on which side is better.
    fn judged(&self, first: Weighed<'_>, other: Weighed<'_>) -> String {
        let called = |side: &Side<'_>| format!("`{}`", side.name);
        let whole = self.whole();
        let mut end = self.verdict(whole);
        let mut cost = String::new();
        if let Some((said, dearer)) = side_costs::against(first.cost, other.cost) {
            if can_be_weighed(whole) {
                end = format!("{end}, and {dearer}");
            }
            cost = format!("{}{said}", self.apart());
        }
        self.sentence(&called(first.side), &called(other.side), &cost, &end)
    }

    /// The conclusion on a change, which may be one of the load.
    fn of_a_change(&self, first: Weighed<'_>, number: usize, other: Weighed<'_>) -> Conclusion {
        let same_load = has_same_load(first.side.first, other.side.first);
        let sentence = match same_load {
            true => self.judged(first, other),
            false => self.unjudged(first, other),
        };
        Conclusion {
            side: number,
            verdict: if same_load {
                self.whole()
            } else {
                Whole::NotComparable
            },
            fits: None,
            sentence: capital(&sentence),
        }
    }

    /// The sentence on two loads, of which neither is better.
    fn unjudged(&self, first: Weighed<'_>, other: Weighed<'_>) -> String {
        let called = |side: &Side<'_>| format!("`{}`", side.name);
        let cost = side_costs::against(first.cost, other.cost);
        let cost = cost.map_or_else(String::new, |(said, _)| format!("{}{said}", self.apart()));
        let end = "another load, so neither is judged better";
        self.sentence(&called(first.side), &called(other.side), &cost, end)
    }

    /// What stands between the figures and the cost.
    fn apart(&self) -> &'static str {
        if self.is_of_one_job() { ", " } else { "; " }
    }

    fn sentence(&self, first: &str, other: &str, cost: &str, end: &str) -> String {
        let figures = clauses::said(&self.jobs, &self.lone, first, other);
        let limited = [(first, self.first_ends), (other, self.other_ends)].into_iter();
        let limited = limited.filter_map(|(name, ends)| Some(format!("; {}", ends?.clause(name))));
        let limited: String = limited.collect();
        format!("{figures}{cost}{limited}: {end}.")
    }

    fn is_of_one_job(&self) -> bool {
        self.jobs.len() + self.lone.len() == 1
    }

    fn verdict(&self, whole: Whole) -> String {
        let end = match whole {
            Whole::Better => "better",
            Whole::Worse => "worse",
            Whole::Alike => "alike",
            Whole::NotShown => "no difference shown; longer runs or repeats may show one",
            Whole::Unknown | Whole::NotComparable => "too little data to say which is better",
            Whole::BetterAndWorse => {
                let [better, worse] = [Whole::Better, Whole::Worse].map(|it| self.all_that_is(it));
                return format!("better in {better}, worse in {worse}");
            }
        };
        end.to_owned()
    }

    /// The figures of which a state is shown: `IOPS of readers and p99 of writers`.
    fn all_that_is(&self, state: Whole) -> String {
        let several = self.jobs.len() + self.lone.len() > 1;
        let mut found = Vec::new();
        for job in &self.jobs {
            for figure in job.figures.iter().filter(|it| it.state() == state) {
                let name = in_words(figure.name);
                found.push(match several {
                    true => format!("{name} of {}", job.name),
                    false => name.to_owned(),
                });
            }
        }
        let lone = self.lone.iter().filter(|job| job.state() == state);
        found.extend(lone.map(|job| format!("{} of {}", in_words(job.figure), job.name)));
        if self.lasts == Some(state) {
            found.push(burst_credits::what(self.first_ends, self.other_ends));
        }
        listed(&found)
    }
}

/// Whether a price can be weighed against a verdict.
fn can_be_weighed(whole: Whole) -> bool {
    match whole {
        Whole::Better | Whole::Worse | Whole::BetterAndWorse | Whole::Alike => true,
        Whole::NotShown | Whole::Unknown | Whole::NotComparable => false,
    }
}

/// How many IOs each job did that both sides have; empty where a workload is not known.
fn had_by_both<'a>(first: &Side<'a>, other: &Side<'a>) -> BTreeMap<&'a str, u64> {
    if !first.runs().chain(other.runs()).all(is_known) {
        return BTreeMap::new();
    }
    let [mut both, theirs] = [first, other].map(ios_by_job);
    both.retain(|job, _| theirs.contains_key(job));
    for (job, ios) in &mut both {
        *ios += theirs.get(job).copied().unwrap_or(0);
    }
    both
}

fn ios_by_job<'a>(side: &Side<'a>) -> BTreeMap<&'a str, u64> {
    let mut found = BTreeMap::new();
    for total in side.runs().flat_map(|run| &run.result.totals) {
        *found.entry(total.job.as_str()).or_default() += total.ios;
    }
    found
}
