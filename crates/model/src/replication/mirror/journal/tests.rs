//! The rules of contact against an oracle that looks at every tick, and whole mirrors under
//! random links, loads and events.

mod control;
mod fuzz;
