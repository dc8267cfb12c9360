//! Where in time and latency two runs differ: the IOs of the second, less those of the first, in
//! each cell of their latency maps.

mod most;
#[cfg(test)]
mod tests;

use self::most::Most;
use super::cells::{Cells, width_s};
use super::histograms::{Bins, over_time};
use super::history::HAIR;
use super::overlay::{Place, places};
pub(crate) use super::percentiles::needs;
use super::percentiles::tags_at;
use crate::Run;
use crate::figure::Figure;
use crate::text::format::{clock, count, latency};
use crate::words::phrases::{counted, joined};

/// Of two runs a map for each place where both have IOs, unless they are alike there.
pub(crate) fn figures(runs: &[&Run], bin_s: f64) -> Vec<Figure> {
    let &[first, second] = runs else {
        return Vec::new();
    };
    let width = width_s(runs, bin_s);
    let places = places(runs);
    let drawn = places
        .iter()
        .filter_map(|place| map(first, second, place, width));
    drawn.collect()
}

fn map(first: &Run, second: &Run, place: &Place<'_>, width: f64) -> Option<Figure> {
    let bins_of = |run: &Run| over_time(&run.latencies, &tags_at(run, place), width);
    let found = [bins_of(first), bins_of(second)];
    if found.iter().any(Bins::is_empty) {
        return None;
    }
    let cells = Cells::around(width, &found);
    let counts = counts(&cells, &found);
    let more_of = [fewer(&counts), more(&counts)];
    (more_of != [0, 0]).then(|| Figure {
        name: format!("difference-{}", place.name()),
        title: format!("Where they differ: {}", place.title()),
        caption: caption(&[first, second], more_of, &counts, &cells),
        plot: cells.plot(counts),
        group: "difference".to_owned(),
    })
}

/// The IOs of the second run, less those of the first, in each cell.
fn counts(cells: &Cells, [first, second]: &[Bins; 2]) -> Vec<Vec<i64>> {
    let (less, mut counts) = (cells.counts(first), cells.counts(second));
    // Beyond its end a run has none.
    counts.resize(counts.len().max(less.len()), cells.empty());
    for (column, less) in counts.iter_mut().zip(less) {
        for (count, less) in column.iter_mut().zip(less) {
            *count -= less;
        }
    }
    counts
}

/// How many IOs of the second run there are, cell by cell, beside as many of the first.
fn more(counts: &[Vec<i64>]) -> u64 {
    let all = counts.iter().flatten();
    all.map(|&count| count.max(0).unsigned_abs()).sum()
}

/// How many IOs of the first run there are, cell by cell, beside as many of the second.
fn fewer(counts: &[Vec<i64>]) -> u64 {
    let all = counts.iter().flatten();
    all.map(|&count| count.min(0).unsigned_abs()).sum()
}

/// What the colours mean, how many IOs are in only one run, and where most of these are.
fn caption(runs: &[&Run; 2], more_of: [u64; 2], counts: &[Vec<i64>], cells: &Cells) -> String {
    let names = runs.map(|run| run.name.as_str());
    let apart = apart(names, more_of);
    let place = place(counts, cells, runs);
    let said = format!("{} Cell by cell, {apart}{place}.", colours(names, more_of));
    match alone(runs, counts, cells) {
        Some(alone) => format!("{said} {alone}"),
        None => said,
    }
}

/// What the colours mean. A map that has no cell below nothing is drawn as one of counts.
fn colours([first, second]: [&str; 2], more_of: [u64; 2]) -> String {
    match more_of {
        [0, _] => format!("Coloured where {second} has more IOs than {first}."),
        [_, 0] => format!("Blue where {first} has more IOs than {second}."),
        _ => format!("Orange where {second} has more IOs, blue where {first} has more."),
    }
}

/// How many IOs are in only one run: `3,000 IOs are only in b and 1,000 only in a`.
fn apart(names: [&str; 2], more_of: [u64; 2]) -> String {
    let [(most, whose), (least, other)] = if more_of[1] >= more_of[0] {
        [(more_of[1], names[1]), (more_of[0], names[0])]
    } else {
        [(more_of[0], names[0]), (more_of[1], names[1])]
    };
    let are = if most == 1 { "is" } else { "are" };
    let least = match least {
        0 => "none".to_owned(),
        some => count(some),
    };
    let most = counted(most, "IO");
    format!("{most} {are} only in {whose} and {least} only in {other}")
}

/// Where most of them are: `, most of them between 0:20 and 0:40, at 1.02 to 2.05 ms`; nothing if
/// they are all over the map.
fn place(counts: &[Vec<i64>], cells: &Cells, runs: &[&Run; 2]) -> String {
    let most = Most::of(counts);
    let longest_s = runs[0].result.duration_s.max(runs[1].result.duration_s);
    let start = |column: usize| column as f64 * cells.width;
    let when = most.columns.map(|columns| {
        let (from, to) = (start(columns.start), start(columns.end).min(longest_s));
        format!("between {} and {}", clock(from), clock(to))
    });
    let how_long = most.rows.and_then(|rows| {
        let edge = |row: usize| cells.edges_us.get(row).map(|us| latency(*us));
        Some(format!(
            "at {}",
            joined(&edge(rows.start)?, &edge(rows.end)?)
        ))
    });
    match (when, how_long) {
        (None, None) => String::new(),
        (Some(one), None) | (None, Some(one)) => format!(", most of them {one}"),
        (Some(when), Some(how_long)) => format!(", most of them {when}, {how_long}"),
    }
}

/// From when on only one of the runs has IOs, if they are not equally long.
fn alone(runs: &[&Run; 2], counts: &[Vec<i64>], cells: &Cells) -> Option<String> {
    let [first, second] = runs;
    let lengths_s = runs.map(|run| run.result.duration_s);
    let (longer, end_s) = if lengths_s[0] > lengths_s[1] {
        (first, lengths_s[1])
    } else {
        (second, lengths_s[0])
    };
    let beyond = counts.get((end_s / cells.width - HAIR).ceil() as usize..)?;
    let any = beyond.iter().flatten().any(|&count| count != 0);
    any.then(|| {
        let (end, name) = (clock(end_s), &longer.name);
        format!("From {end} on only {name} ran: there the cells are its IOs alone.")
    })
}
