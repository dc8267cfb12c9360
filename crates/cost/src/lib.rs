//! What the hosts and the storage of a scenario cost: a bill, line by line, and, of a run, how much
//! work it did for the money.
//!
//! Prices are those of the catalog's price lists and of a user's price file. Money is exact, in
//! whole millionths of a dollar: each line is rounded once, to the nearest of them, for an hour
//! and for a month, and totals are the sums of lines.

mod bill;
mod copy;
mod line;
mod pace;
mod region;
mod work;

pub use bill::{Bill, NoBill, Terms};
pub use copy::{CopyKind, FullCopy};
pub use line::{BillLine, Item};
pub use pace::{LinkBytes, Pace};
pub use region::RegionFrom;
pub use work::Work;
