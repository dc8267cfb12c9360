//! What is measured while a run goes on.

pub(crate) mod amounts;
pub(crate) mod by_interval;
mod by_second;
pub(crate) mod counters;
pub(crate) mod engine;
pub(crate) mod event_words;
pub(crate) mod events;
pub(crate) mod facts;
pub(crate) mod goal_figures;
pub(crate) mod histogram;
pub(crate) mod logs;
pub(crate) mod observer;
pub(crate) mod outages;
pub(crate) mod outcome;
pub(crate) mod recorder;
pub(crate) mod row_names;
pub(crate) mod series;
pub(crate) mod series_steps;
pub(crate) mod serving;
pub(crate) mod shape;
pub(crate) mod shortfall;
pub(crate) mod storage;
pub(crate) mod summary;
