//! The transactions of engines, and what their time goes to.

pub(crate) mod group;
pub(crate) mod halves;
pub(crate) mod ios;
mod membership;
pub(crate) mod time;
pub(crate) mod transactions;
