//! What becomes of mirrors of journals, side by side.

use std::collections::BTreeSet;

use blockyard_record::result::JournalMirrorTotal;

use super::side::Side;
use crate::text::format::duration;
use crate::words::phrases::in_bytes;

/// How a figure of a mirror is told.
type Figure = fn(&JournalMirrorTotal) -> String;

/// What is told, and how: what a mirror waited, had at risk and had behind.
const FIGURES: [(&str, Figure); 3] = [
    ("nothing was committed for", |mirror| {
        duration(mirror.paused_s)
    }),
    ("of the journal at risk", |mirror| {
        in_bytes(mirror.most_at_risk_bytes)
    }),
    ("dejournaling was behind by up to", |mirror| {
        let behind = mirror.members.iter().map(|member| member.most_backlog_s);
        duration(behind.fold(0.0, f64::max))
    }),
];

/// A line for each figure of a mirror that differs, of the first run of each side.
pub(crate) fn side_by_side(sides: &[Side<'_>]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut told = BTreeSet::new();
    let mirrors = sides.iter().flat_map(mirrors);
    for job in mirrors.map(|mirror| &mirror.job) {
        if told.insert(job) {
            lines.extend(FIGURES.iter().filter_map(|figure| line(sides, job, figure)));
        }
    }
    lines
}

fn mirrors<'a>(side: &Side<'a>) -> &'a [JournalMirrorTotal] {
    &side.first.result.journal_mirrors
}

fn line(sides: &[Side<'_>], job: &str, (what, figure): &(&str, Figure)) -> Option<String> {
    let of = |side: &Side<'_>| {
        let mirror = mirrors(side).iter().rfind(|mirror| mirror.job == job);
        mirror.map_or_else(|| "no mirror".to_owned(), figure)
    };
    let told: Vec<_> = sides.iter().map(of).collect();
    if told.iter().all(|one| Some(one) == told.first()) {
        return None;
    }
    let each = sides.iter().zip(&told);
    let each: Vec<_> = each
        .map(|(side, one)| format!("{} {one}", side.name))
        .collect();
    Some(format!("{job}, {what}: {}", each.join("; ")))
}
