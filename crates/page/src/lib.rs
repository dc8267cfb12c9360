//! The one door between Rust and a page: JSON in, JSON out.
//!
//! Compiled to WebAssembly it has three functions and no imports: [`door::input`] gives a buffer
//! for a question's text, [`door::run`] answers it, [`door::output`] is where the answer begins. It
//! keeps nothing between two questions, so a worker that is in the way can be ended at any time.
//! Nothing is computed here, as in `crates/python`.

mod controls;
mod copied;
pub mod door;
mod error;
mod planned;
mod question;
mod recorded;
mod run;
mod shown;
mod tables;

pub use question::answer;
