//! A device that is observed: its counters from sample to sample, and its latencies.

use std::io::ErrorKind;

use blockyard_machine::{BlockDevice, BlockStat, Error};
use blockyard_model::units::{Nanos, SECOND};
use blockyard_record::result::{EbsStatistics, LatencyUs};
use blockyard_record::{Histogram, IntervalRow, VolumeRow};

use crate::Observer;
use crate::counts::{Counts, OPS};
use crate::devices::reason;
use crate::ebs;
use crate::ios::{Counted, InUse, Latencies, MOVES, OpLatencies};
use crate::load::Load;
use crate::totals::Totals;

/// Latencies by operation.
pub(crate) type ByOp = [Histogram; OPS.len()];

/// A device that is observed.
#[derive(Debug)]
pub(crate) struct Watched {
    pub(crate) device: BlockDevice,
    pub(crate) name: String,
    last: BlockStat,
    /// Since when it can no longer be read, and why.
    gone: Option<(Nanos, String)>,
    pub(crate) totals: Totals,
    /// IOs that the driver had at samples, summed, and how many samples.
    in_driver: (u64, u64),
    /// Those of each IO; none where only counters are known.
    pub(crate) latencies: Option<Latencies>,
    /// When there were any; none where only counters are known.
    pub(crate) in_use: Option<InUse>,
    /// At the end the time with IO in flight, and that in intervals in which it was busy.
    pub(crate) used: Option<(Nanos, Nanos)>,
    /// What EBS counts of them.
    pub(crate) counted: Counted,
    /// What these IOs are like.
    pub(crate) load: Load,
    /// What EBS had counted at the start, or why that is not known; none of other devices.
    ebs: Option<Result<ebs::Counted, String>>,
}

impl Watched {
    /// Takes the first sample.
    pub(crate) fn start(device: BlockDevice) -> Result<Self, Error> {
        let name = device.name();
        let last = device
            .stat()
            .map_err(|error| Error::Lacks(format!("{name}: {}", reason(&error))))?;
        let ebs = ebs::is_volume(&device).then(|| by_ebs(&device));
        Ok(Self {
            device,
            name,
            last,
            gone: None,
            totals: Totals::default(),
            in_driver: (0, 0),
            latencies: None,
            in_use: None,
            used: None,
            counted: Counted::default(),
            load: Load::default(),
            ebs,
        })
    }

    /// What EBS counted since the start, or why that is not known; none of other devices.
    pub(crate) fn by_ebs(&self) -> Option<Result<EbsStatistics, String>> {
        let since = |first: &Result<ebs::Counted, String>| {
            let last = by_ebs(&self.device)?;
            last.since(first.as_ref().map_err(String::clone)?)
        };
        self.ebs.as_ref().map(since)
    }

    pub(crate) fn is_gone(&self) -> bool {
        self.gone.is_some()
    }

    /// IOs in flight at the last sample.
    pub(crate) fn in_flight(&self) -> u64 {
        if self.is_gone() {
            0
        } else {
            self.last.in_flight
        }
    }

    /// Counts the IOs that the driver has.
    pub(crate) fn look_into_driver(&mut self) {
        if let Some(ios) = self.device.in_driver() {
            self.in_driver.0 += ios;
            self.in_driver.1 += 1;
        }
    }

    /// How many IOs the driver had in the mean of all looks.
    pub(crate) fn in_driver(&self) -> Option<f64> {
        let (ios, looks) = self.in_driver;
        (looks > 0).then(|| ios as f64 / looks as f64)
    }

    /// What it did since the last sample.
    pub(crate) fn sample(&mut self, now: Nanos, observer: &mut dyn Observer) -> Counts {
        if self.is_gone() {
            return Counts::default();
        }
        match self.device.stat() {
            Ok(stat) => {
                let done = Counts::between(&self.last, &stat);
                self.last = stat;
                self.totals.anew += u64::from(done.is_none());
                done.unwrap_or_default()
            }
            Err(error) => {
                self.gone = Some((now, reason(&error)));
                self.loss().iter().for_each(|said| observer.warn(said));
                Counts::default()
            }
        }
    }

