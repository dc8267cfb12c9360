//! The cheapest layout that meets a requirement.
//!
//! A requirement says how much data there is, what IO it gets and for how long, which latencies
//! must hold. The answer is what to buy: an instance, volumes of a type, how many of which size
//! with which IOPS and throughput, and whether the journal gets volumes of its own. All limits
//! hold at once: each volume's, credits included, and the instance's over all volumes, also
//! once its burst is over. The search is exact ([`search`]); docs/plan.md says how it goes.

mod balances;
mod bought;
mod check;
mod choice;
mod crossing;
mod current;
mod demand;
mod durability;
mod endurance;
mod front;
mod jobs;
mod joint;
mod latency;
mod layout;
mod market;
mod pairs;
mod picked;
mod picks;
mod plan;
mod price;
mod proof;
mod prove;
mod read;
mod reason;
mod requirement;
mod samples;
mod search;
mod suffices;
mod tables;
mod uncertain;
mod volumes;
mod wanted;
mod why;
mod written;

pub use current::{Current, current};
pub use demand::{CHUNK, Course, Peak, Stream};
pub use front::Point;
pub use layout::{Estimate, Item, Layout, Simulated, Use, Volumes};
pub use market::Market;
pub use plan::{Dropped, Family, Nearest, Plan, Rejected, plan};
pub use price::{HOURS_PER_MONTH, Line, ListPrices, Prices};
pub use read::{Loaded, load, load_with};
pub use reason::Reason;
pub use requirement::{Requirement, json_schema};
pub use samples::{Drawing, LeastRegret, Regretted, least_regret};
pub use tables::WIDEST;
pub use uncertain::{Iops, Uncertain};
pub use volumes::Steps;
pub use wanted::{Choice, Journal, LatencyGoal, Of, Wanted};
pub use written::Written;
