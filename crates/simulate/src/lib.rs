//! The virtual clock: workload model on device model.
