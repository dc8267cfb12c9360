//! How the runs of each mode were made, in words.

use blockyard_record::result::Mode;

use crate::Run;

/// How a run was made: `simulated`, `seen by iostat`.
pub(crate) fn made(run: &Run) -> &'static str {
    let Some(program) = &run.foreign else {
        return match run.result.mode {
            Mode::Simulate => "simulated",
            Mode::Bench => "on real storage",
            Mode::Emulate => "emulated",
            Mode::Observe => "observed",
        };
    };
    match program.as_str() {
        "fio" => "by fio",
        "iostat" => "seen by iostat",
        "yaspe" => "seen by yaspe",
        "sar" => "seen by sar",
        "diskstats" => "from /proc/diskstats",
        "prometheus" => "seen by Prometheus",
        "systemperformance" => "seen by SystemPerformance",
        "pgbench" => "by pgbench",
        "sysbench" => "by sysbench",
        _ => "by another program",
    }
}
