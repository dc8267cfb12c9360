//! The one door between Rust and Python: the module `blockyard._core`.
//!
//! Nothing is computed here. Texts and rows go through as they are; what the
//! Rust crates refuse becomes a Python exception.

mod arguments;
mod batch;
mod bench;
mod capacity;
mod catalog;
mod columns;
mod compare;
mod cost;
mod demand;
mod emulate;
mod error;
mod executor;
mod findings;
mod fit;
mod jobs;
mod latencies;
mod many;
mod observe;
mod packed;
mod plan;
mod provision;
mod report;
mod report_plan;
mod result;
mod rows;
mod scenario;
mod schema;
mod signals;
mod sweep;
mod sweep_rows;
mod text;
mod trace;
mod watcher;

/// What storage and workloads do, computed in Rust.
#[pyo3::pymodule]
mod _core {
    #[pymodule_export]
    use crate::batch::RecordBatch;
    #[pymodule_export]
    use crate::bench::bench_hosts;
    #[pymodule_export]
    use crate::capacity::{capacity, what_if};
    #[pymodule_export]
    use crate::catalog::rds_storage;
    #[pymodule_export]
    use crate::catalog::{catalog_instances, catalog_prices, catalog_volumes};
    #[pymodule_export]
    use crate::columns::{empty_table, table_columns};
    #[pymodule_export]
    use crate::compare::{Compared, compare};
    #[pymodule_export]
    use crate::cost::{bill, regions};
    #[pymodule_export]
    use crate::demand::under_demand;
    #[pymodule_export]
    use crate::error::{FileError, MachineError, RunError, ScenarioError, UnlikeError};
    #[pymodule_export]
    use crate::findings::findings;
    #[pymodule_export]
    use crate::fit::{Measurements, data_writes, sequential};
    #[pymodule_export]
    use crate::latencies::{Histogram, Latencies, histogram, latencies};
    #[pymodule_export]
    use crate::many::simulate_many;
    #[pymodule_export]
    use crate::observe::{import_trace, observe};
    #[pymodule_export]
    use crate::plan::Requirement;
    #[pymodule_export]
    use crate::provision::{attached_as, bought, check_layout, comment, plain, terraform};
    #[pymodule_export]
    use crate::report::Report;
    #[pymodule_export]
    use crate::report_plan::{plan_lines, plan_page, plan_reasons, plans_of_fleet};
    #[pymodule_export]
    use crate::result::check_result;
    #[pymodule_export]
    use crate::scenario::{Scenario, scenario, seconds};
    #[pymodule_export]
    use crate::schema::schema;
    #[pymodule_export]
    use crate::sweep::{
        Stop, SweepFile, SweepPlan, SweepSearch, failed_runs, simulate_runs, sweep_decides,
    };
    #[pymodule_export]
    use crate::text::{bill_in_words, term_in_words, waited_in_words};
    #[pymodule_export]
    use crate::text::{
        clock, duration, latency, number, price, quantity, rate, sentence, share, size,
    };
    #[pymodule_export]
    use crate::text::{host_in_words, limit_counts, limit_in_words, limit_owner, possessive};
    #[pymodule_export]
    use crate::trace::export_iolog;
    #[pymodule_export]
    use crate::watcher::IntervalEnd;

    #[pymodule_export]
    const CARRIED: f64 = blockyard_record::thresholds::CARRIED;
    #[pymodule_export]
    const FELT: f64 = blockyard_record::thresholds::FELT;
    #[pymodule_export]
    const GAIN: f64 = blockyard_record::thresholds::GAIN;
    #[pymodule_export]
    const SLOW: f64 = blockyard_record::thresholds::SLOW;
    #[pymodule_export]
    const QUESTION_IOS: u64 = blockyard_experiment::budget::FOR_QUESTION;

    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "Python's name for it")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
