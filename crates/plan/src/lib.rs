//! The cheapest layout that meets a requirement.
//!
//! A requirement says how much data there is, what IO it gets and for how long, which latencies
//! must hold. The answer is what to buy: an instance, volumes of a type, how many of which size
//! with which IOPS and throughput, and whether the journal gets volumes of its own. All limits
//! hold at once: each volume's, credits included, and the instance's over all volumes, also
//! once its burst is over. The search is exact (`search`); docs/plan.md has its formulas.
//!
//! A requirement is read (`requirement`), its load is streams of IO over time (`load`), and
//! the `market` has what can be bought. The `search` gives candidates, `answer` makes
//! layouts and rejections of them, and `proof` simulates them. Where numbers are ranges,
//! `uncertain` plans samples of them.

mod answer;
mod load;
mod market;
mod proof;
mod question;
mod reason;
mod requirement;
mod search;
mod uncertain;

pub use answer::cheapest_possible::CheapestPossible;
pub use answer::existing::{Current, current};
pub use answer::frontier::Point;
pub use answer::layout::{Estimate, Item, Layout, Outgrown, Simulated, Use, Volumes};
pub use answer::managed::Managed;
pub use answer::plan::{Dropped, Family, Nearest, Plan, Rejected, plan};
pub use answer::replication::{CopyBound, FullCopy, Replicas};
pub use answer::whole::{Answer, ByInterval, Load};
pub use load::profile::{LoadProfile, Peak};
pub use load::streams::{CHUNK, Stream};
pub use market::Market;
pub use market::prices::{HOURS_PER_MONTH, Line, ListPrices, Prices};
pub use proof::of_plan::Proved;
pub use proof::scenario::ScenarioWriter;
pub use question::Question;
pub use reason::Reason;
pub use requirement::copies::{Copies, ReplicaZones, Replication};
pub use requirement::growth::{Growth, Horizon};
pub use requirement::needs::{Choice, Growing, Journal, LatencyGoal, Needs, Of};
pub use requirement::preferences::{Avoided, Preferences, Quotas};
pub use requirement::range::{Iops, Uncertain};
pub use requirement::read::{Loaded, load, load_with};
pub use requirement::schema::Requirement;
pub use search::tables::WIDEST;
pub use search::volumes::Steps;
pub use uncertain::samples::{Drawing, LeastRegret, Regretted, least_regret};
