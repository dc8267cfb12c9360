//! Burst balance over time: what is left of the credits of volumes and of instances.

use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexMap;

use super::axes::time;
use super::history::HAIR;
use super::overlay::common_bin_s;
use super::spans::spans;
use crate::Run;
use crate::figure::{Axis, Dash, Figure, Lines, Plot, Series};
use crate::text::limit_names::{host, host_by_volume};

/// A balance in percent at the end of bins, which are counted from 1.
type Balances = BTreeMap<u64, f64>;

/// A volume or an instance with credits.
pub(crate) fn needs(run: &Run) -> bool {
    let volumes = &run.tables.volumes;
    let mut balances = volumes.balance_pct.iter().chain(&volumes.host_balance_pct);
    balances.any(|balance| !balance.is_nan())
}

/// One run volume by volume; of several runs each one's lowest balance.
pub(crate) fn figures(runs: &[&Run], _bin_s: f64) -> Vec<Figure> {
    let width = common_bin_s(runs, 0.0);
    let (lines, caption) = if let [run] = runs {
        let caption = "Remaining credits. At 0% only the baseline is left.";
        (balances(run, width), caption)
    } else {
        let lowest = runs
            .iter()
            .map(|run| (run.name.as_str(), lowest(&balances(run, width))));
        let caption = "Remaining credits of each run's emptiest volume, or of its instance's.";
        (lowest.collect(), caption)
    };
    let ends: BTreeSet<_> = lines.values().flat_map(BTreeMap::keys).copied().collect();
    let series = lines.iter().enumerate().map(|(place, (label, balances))| {
        let values = ends.iter().map(|end| balances.get(end).copied());
        Series::new(label, values.collect(), Some(place), Dash::Solid)
    });
    vec![Figure {
        name: "burst-balance".to_owned(),
        title: "Burst balance".to_owned(),
        caption: caption.to_owned(),
        plot: Plot::Lines(Lines {
            x: time(),
            y: Axis::new("burst balance", "%").up_to(100.0),
            at: ends.iter().map(|&end| end as f64 * width).collect(),
            series: series.collect(),
            levels: Vec::new(),
            spans: spans(runs),
        }),
        group: String::new(),
    }]
}

/// Of each volume with credits, and of each instance, the balance at the end of each bin.
fn balances(run: &Run, bin_s: f64) -> IndexMap<&str, Balances> {
    let volumes = &run.tables.volumes;
    let served = &volumes.served;
    let hosts = host_by_volume(run.facts.as_ref());
    let host_of = |volume| hosts.get(volume).copied().unwrap_or(host(None));
    let names = || {
        let volumes = served.volume.index.iter();
        volumes.map(|&place| served.volume.names[place].as_str())
    };
    let own = names().zip(&volumes.balance_pct);
    let of_hosts = names().map(host_of).zip(&volumes.host_balance_pct);
    let mut found: IndexMap<_, Balances> = IndexMap::new();
    let rows = served.t_s.iter().zip(own);
    for (t_s, (whose, &balance)) in rows.chain(served.t_s.iter().zip(of_hosts)) {
        if !balance.is_nan() {
            let end = (t_s / bin_s + HAIR).floor() as u64 + 1;
            // The rows are in the order of time: a bin's last one stays.
            found.entry(whose).or_default().insert(end, balance);
        }
    }
    found
}

/// At the end of each bin the lowest of all balances.
fn lowest(balances: &IndexMap<&str, Balances>) -> Balances {
    let mut lowest = Balances::new();
    for (&end, &balance) in balances.values().flatten() {
        let least = lowest.entry(end).or_insert(balance);
        *least = least.min(balance);
    }
    lowest
}
