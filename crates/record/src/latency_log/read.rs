//! Reading an interval log, ours or another tool's.

use std::fmt;
use std::io::{self, BufRead, Read};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use blockyard_scenario::shorten;

use super::decode::decode;
use crate::histogram::{Histogram, Packed};
use crate::latencies::Latencies;

/// The longest line; a histogram of five digits over the whole range of
/// latencies stays below.
const LINE: u64 = 16 << 20;
/// What all histograms of a log may take in memory.
const MEMORY: usize = 1 << 30;
/// Times beyond a year are dates, not times since a start.
const YEAR: f64 = 365.0 * 86_400.0;

/// Why a log could not be read.
#[derive(Debug)]
pub enum LogError {
    /// The file could not be read.
    Io(io::Error),
    /// It is not what it should be.
    Line {
        /// The line, from 1.
        number: usize,
        /// What is wrong with it, and what was expected.
        message: String,
    },
}

impl fmt::Display for LogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::Line { number, message } => write!(f, "{number}: {message}"),
        }
    }
}

impl std::error::Error for LogError {}

impl From<io::Error> for LogError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Reads an interval log of latencies in nanoseconds, with or without tags.
///
/// Other tools' times may be dates: they are counted from the log's start time
/// or, where none is stated, from its first interval.
///
/// # Errors
/// If `input` cannot be read, at the first line that is not as the format has
/// it, and if the histograms together take more than 1 GiB.
pub fn read_log(mut input: impl BufRead) -> Result<Latencies, LogError> {
    let mut log = Log::default();
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        (&mut input).take(LINE).read_until(b'\n', &mut line)?;
        if line.is_empty() {
            break;
        }
        let is_whole = line.ends_with(b"\n");
        log.line(&line).map_err(|mut message| {
            if !is_whole {
                message += " (the log ends within this line)";
            }
            LogError::Line { number, message }
        })?;
    }
    Ok(log.latencies)
}

#[derive(Default)]
struct Log {
    latencies: Latencies,
    memory: usize,
    scratch: Histogram,
    /// Dates in seconds, as comments state them: the start, and what all times
    /// are relative to.
    start: Option<f64>,
    base: f64,
}

impl Log {
    fn line(&mut self, line: &[u8]) -> Result<(), String> {
        let line = std::str::from_utf8(line).map_err(|_| "bytes that are not text".to_owned())?;
        let line = line.trim();
        if let Some(comment) = line.strip_prefix('#') {
            self.comment(comment);
            return Ok(());
        }
        // The column names, which some writers quote.
        if line.is_empty() || line.starts_with('"') || line.starts_with("StartTimestamp") {
            return Ok(());
        }
        self.interval(line)
    }

    fn comment(&mut self, comment: &str) {
        let date = |name| {
            let rest = comment.trim_start().strip_prefix(name)?;
            let number = rest.split_whitespace().next()?.parse().ok();
            number.filter(|date: &f64| date.is_finite())
        };
        if let Some(start) = date("[StartTime:") {
            self.start = Some(start);
        }
        if let Some(base) = date("[BaseTime:") {
            self.base = base;
        }
    }

    fn interval(&mut self, line: &str) -> Result<(), String> {
        let (tag, rest) = match line.strip_prefix("Tag=") {
            Some(rest) => rest.split_once(',').ok_or_else(|| unlike(line))?,
            None => ("", line),
        };
        let mut fields = rest.splitn(4, ',');
        let mut field = || fields.next().ok_or_else(|| unlike(line));
        let (start, length, max, encoded) = (field()?, field()?, field()?, field()?);
        let start = self.since_start(number(start)?);
        let length = (number(length)? * 1e9) as u64;
        // For people; the histogram has it too.
        number(max)?;
        let bytes = STANDARD
            .decode(encoded)
            .map_err(|error| format!("a histogram that is not base64: {error}"))?;
        self.scratch.clear();
        decode(&bytes, &mut self.scratch)?;
        let latencies = Packed::from(&self.scratch);
        self.memory += latencies.size() + tag.len();
        if self.memory > MEMORY {
            return Err("more histograms than fit into 1 GiB of memory".to_owned());
        }
        self.latencies.push(tag, (start, length), latencies);
        Ok(())
    }

    /// Nanoseconds from the start of the log, to a millisecond as the format has
    /// them: a date with all its digits is no better.
    fn since_start(&mut self, time: f64) -> u64 {
        let date = time + self.base;
        let seconds = if date < YEAR {
            date
        } else {
            date - *self.start.get_or_insert(date)
        };
        ((seconds * 1e3).round() as u64).saturating_mul(1_000_000)
    }
}

fn number(text: &str) -> Result<f64, String> {
    let number = text.parse().ok();
    number
        .filter(|number: &f64| number.is_finite() && *number >= 0.0)
        .ok_or_else(|| format!("`{}` is not a number from 0 up", shorten(text)))
}

fn unlike(line: &str) -> String {
    format!(
        "`{}` is not an interval of an HdrHistogram log; expected \
         [Tag=NAME,]START,LENGTH,MAX,HISTOGRAM",
        shorten(line)
    )
}
