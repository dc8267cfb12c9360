//! What the storage granted, volume by volume.

use std::collections::BTreeMap;

use blockyard_model::storage::{Counted, LimitId};
use blockyard_model::units::{MIB, Nanos};

use crate::limit_names;
use crate::measure::observer::VolumeRow;
use crate::measure::storage::pace::Pace;
use crate::result::{VolumeTotal, seconds};

/// What a volume granted, or the host to its volumes.
#[derive(Clone, Debug)]
pub(crate) struct VolumeStats {
    name: String,
    /// Names of the limits that can throttle its IO.
    limits: Vec<String>,
    interval: Counted,
    second: Counted,
    ios: u64,
    bytes: u64,
    peak_ios: u64,
    peak_bytes: u64,
    seconds_throttled: Vec<u64>,
    balances: BTreeMap<LimitId, f64>,
    /// The same over time, by limit.
    paces: BTreeMap<LimitId, Pace>,
}

impl VolumeStats {
    pub(crate) fn new(name: String, limits: Vec<String>) -> Self {
        let nothing = Counted {
            throttled: vec![0; limits.len()],
            ..Counted::default()
        };
        Self {
            name,
            interval: nothing.clone(),
            second: nothing,
            ios: 0,
            bytes: 0,
            peak_ios: 0,
            peak_bytes: 0,
            seconds_throttled: vec![0; limits.len()],
            balances: BTreeMap::new(),
            paces: BTreeMap::new(),
            limits,
        }
    }

    /// Adds what was served in a period.
    pub(crate) fn add(&mut self, period: &Counted, counted: bool) {
        for sum in [&mut self.interval, &mut self.second] {
            sum.ios += period.ios;
            sum.bytes += period.bytes;
            sum.throttled
                .iter_mut()
                .zip(&period.throttled)
                .for_each(|(sum, throttled)| *sum += throttled);
        }
        if counted {
            self.ios += period.ios;
            self.bytes += period.bytes;
        }
        self.balances.clone_from(&period.balances);
    }

    /// A second ends.
    pub(crate) fn end_second(&mut self, counted: bool) {
        if counted {
            self.peak_ios = self.peak_ios.max(self.second.ios);
            self.peak_bytes = self.peak_bytes.max(self.second.bytes);
            for (seconds, throttled) in self
                .seconds_throttled
                .iter_mut()
                .zip(&self.second.throttled)
            {
                *seconds += u64::from(*throttled > 0);
            }
        }
        clear(&mut self.second);
    }

    /// The lowest of its balances, in percent; none without credits.
    pub(crate) fn lowest_balance(&self) -> Option<f64> {
        self.balances.values().copied().min_by(f64::total_cmp)
    }

    /// Whether the host's limits are among those that can throttle its IO.
    fn behind_host(&self) -> bool {
        let host = |name: &String| {
            let (owner, _) = limit_names::Owner::beside_volume(&self.name, name);
            matches!(owner, limit_names::Owner::Host(_))
        };
        self.limits.iter().any(host)
    }

    /// The row of the interval that ends now and began at `start`, of a volume of a host with
    /// this balance.
    pub(crate) fn row(
        &self,
        volume: usize,
        start: Nanos,
        host_balance_pct: Option<f64>,
    ) -> VolumeRow {
        VolumeRow {
            t_s: seconds(start),
            volume,
            ios: self.interval.ios,
            bytes: self.interval.bytes,
            throttled_us: self
                .interval
                .throttled
                .iter()
                .map(|&throttled| throttled as f64 / 1000.0)
                .collect(),
            balance_pct: self.lowest_balance(),
            host_balance_pct: host_balance_pct.filter(|_| self.behind_host()),
        }
    }

    /// An interval ends.
    pub(crate) fn end_interval(&mut self, end: Nanos) {
        for (&limit, &balance) in &self.balances {
            self.paces.entry(limit).or_default().add(end, balance);
        }
        clear(&mut self.interval);
    }

    pub(crate) fn total(&self, credit_limits: &[String]) -> VolumeTotal {
        let throttled = self
            .limits
            .iter()
            .cloned()
            .zip(self.seconds_throttled.iter().copied());
        VolumeTotal {
            name: self.name.clone(),
            ios: self.ios,
            bytes: self.bytes,
            peak_iops_1s: Some(self.peak_ios as f64),
            peak_mib_per_s_1s: Some(self.peak_bytes as f64 / MIB as f64),
            peak_iops: None,
            peak_mib_per_s: None,
            seconds_throttled: throttled.filter(|(_, seconds)| *seconds > 0).collect(),
            burst_balance_pct: credit_limits
                .iter()
                .cloned()
                .zip(self.balances.values().copied())
                .collect::<BTreeMap<_, _>>(),
            burst_balance_lasts_s: credit_limits
                .iter()
                // Credits that a modification has taken away do not last.
                .zip(
                    self.paces
                        .iter()
                        .filter(|(limit, _)| self.balances.contains_key(limit)),
                )
                .filter_map(|(limit, (_, pace))| Some((limit.clone(), pace.lasts_s()?)))
                .collect(),
        }
    }
}

fn clear(sum: &mut Counted) {
    (sum.ios, sum.bytes) = (0, 0);
    sum.throttled.fill(0);
}
