//! Capacity and `what-if` on scenarios: one program, as each more takes seconds to build.

mod asking;
mod capacity;
mod clusters;
mod enough;
mod one_answer;
mod paid;
mod savings;
mod several_jobs;
mod takeovers;
mod what_if;
