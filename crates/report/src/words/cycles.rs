//! Write-daemon cycles: their phases, how long they took, and when the next is due.

use blockyard_record::result::Cycle;
use indexmap::IndexMap;

use crate::Run;

/// In their order; updates are held during the first.
pub(crate) const PHASES: [&str; 5] = [
    "list of blocks, updates held",
    "WIJ",
    "journal",
    "database",
    "clearing the WIJ",
];

/// The phases of a cycle with their begins and ends, in seconds of the run.
pub(crate) fn phases_of(cycle: &Cycle) -> [(&'static str, f64, f64); 5] {
    let [list, wij, journal, database, clearing] = PHASES;
    [
        (list, cycle.start_s, cycle.listed_s),
        (wij, cycle.listed_s, cycle.wij_done_s),
        (journal, cycle.wij_done_s, cycle.journal_done_s),
        (database, cycle.journal_done_s, cycle.database_done_s),
        (clearing, cycle.database_done_s, cycle.end_s),
    ]
}

/// How long a cycle took, in seconds.
pub(crate) fn duration_s(cycle: &Cycle) -> f64 {
    cycle.end_s - cycle.start_s
}

/// Of each job with write daemons, after how long the next cycle is due, and an alert.
///
/// In seconds from the start of a cycle. Foreign files do not say.
pub(crate) fn times_s(run: &Run) -> IndexMap<&str, (f64, f64)> {
    let facts = run.facts.iter();
    let found = facts.flat_map(|facts| &facts.write_daemons);
    found
        .map(|daemons| (daemons.job.as_str(), (daemons.every_s, daemons.alert_s)))
        .collect()
}
