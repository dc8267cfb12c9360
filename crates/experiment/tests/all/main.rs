//! Variants of scenarios: one program, as each more takes seconds to build.

mod common;
mod findings;
mod links;
mod many;
mod paired;
mod seeds;
mod variants;
mod what_if;
