//! What is observed and how, as the command line says.

use std::path::PathBuf;

use blockyard_machine::Error;
use blockyard_model::units::{MILLISECOND, Nanos, SECOND};
use blockyard_scenario::units::Duration;
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
}

/// An interval is of this length at least, for what a sample costs; and at most, as the kernel's
/// milliseconds wrap.
const SHORTEST: Nanos = 100 * MILLISECOND;
const LONGEST: Nanos = 60 * SECOND;

impl Options {
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
