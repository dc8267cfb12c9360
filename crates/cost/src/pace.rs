//! At what pace a run did its work.

use blockyard_model::units::Nanos;
use blockyard_record::result::RunResult;

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
    /// How many of the load, without headers.
    pub bytes: u64,
    /// How many more of copies and resyncs, which are no pace.
    pub copied: u64,
}

impl Pace {
    /// Of a run whose first `warmup_s` seconds were left out of its figures.
    #[must_use]
    pub fn of(result: &RunResult, warmup_s: f64) -> Self {
        let links = result.links.iter().map(|link| LinkBytes {
            from: link.from_host.clone(),
            to: link.to_host.clone(),
            bytes: link.bytes.saturating_sub(link.copied_bytes),
            copied: link.copied_bytes,
        });
        let totals = result.totals.iter();
        let ios = totals.filter(|it| matches!(it.op.as_str(), "read" | "write"));
        Self {
            whole: nanos(result.duration_s),
            links: links.collect(),
            measured: nanos(result.duration_s - warmup_s),
            volume_ios: (result.volumes.iter())
                .map(|volume| (volume.name.clone(), volume.ios))
                .collect(),
            transactions: result.transactions.iter().map(|it| it.count).sum(),
            ios: ios.map(|it| it.ios).sum(),
        }
    }

    /// The same for as much work as `other` did, if both did any. Work is transactions, or else
    /// IOs. Over the links and to the volumes that `other` had as well as much goes as there, but
    /// for what failures make of a run.
    #[must_use]
    pub fn for_work_of(&self, other: &Self) -> Self {
        let (own, wanted) = match (self.transactions, other.transactions) {
            (0, _) | (_, 0) => (self.ios, other.ios),
            both => both,
        };
        if own == 0 || wanted == 0 {
            return self.clone();
        }
        let scaled = |count: u64| {
            let count = u128::from(count) * u128::from(wanted) / u128::from(own);
            u64::try_from(count).unwrap_or(u64::MAX)
        };
        let links = self.links.iter().map(|link| LinkBytes {
            bytes: scaled(link.bytes),
            ..link.clone()
        });
        let volumes = self.volume_ios.iter();
        let volumes = volumes.map(|(name, ios)| (name.clone(), scaled(*ios)));
        let ends = |link: &LinkBytes| (link.from.clone(), link.to.clone());
        let name = |volume: &(String, u64)| volume.0.clone();
        Self {
            links: match self.links.iter().map(ends).eq(other.links.iter().map(ends)) {
                true => other.links.clone(),
                false => links.collect(),
            },
            volume_ios: match self
                .volume_ios
                .iter()
                .map(name)
                .eq(other.volume_ios.iter().map(name))
            {
                true => other.volume_ios.clone(),
                false => volumes.collect(),
            },
            transactions: scaled(self.transactions),
            ios: scaled(self.ios),
            ..*self
        }
    }

    /// IOs of the volume called `name`.
    pub(crate) fn ios_of(&self, name: &str) -> u64 {
        let found = self.volume_ios.iter().find(|volume| volume.0 == name);
        found.map_or(0, |volume| volume.1)
    }
}

/// Seconds of a result, which has them to the nanosecond, as nanoseconds; none below zero.
fn nanos(seconds: f64) -> Nanos {
    (seconds * 1e9).round() as Nanos
}

/// What `count` in a `time` would be over a number of hours at the same pace.
pub(crate) fn in_hours(count: u64, time: Nanos, hours: u32) -> u64 {
    let nanos = u128::from(hours) * 3_600_000_000_000;
    // 2^64 × 2^52 stays within 128 bits.
    let scaled = u128::from(count) * nanos / u128::from(time.max(1));
    u64::try_from(scaled).unwrap_or(u64::MAX)
}
