//! What is observed and how, as the command line says.

use std::path::PathBuf;

use blockyard_machine::{Error, online};
use blockyard_model::units::{Bytes, MILLISECOND, Nanos, SECOND};
use blockyard_scenario::units::{Duration, Size};
use serde::Deserialize;

/// What to observe and how. The names are those of the command line's options, so that an error
/// can name the option.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Options {
    /// Devices, by name or path; all disks unless any is named.
    #[serde(default)]
    pub device: Vec<String>,
    /// Processes by number.
    #[serde(default)]
    pub pid: Vec<u32>,
    /// A systemd unit, whose processes are observed.
    #[serde(default)]
    pub unit: Option<String>,
    /// Whether to read counters alone, even where each IO could be seen.
    #[serde(default)]
    pub counters: bool,
    /// Memory for the events of each processor.
    #[serde(default)]
    pub buffer: Option<Size>,
    /// How long to observe; until it is stopped unless stated.
    #[serde(default)]
    pub duration: Option<Duration>,
    /// The time from sample to sample.
    pub interval: Duration,
    /// The run's name.
    pub name: String,
    /// When the run began, for the result.
    pub started: String,
    /// The file that gets each interval's latencies, where they are known.
    pub latency_log: PathBuf,
    /// The file that gets each IO, if one does.
    #[serde(default)]
    pub io_log: Option<PathBuf>,
    /// The file that gets each call of the processes, if one does.
    #[serde(default)]
    pub calls: Option<PathBuf>,
}

/// An interval is of this length at least, for what a sample costs; and at most, as the kernel's
/// milliseconds wrap.
const SHORTEST: Nanos = 100 * MILLISECOND;
const LONGEST: Nanos = 60 * SECOND;

/// Memory for events unless stated, of all processors together: this much, or that share of the
/// machine's.
const MEMORY: Bytes = 128 << 20;
const SHARE: u64 = 64;
/// Of each processor at least: at 70 bytes some 60,000 events, which 200,000 IOs a second do not
/// fill in 100 ms on one processor. They are taken out every 50 ms, if this process gets one.
const EACH: Bytes = 4 << 20;
const LEAST_MEMORY: Bytes = 8 << 10;
const MOST_MEMORY: Bytes = 1 << 30;

/// Memory for the events of each processor unless stated, on a machine with so much memory.
fn usual(all: Bytes, processors: u64) -> Bytes {
    (MEMORY.min(all / SHARE) / processors.max(1)).max(EACH)
}

fn all_memory() -> Bytes {
    let system = rustix::system::sysinfo();
    system.totalram.saturating_mul(system.mem_unit.into())
}

impl Options {
    /// Memory for the events of each processor.
    ///
    /// # Errors
    /// In one line, what cannot be.
    pub(crate) fn memory(&self) -> Result<Bytes, Error> {
        match self.buffer {
            None => Ok(usual(all_memory(), online().len() as u64)),
            Some(asked) if (LEAST_MEMORY..=MOST_MEMORY).contains(&asked.bytes()) => {
                Ok(asked.bytes())
            }
            Some(asked) => Err(Error::Input(format!(
                "--buffer: `{asked}`; expected 8KiB to 1GiB"
            ))),
        }
    }

    /// Fails where each IO is wanted and, for this reason, cannot be seen.
    ///
    /// # Errors
    /// If so.
    pub(crate) fn check_unseen(&self, why: &str) -> Result<(), Error> {
        let (option, what) = match (&self.calls, &self.io_log) {
            (Some(_), _) => ("--calls", "call"),
            (None, Some(_)) => ("--io-log", "IO"),
            (None, None) => return Ok(()),
        };
        Err(if self.counters {
            Error::Input(format!(
                "{option} and --counters: counters know no single {what}"
            ))
        } else {
            Error::Lacks(format!("{option}: {why}"))
        })
    }

    /// Fails where calls are wanted, but not whose.
    ///
    /// # Errors
    /// If so.
    pub(crate) fn check_whose(&self) -> Result<(), Error> {
        if self.calls.is_some() && self.pid.is_empty() && self.unit.is_none() {
            let said = "--calls: of all processes they are too many; expected --pid or --unit";
            return Err(Error::Input(said.into()));
        }
        Ok(())
    }

    /// The times of the run: its length, if it has one, and that of an interval.
    ///
    /// # Errors
    /// In one line, what cannot be.
    pub(crate) fn times(&self) -> Result<(Option<Nanos>, Nanos), Error> {
        let wrong = |line: String| Err(Error::Input(line));
        let interval = self.interval.nanos();
        if !(SHORTEST..=LONGEST).contains(&interval) {
            return wrong(format!(
                "--interval: `{}`; expected 100ms to 1m",
                self.interval
            ));
        }
        let length = self.duration.map(Duration::nanos);
        if let Some(asked) = self.duration.filter(|asked| asked.nanos() < interval) {
            return wrong(format!(
                "--duration: `{asked}`; expected at least one interval of {}",
                self.interval
            ));
        }
        Ok((length, interval))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_bounded_over_all_and_enough_for_each() {
        const GIB: Bytes = 1 << 30;
        for (all, processors, each) in [
            (256 * GIB, 2, 64 << 20),
            (2 * GIB, 2, 16 << 20),
            (GIB / 4, 2, EACH),
            (384 * GIB, 192, EACH),
        ] {
            assert_eq!(usual(all, processors), each);
        }
        assert!(all_memory() > EACH);
    }
}
