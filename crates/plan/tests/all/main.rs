//! Plans: one program, as each more takes seconds to build.

mod by_interval;
mod cases;
mod chance;
mod common;
mod exact;
mod preferences;
mod replicas;
mod stopped;
