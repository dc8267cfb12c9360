//! What the planner answers: layouts with their bill, and why the others were rejected.

pub(crate) mod candidate_layout;
pub(crate) mod cheapest_possible;
pub(crate) mod existing;
pub(crate) mod frontier;
pub(crate) mod layout;
pub(crate) mod managed;
pub(crate) mod outgrown;
pub(crate) mod plan;
pub(crate) mod purchase;
pub(crate) mod rejections;
pub(crate) mod replication;
pub(crate) mod whole;