    /// The rows of its operations in an interval: of each from its first IO on. Its series begin
    /// with `first`.
    pub(crate) fn rows(
        &self,
        first: usize,
        counts: &Counts,
        latencies: Option<&ByOp>,
        slot: u64,
        length_s: f64,
    ) -> Vec<IntervalRow> {
        let begun = self.totals.whole.ops;
        let ops = counts.ops.iter().zip(begun).enumerate();
        let rows = ops.filter(|(_, (_, begun))| begun.ios > 0 && !self.is_gone());
        rows.map(|(op, (counts, _))| {
            let latency_us = latencies.and_then(|all| LatencyUs::of(&all[op]));
            IntervalRow {
                t_s: slot as f64 * length_s,
                series: first + op,
                ios: counts.ios,
                bytes: counts.bytes,
                mean_us: latency_us.map(|us| us.mean).or_else(|| counts.mean_us()),
                latency_us,
                queue_depth: counts.ms as f64 / 1000.0 / length_s,
            }
        })
        .collect()
    }

    /// What a volume of EBS counts of an interval, of whose reads and writes `seen` are as many as
    /// it counts, and as they were; from its first one on. One that was not seen counts as the
    /// kernel counts it.
    pub(crate) fn counted(
        &self,
        volume: usize,
        counts: &Counts,
        seen: (u64, u64),
        t_s: f64,
    ) -> Option<VolumeRow> {
        let moved = || counts.ops.iter().take(MOVES);
        let ios: u64 = moved().map(|counts| counts.ios).sum();
        let begun = self.totals.whole.ops.iter().take(MOVES);
        let begun = begun.map(|op| op.ios).sum::<u64>() > 0;
        (begun && !self.is_gone()).then(|| VolumeRow {
            t_s,
            volume,
            ios: seen.0 + ios.saturating_sub(seen.1),
            bytes: moved().map(|counts| counts.bytes).sum(),
            throttled_us: Vec::new(),
            balance_pct: None,
            host_balance_pct: None,
        })
    }

    /// What is known of each IO of an operation.
    pub(crate) fn seen(&self, op: usize) -> Option<&OpLatencies> {
        self.latencies.as_ref().map(|all| &all.whole[op])
    }

    /// That it vanished, if it did.
    pub(crate) fn loss(&self) -> Option<String> {
        let (at, why) = self.gone.as_ref()?;
        let at = *at as f64 / SECOND as f64;
        Some(format!("{} vanished after {at:.1} s ({why})", self.name))
    }

    /// What to know of its figures.
    pub(crate) fn notices(&self) -> impl Iterator<Item = String> {
        let order = self.load.notice(&self.name);
        [self.began_anew(), self.unseen(), order]
            .into_iter()
            .flatten()
    }

    fn began_anew(&self) -> Option<String> {
        let times = self.totals.anew;
        (times > 0).then(|| {
            format!(
                "counters of {} began anew {times} times; what was counted then is left out",
                self.name
            )
        })
    }

    /// How many IOs have no latency, where most have one.
    fn unseen(&self) -> Option<String> {
        let latencies = self.latencies.as_ref()?;
        let ops = self.totals.whole.ops.iter().zip(&latencies.whole);
        let unseen = ops.map(|(counts, seen)| counts.ios.saturating_sub(seen.ended()));
        let (unseen, all): (u64, u64) = (unseen.sum(), self.totals.ios());
        (unseen > 0).then(|| {
            format!(
                "{}: {unseen} of {all} IOs have no latency: their beginning or end was not seen",
                self.name
            )
        })
    }
}

/// What EBS counted of a volume, or why that is not known.
fn by_ebs(device: &BlockDevice) -> Result<ebs::Counted, String> {
    ebs::counted(device).map_err(|error| match error.kind() {
        ErrorKind::PermissionDenied => format!("{}; root may read it", reason(&error)),
        _ => reason(&error),
    })
}
