//! `latency.hlog`: the latencies of every interval in the interchange format
//! of HdrHistogram, which its tools and its ports to other languages read.

use std::io::{self, Write};
use std::time::{Duration, SystemTime};

use hdrhistogram::serialization::V2DeflateSerializer;
use hdrhistogram::serialization::interval_log::{
    IntervalLogWriterBuilder, IntervalLogWriterError, Tag,
};

use crate::histogram::Histogram;

/// Writes an interval log, in nanoseconds, with three significant digits.
pub struct LatencyLog {
    out: Box<dyn Write + Send>,
    serializer: V2DeflateSerializer,
    scratch: hdrhistogram::Histogram<u64>,
}

impl LatencyLog {
    /// Starts a log on `out`. Times in it count from the start of the run.
    ///
    /// # Errors
    /// If `out` cannot be written.
    pub fn new(mut out: Box<dyn Write + Send>) -> io::Result<Self> {
        let mut serializer = V2DeflateSerializer::new();
        IntervalLogWriterBuilder::new()
            .add_comment("[Histogram log format version 1.3]")
            .add_comment("latency in nanoseconds; tag JOB.DEVICE.OP")
            .with_base_time(SystemTime::UNIX_EPOCH)
            .begin_log_with(&mut out, &mut serializer)?;
        let scratch = hdrhistogram::Histogram::new(3).map_err(io::Error::other)?;
        Ok(Self {
            out,
            serializer,
            scratch,
        })
    }

    /// Adds the interval from `start` of length `length`; nothing if it is empty.
    ///
    /// # Errors
    /// If the log cannot be written.
    pub fn write(
        &mut self,
        tag: &str,
        start: Duration,
        length: Duration,
        latencies: &Histogram,
    ) -> io::Result<()> {
        if latencies.count() == 0 {
            return Ok(());
        }
        self.scratch.reset();
        for (value, count) in latencies.buckets() {
            self.scratch
                .record_n(value.max(1), count)
                .map_err(io::Error::other)?;
        }
        IntervalLogWriterBuilder::new()
            .begin_log_with(&mut self.out, &mut self.serializer)?
            .write_histogram(&self.scratch, start, length, Tag::new(tag))
            .map_err(|error| match error {
                IntervalLogWriterError::IoError(error) => error,
                IntervalLogWriterError::SerializeError(error) => io::Error::other(error),
            })
    }

    /// Writes out what is buffered.
    ///
    /// # Errors
    /// If the log cannot be written.
    pub fn finish(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl std::fmt::Debug for LatencyLog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LatencyLog").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use hdrhistogram::serialization::Deserializer;
    use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};

    use super::*;

    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn the_reference_reader_reads_it_back() {
        let out = Shared::default();
        let mut log = LatencyLog::new(Box::new(out.clone())).unwrap();
        let mut latencies = Histogram::default();
        (0..1000).for_each(|i| latencies.record(500_000 + i * 1000));
        let second = Duration::from_secs(1);
        log.write("readers.data.read", 3 * second, second, &latencies)
            .unwrap();
        log.write(
            "readers.data.read",
            4 * second,
            second,
            &Histogram::default(),
        )
        .unwrap();
        log.finish().unwrap();

        let text = out.0.lock().unwrap().clone();
        let histograms: Vec<_> = IntervalLogIterator::new(&text)
            .filter_map(|entry| match entry.unwrap() {
                LogEntry::Interval(interval) => Some(interval),
                _ => None,
            })
            .collect();
        assert_eq!(histograms.len(), 1, "an empty interval has no line");
        assert_eq!(histograms[0].tag().unwrap().as_str(), "readers.data.read");
        assert_eq!(histograms[0].start_timestamp(), 3 * second);
        let bytes = base64(histograms[0].encoded_histogram());
        let read: hdrhistogram::Histogram<u64> = Deserializer::new()
            .deserialize(&mut bytes.as_slice())
            .unwrap();
        assert_eq!(read.len(), 1000);
        let median = read.value_at_quantile(0.5);
        assert!(median.abs_diff(1_000_000) < 2000, "{median}");
    }

    fn base64(text: &str) -> Vec<u8> {
        const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let mut bits = 0_u32;
        let mut bytes = Vec::new();
        for (index, letter) in text.trim_end_matches('=').bytes().enumerate() {
            let digit = ALPHABET.iter().position(|&a| a == letter).unwrap();
            bits = bits << 6 | digit as u32;
            if index % 4 != 0 {
                bytes.push((bits >> (6 - index % 4 * 2)) as u8);
            }
        }
        bytes
    }
}
