//! The one door between Rust and Python: the module `blockyard._core`.
//!
//! Nothing is computed here. Texts and rows go through as they are; what the
//! Rust crates refuse becomes a Python exception.

mod bench;
mod catalog;
mod emulate;
mod error;
mod jobs;
mod output;
mod rows;
mod scenario;
mod watcher;

/// What storage and workloads do, computed in Rust.
#[pyo3::pymodule]
mod _core {
    #[pymodule_export]
    use crate::catalog::{catalog_instances, catalog_volumes};
    #[pymodule_export]
    use crate::error::{MachineError, RunError, ScenarioError};
    #[pymodule_export]
    use crate::scenario::{Scenario, result_schema, scenario_schema};

    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "Python's name for it")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
