//! At what pace a run did its work.

use blockyard_model::units::Nanos;

/// What a run did, and how long it took: what its bill needs of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pace {
    /// The length of the run, warm-up included.
    pub whole: Nanos,
    /// Bytes that went over links in that time, by the hosts that sent and received them.
    pub links: Vec<LinkBytes>,
    /// The length of the run without the warm-up, in which all that is below was done.
    pub measured: Nanos,
    /// IOs by volume, as its provider counts them.
    pub volume_ios: Vec<(String, u64)>,
    /// Transactions of all jobs that do any.
    pub transactions: u64,
    /// Reads and writes of all jobs.
    pub ios: u64,
}

/// Bytes from one host to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkBytes {
    /// The host that sent them.
    pub from: String,
    /// The host that received them.
    pub to: String,
    /// How many, without headers.
    pub bytes: u64,
}

impl Pace {
    /// IOs of the volume called `name`.
    pub(crate) fn ios_of(&self, name: &str) -> u64 {
        let found = self.volume_ios.iter().find(|volume| volume.0 == name);
        found.map_or(0, |volume| volume.1)
    }
}

/// What `count` in a `time` would be over a number of hours at the same pace.
pub(crate) fn in_hours(count: u64, time: Nanos, hours: u32) -> u64 {
    let nanos = u128::from(hours) * 3_600_000_000_000;
    // 2^64 × 2^52 stays within 128 bits.
    let scaled = u128::from(count) * nanos / u128::from(time.max(1));
    u64::try_from(scaled).unwrap_or(u64::MAX)
}
