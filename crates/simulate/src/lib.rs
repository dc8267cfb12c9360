//! The virtual clock: the workload model on the device model, event by event.

mod agenda;
mod simulation;
mod world;
#[cfg(test)] mod speed_tmp;
