//! How much load a layout takes before its goals are missed, with 95 % probability, and what a
//! change of the layout would bring: in IOs or transactions a second, in latency and in money.
//!
//! Both change the scenario through its text, with overrides as `--set` makes them, and simulate
//! it. So whatever they say can be simulated again by hand, and what the catalog does not allow
//! is refused here too.

mod answer;
mod bill;
mod binding_job;
mod bisection;
mod by_seed;
mod capacity;
mod descent;
mod figures;
mod goals;
mod load;
mod search;
mod start;
mod sustained;
mod what_if;

pub use answer::{Asked, Capacity, Ended, Outcome, Point, Sustained};
pub use bill::Prices;
pub use capacity::capacity;
pub use figures::{Came, Service};
pub use goals::{Level, Measured};
pub use load::{Scaled, StepsAre};
pub use what_if::{
    Alternatives, Amount, Brought, Change, Gained, GivesUp, Headroom, Least, Measure, Now, OfGoal,
    OfJob, Part, Row, WhatIf, Worth, what_if,
};
