//! What throttled a run, the headroom of its limits, and what would help.
//!
//! [`Facts`] are taken of a run once, from its result, its scenario and its table of
//! volumes. Reports put them into words and charts; nothing there asks what a limit's
//! name means. Real storage shows no limits: there, `modelled` is none, and `limits`
//! are those that the scenario's volumes would have.
//! [`UnderDemand`] needs no run: it says what limits would do to a load that was measured by the
//! minute.

mod bottleneck;
mod demand;
mod drive;
mod facts;
mod limits;
mod loads;
mod raising;
mod storage;
#[cfg(test)]
mod testing;
mod transactions;
mod waits;

pub use bottleneck::Bottleneck;
pub use demand::{CreditsOverTime, Demand, Flows, LimitUnderDemand, UnderDemand};
pub use drive::seen::{Busy, Moved, Parts, Seen, SeenDevice, SeenInterval, data_writes};
pub use drive::{Cause, Unknown, Verdict, was_it_the_drive};
pub use facts::{Facts, Modelled, Recorded};
pub use limits::credits::{Credits, UsedUp};
pub use limits::id::{LimitId, Owner};
pub use limits::in_force::InForce;
pub use limits::usage::Usage;
pub use limits::{Limit, RateUnit};
pub use loads::closed_loops::{ClosedLoop, Reach};
pub use loads::needs::Also;
pub use loads::open_loops::{Behind, Takes};
pub use loads::write_daemons::WriteDaemons;
pub use loads::{JobLoad, Kind};
pub use raising::{InIos, Next, Raising, Taker};
pub use storage::devices::{Device, Leg, Mirroring};
pub use storage::table::{Entries, Names, VolumeTable};
pub use transactions::steady_state::{Settling, Unsettled};
pub use transactions::{Bound, Part, Short};
pub use waits::held::Held;
pub use waits::links_and_events::{EventHold, FULL as FULL_NETWORK, JobHeld, LinkHold};
pub use waits::series::WaitSeries;
pub use waits::{JobWait, LimitWaits, Waited, waited};
