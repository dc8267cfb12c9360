//! How the runs of each mode were made, in words.

use crate::Run;

/// How a run was made: `simulated`, `seen by iostat`.
pub(crate) fn made(run: &Run) -> &str {
    in_words(run.made())
}

/// How a run was made, of what [`crate::Run::made`] says.
pub(crate) fn in_words(made: &str) -> &str {
    match made {
        "simulate" => "simulated",
        "bench" => "on real storage",
        "emulate" => "emulated",
        "fio" => "by fio",
        "iostat" => "seen by iostat",
        "yaspe" => "seen by yaspe",
        "sar" => "seen by sar",
        "diskstats" => "from /proc/diskstats",
        "prometheus" => "seen by Prometheus",
        "systemperformance" => "seen by SystemPerformance",
        "pgbench" => "by pgbench",
        "sysbench" => "by sysbench",
        other => other,
    }
}
