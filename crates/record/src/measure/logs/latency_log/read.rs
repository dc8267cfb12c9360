//! Reading an interval log, ours or another tool's.

use std::fmt;
use std::io::{self, BufRead, Read};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use blockyard_scenario::shorten;
use hdrhistogram::serialization::interval_log::{
    IntervalLogHistogram, IntervalLogIterator, LogEntry,
};

use super::decode::decode;
use super::latencies::Latencies;
use crate::measure::histogram::{Histogram, Packed};

/// The longest line; a histogram of five digits over the whole range of
/// latencies stays below.
const LINE: u64 = 16 << 20;
/// The most memory for all histograms of a log.
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
        if !is_whole {
            line.push(b'\n');
        }
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
    /// A line with its end.
    fn line(&mut self, line: &[u8]) -> Result<(), String> {
        let text = std::str::from_utf8(line).map_err(|_| "bytes that are not text".to_owned())?;
        // The column names, which not all writers quote.
        if text.trim().is_empty() || text.starts_with("StartTimestamp") {
            return Ok(());
        }
        match IntervalLogIterator::new(line).next() {
            Some(Ok(LogEntry::StartTime(start))) => self.start = Some(start.as_secs_f64()),
            Some(Ok(LogEntry::BaseTime(base))) => self.base = base.as_secs_f64(),
            Some(Ok(LogEntry::Interval(interval))) => self.interval(&interval)?,
            Some(Err(_)) => return Err(unlike(text)),
            // A comment.
            None => {}
        }
        Ok(())
    }

    fn interval(&mut self, interval: &IntervalLogHistogram<'_>) -> Result<(), String> {
        let tag = interval.tag().map_or("", |tag| tag.as_str());
        let start = self.since_start(interval.start_timestamp().as_secs_f64());
        let length = u64::try_from(interval.duration().as_nanos()).unwrap_or(u64::MAX);
        let bytes = STANDARD
            .decode(interval.encoded_histogram())
            .map_err(|error| format!("a histogram that is not base64: {error}"))?;
        self.scratch.clear();
        decode(&bytes, &mut self.scratch)?;
        let latencies = Packed::from(&self.scratch);
        self.memory += latencies.size() + tag.len();
        if self.memory > MEMORY {
            return Err("more histograms than fit into 1 GiB of memory".to_owned());
        }
        self.latencies.push(tag, start, length, latencies);
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

fn unlike(line: &str) -> String {
    format!(
        "`{}` is not an interval of an HdrHistogram log; expected \
         [Tag=NAME,]START,LENGTH,MAX,HISTOGRAM",
        shorten(line.trim_end())
    )
}
