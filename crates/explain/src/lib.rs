//! What held a run back, what was left of its limits, and what would help.
//!
//! [`Facts`] are taken of a run once, from its result, its scenario and its table of
//! volumes. Reports put them into words and charts; nothing there asks what a limit's
//! name means. Real storage shows no limits: there, `modelled` is none, and `limits`
//! are those that the scenario's volumes would have.

mod alike;
mod behind;
mod credits;
mod cycles;
mod devices;
mod facts;
mod held;
mod id;
mod in_force;
mod limits;
mod loads;
mod loops;
mod needed;
mod network;
mod owners;
mod raising;
mod room;
mod series;
mod settled;
mod steps;
mod table;
#[cfg(test)]
mod testing;
mod transactions;
mod usage;
mod waits;

pub use behind::{Behind, Cause};
pub use credits::{Credits, UsedUp};
pub use cycles::WriteDaemons;
pub use devices::{Device, Leg, Mirroring};
pub use facts::{Facts, Modelled, Recorded};
pub use held::{Held, HeldBy};
pub use id::{LimitId, Owner};
pub use in_force::InForce;
pub use limits::{Limit, RateUnit};
pub use loads::{JobLoad, Kind};
pub use loops::{ClosedLoop, Reach};
pub use needed::Also;
pub use network::{EventHold, JobHeld, LinkCause, LinkHold};
pub use raising::{InIos, Next, Raising, Taker};
pub use series::WaitSeries;
pub use settled::{Settling, Unsettled};
pub use table::{Entries, Names, VolumeTable};
pub use transactions::{Binding, Bound, Part, Short};
pub use usage::Usage;
pub use waits::{FELT, JobWait, LimitWaits, Waited, waited};
