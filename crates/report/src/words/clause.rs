//! A clause on a job, as the headline puts them together.

use crate::text::format::count;

/// What a limit of a volume, a host or a link does to a job.
pub(crate) const THROTTLED: &str = "throttled by";

/// What anything else does to it.
pub(crate) const LIMITED: &str = "limited by";

/// What a job asked for and got.
#[derive(Clone, Debug)]
pub(crate) struct Clause {
    pub(crate) job: String,
    pub(crate) text: String,
    /// How bad it is, to be compared: an open load that was not served, then waiting.
    pub(crate) suffers: (u8, f64),
    /// Its bottleneck, `data IOPS (3,000 IOPS)`; empty if there is none, or none is known.
    pub(crate) by: String,
    /// What is to be added to that.
    pub(crate) part: String,
    /// What is to be added of a job that is alone.
    pub(crate) after: String,
    /// How `by` acts: limits of volumes, hosts and links throttle.
    pub(crate) how: &'static str,
    /// Whether it waits for a limit that is not its bottleneck.
    pub(crate) waits: bool,
}

impl Clause {
    /// A clause without a bottleneck.
    pub(crate) fn new(job: &str, text: String, suffers: (u8, f64)) -> Self {
        Self {
            job: job.to_owned(),
            text,
            suffers,
            by: String::new(),
            part: String::new(),
            after: String::new(),
            how: THROTTLED,
            waits: false,
        }
    }
}

/// `1 to 4`, `4`.
pub(crate) fn between(least: u64, most: u64) -> String {
    if least == most {
        count(least)
    } else {
        format!("{} to {}", count(least), count(most))
    }
}
