//! How long each limit throttled IOs, whose IOs waited, and whose took the tokens.

use blockyard_explain::LimitWaits;
use indexmap::{IndexMap, IndexSet};

use crate::Run;
use crate::figure::{Axis, Bar, Bars, Figure, Plot};
use crate::text::format::percent;
use crate::text::limit_names::in_words;

/// Among those who took tokens.
const RESYNC: &str = "a mirror's resync";

/// A limit that throttled IOs.
pub(crate) fn needs(run: &Run) -> bool {
    !waits(run).is_empty()
}

/// Of one run by limit and job; of several by run and limit.
pub(crate) fn figures(runs: &[&Run], _bin_s: f64) -> Vec<Figure> {
    let [run] = runs else {
        return vec![overlay(runs)];
    };
    let found = waits(run);
    let Some(most) = found.first() else {
        return Vec::new();
    };
    let jobs = found.iter().flat_map(|one| &one.jobs);
    let took = jobs.filter(|job| job.took != 0.0);
    let jobs: IndexSet<_> = took.map(|job| job.job.as_str()).collect();
    let mut takers: Vec<_> = jobs.into_iter().collect();
    let mut drawn = vec![throttled(found, most, &takers)];
    let resync = found.iter().any(|one| one.resync_took != 0.0);
    if takers.len() > 1 || resync {
        takers.extend(resync.then_some(RESYNC));
        drawn.push(taken(found, &takers));
    }
    drawn
}

fn waits(run: &Run) -> &[LimitWaits] {
    let modelled = run.facts.as_ref().and_then(|facts| facts.modelled.as_ref());
    modelled.map_or(&[], |modelled| &modelled.waits)
}

fn axis() -> Axis {
    Axis::new("time throttled, summed over IOs", "s")
}

/// How long the limits of one run held each job back.
fn throttled(found: &[LimitWaits], most: &LimitWaits, jobs: &[&str]) -> Figure {
    let bars = found.iter().map(|one| {
        let waited = one.jobs.iter().map(|job| (job.job.as_str(), job.waited_s));
        bar(one, &waited.collect(), jobs)
    });
    Figure {
        name: "throttled".to_owned(),
        title: "Time throttled by limits".to_owned(),
        caption: format!(
            "An IO that waits for tokens counts for the limit that it waited for longest. \
             The most waited for {}: {}.",
            in_words(&most.limit),
            percent(most.share, 0)
        ),
        plot: plot(axis(), jobs, bars.collect()),
        group: "throttled".to_owned(),
    }
}

/// Whose IOs took the tokens of each limit.
fn taken(found: &[LimitWaits], takers: &[&str]) -> Figure {
    let bars = found.iter().map(|one| {
        let took = one
            .jobs
            .iter()
            .map(|job| (job.job.as_str(), 100.0 * job.took));
        let resync = (RESYNC, 100.0 * one.resync_took);
        bar(one, &took.chain([resync]).collect(), takers)
    });
    Figure {
        name: "took".to_owned(),
        title: "Whose IOs took the tokens".to_owned(),
        caption: "Of the tokens that a limit gave to IOs it made wait. A job that takes many \
                  and waits little holds the others back."
            .to_owned(),
        plot: plot(
            Axis::new("share of the tokens", "%").up_to(100.0),
            takers,
            bars.collect(),
        ),
        group: "throttled".to_owned(),
    }
}

fn bar(waits: &LimitWaits, parts: &IndexMap<&str, f64>, kinds: &[&str]) -> Bar {
    let parts = kinds
        .iter()
        .map(|kind| parts.get(kind).copied().unwrap_or(0.0));
    Bar {
        label: in_words(&waits.limit),
        parts: parts.collect(),
    }
}

fn plot(x: Axis, kinds: &[&str], bars: Vec<Bar>) -> Plot {
    Plot::Bars(Bars {
        x,
        kinds: kinds.iter().map(|&kind| kind.to_owned()).collect(),
        bars,
    })
}

/// How long the limits of several runs held IOs back: a bar for each run.
fn overlay(runs: &[&Run]) -> Figure {
    let by_run: IndexMap<_, IndexMap<_, f64>> = runs
        .iter()
        .map(|run| {
            let limits = waits(run).iter().map(|one| {
                let waited_s = one.jobs.iter().map(|job| job.waited_s).sum();
                (in_words(&one.limit), waited_s)
            });
            (run.name.as_str(), limits.collect())
        })
        .collect();
    let limits: IndexSet<_> = by_run.values().flat_map(IndexMap::keys).collect();
    let bars = by_run.iter().map(|(&run, own)| Bar {
        label: run.to_owned(),
        parts: limits
            .iter()
            .map(|&limit| own.get(limit).copied().unwrap_or(0.0))
            .collect(),
    });
    let kinds: Vec<_> = limits.iter().map(|limit| limit.as_str()).collect();
    Figure {
        name: "throttled".to_owned(),
        title: "Time throttled by limits".to_owned(),
        caption: "An IO that waits for tokens counts for the limit that it waited for longest."
            .to_owned(),
        plot: plot(axis(), &kinds, bars.collect()),
        group: String::new(),
    }
}
