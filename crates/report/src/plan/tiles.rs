//! A plan in four figures.

use blockyard_plan::{Answer, Layout};

use super::amounts::{money, ms};
use super::layout::p99_ms;
use super::limits::row;
use crate::text::format::count;
use crate::words::Tile;

/// What it must deliver, its p99, what limits it first, and its price.
pub(super) fn tiles(answer: &Answer, best: &Layout) -> Vec<Tile> {
    let tile = |label: &str, value: String, note: String| Tile {
        label: label.to_owned(),
        value,
        note,
    };
    let iops = answer.wanted.streams.iter().map(|(_, iops, _)| iops).sum();
    let wanted = format!("{} IOPS", count(iops));
    let p99 = p99_ms(best).map(|p99| tile("p99", ms(p99), "simulated".to_owned()));
    let first = best.limits.iter();
    let first = first.min_by(|a, b| a.left.total_cmp(&b.left)).map(|first| {
        let [name, .., headroom] = row(first);
        tile("First limit", name, format!("{headroom} headroom"))
    });
    let terms = format!("a month in {}, {}", answer.region, answer.term);
    let all = [
        Some(tile("Delivers", wanted, "what is required".to_owned())),
        p99,
        first,
        Some(tile("Price", money(best), terms)),
    ];
    all.into_iter().flatten().collect()
}
