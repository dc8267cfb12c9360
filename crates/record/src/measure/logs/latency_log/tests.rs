//! Logs of our own and of other tools, whole and damaged.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};
use hdrhistogram::serialization::{Deserializer, Serializer, V2DeflateSerializer, V2Serializer};
use proptest::prelude::*;

use super::*;
use crate::measure::histogram::{Histogram, Packed};

const SECOND: Duration = Duration::from_secs(1);

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

/// A log of seconds, each with its tag and latencies.
fn written(seconds: &[(&str, Histogram)]) -> Vec<u8> {
    let out = Shared::default();
    let mut log = LatencyLog::new(Box::new(out.clone())).unwrap();
    for (second, (tag, latencies)) in (0..).zip(seconds) {
        log.write(tag, second * SECOND, SECOND, latencies);
    }
    log.finish().unwrap();
    out.0.lock().unwrap().clone()
}

fn histogram(values: impl IntoIterator<Item = u64>) -> Histogram {
    let mut histogram = Histogram::default();
    values.into_iter().for_each(|value| histogram.record(value));
    histogram
}

fn all(log: &Latencies) -> Packed {
    let tags: Vec<_> = log.tags().map(str::to_owned).collect();
    log.merged(&tags, 0, u64::MAX)
}

#[test]
fn the_reference_reader_reads_ours() {
    let latencies = histogram((0..1000).map(|i| 500_000 + i * 1000));
    let name = "readers.data.read";
    let log = written(&[(name, Histogram::default()), (name, latencies)]);
    let histograms: Vec<_> = IntervalLogIterator::new(&log)
        .filter_map(|entry| match entry.unwrap() {
            LogEntry::Interval(interval) => Some(interval),
            _ => None,
        })
        .collect();
    assert_eq!(histograms.len(), 1, "an empty interval has no line");
    assert_eq!(histograms[0].tag().unwrap().as_str(), name);
    assert_eq!(histograms[0].start_timestamp(), SECOND);
    let bytes = STANDARD.decode(histograms[0].encoded_histogram()).unwrap();
    let read: hdrhistogram::Histogram<u64> = Deserializer::new()
        .deserialize(&mut bytes.as_slice())
        .unwrap();
    assert_eq!(read.len(), 1000);
    let median = read.value_at_quantile(0.5);
    assert!(median.abs_diff(1_000_000) < 2000, "{median}");
}

proptest! {
    #[test]
    fn we_read_back_every_bucket(
        seconds in prop::collection::vec(
            (0_usize..2, prop::collection::vec(1_u64..1 << 45, 1..50)), 1..10),
    ) {
        let tags = ["readers.data.read", "writers.journal.flush"];
        let seconds: Vec<_> = seconds.iter()
            .map(|(tag, values)| (tags[*tag], histogram(values.iter().copied())))
            .collect();
        let log = read_log(written(&seconds).as_slice()).unwrap();
        for (second, (tag, expected)) in (0..).zip(&seconds) {
            let [from, to] = [second, second + 1].map(|t| t * 1_000_000_000);
            let read = log.merged(&[tag.to_string()], from, to);
            prop_assert!(read.buckets().eq(expected.buckets()));
            prop_assert!((read.mean() / expected.mean() - 1.0).abs() <= 0.001);
            prop_assert!(read.max().abs_diff(expected.max()) as f64 <= expected.max() as f64 * 0.001);
        }
    }

    /// Values as the reference implementation has them, at any precision.
    #[test]
    fn other_tools_histograms_are_read(
        values in prop::collection::vec(1_u64..1 << 40, 1..50),
        (digits, lowest, deflated) in (0_u8..=5, 0_u32..20, any::<bool>()),
    ) {
        let mut theirs = hdrhistogram::Histogram::<u64>::new_with_bounds(1 << lowest, 1 << 45, digits).unwrap();
        values.iter().for_each(|value| theirs.record(*value).unwrap());
        let mut bytes = Vec::new();
        if deflated {
            V2DeflateSerializer::new().serialize(&theirs, &mut bytes).unwrap();
        } else {
            V2Serializer::new().serialize(&theirs, &mut bytes).unwrap();
        }
        let line = format!("0.5,1.0,1.0,{}", STANDARD.encode(bytes));
        let ours = all(&read_log(line.as_bytes()).unwrap());
        let expected = histogram(theirs.iter_recorded().flat_map(|bucket| {
            let value = theirs.median_equivalent(bucket.value_iterated_to());
            (0..bucket.count_since_last_iteration()).map(move |_| value)
        }));
        prop_assert_eq!(ours, Packed::from(&expected));
    }

    #[test]
    fn damage_is_an_error_or_a_shorter_log(
        at in 0.0..1.0, with in prop::option::of(any::<u8>()),
    ) {
        let mut log = written(&[("a.b.read", histogram(1..2000)), ("a.b.read", histogram([7, 1 << 40]))]);
        let at = (at * log.len() as f64) as usize;
        match with {
            Some(byte) => log[at] = byte,
            None => log.truncate(at),
        }
        let _ = read_log(log.as_slice());
    }
}

#[test]
fn dates_count_from_the_start() {
    let line = |time: &str| {
        let log = String::from_utf8(written(&[("", histogram([5]))])).unwrap();
        let interval = log.lines().last().unwrap();
        let encoded = interval.rsplit(',').next().unwrap();
        format!("{time},1.000,5.0,{encoded}\n")
    };
    let start =
        "#[StartTime: 1441812279.474 (seconds since epoch), Wed Sep 09 08:24:39 PDT 2015]\n";
    let base = "#[BaseTime: 1441812279.474 (seconds since epoch)]\n";
    let columns = "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n";
    let cases = [
        (format!("{columns}{}", line("3.000")), 3),
        (format!("{start}{columns}{}", line("1441812282.474")), 3),
        (format!("{start}{base}\n{}", line("3.000")), 3),
        (format!("{start}{}", line("3.000")), 3),
        (
            format!("{}{}", line("1441812281.000"), line("1441812284.000")),
            3,
        ),
    ];
    for (text, second) in cases {
        let log = read_log(text.as_bytes()).unwrap();
        let bins = log.over_time(&[String::new()], 1_000_000_000);
        let (last, _) = bins.last().unwrap();
        assert_eq!(*last, second * 1_000_000_000, "{text}");
    }
}

#[test]
fn what_is_no_log_is_refused_with_its_line() {
    let whole = String::from_utf8(written(&[("a.b.read", histogram(1..2000))])).unwrap();
    let head = whole.find("Tag=").unwrap();
    let with = |encoded: &[u8]| format!("\nTag=a,0.0,1.0,5.0,{}\n", STANDARD.encode(encoded));
    let plain = |digits: u32, lowest: u64, counts: &[u8]| {
        let mut bytes = 0x1c84_9313_u32.to_be_bytes().to_vec();
        bytes.extend((counts.len() as u32).to_be_bytes());
        bytes.extend(0_u32.to_be_bytes());
        bytes.extend(digits.to_be_bytes());
        bytes.extend(lowest.to_be_bytes());
        bytes.extend(u64::MAX.to_be_bytes());
        bytes.extend(1.0_f64.to_be_bytes());
        bytes.extend(counts);
        with(&bytes)
    };
    let cases = [
        (
            "hello\n".to_owned(),
            "1: `hello` is not an interval of an HdrHistogram log; expected [Tag=NAME,]START,LENGTH,MAX,HISTOGRAM",
        ),
        (
            "\n\n1,2,3\n".to_owned(),
            "3: `1,2,3` is not an interval of an HdrHistogram log; expected [Tag=NAME,]START,LENGTH,MAX,HISTOGRAM",
        ),
        (
            "Tag=a,noon,1.0,5.0,HIST\n".to_owned(),
            "1: `Tag=a,noon,1.0,5.0,HIST` is not an interval of an HdrHistogram log; expected [Tag=NAME,]START,LENGTH,MAX,HISTOGRAM",
        ),
        (
            "0.0,-1.0,5.0,HIST\n".to_owned(),
            "1: `0.0,-1.0,5.0,HIST` is not an interval of an HdrHistogram log; expected [Tag=NAME,]START,LENGTH,MAX,HISTOGRAM",
        ),
        (
            "0.0,1.0,5.0,H!\n".to_owned(),
            "1: a histogram that is not base64: Invalid symbol 33, offset 1.",
        ),
        (
            with(b"abcdefgh"),
            "2: a histogram that begins with 61626364; expected HdrHistogram's encoding of version 2",
        ),
        (with(b""), "2: a histogram that is cut off"),
        (
            plain(9, 1, &[]),
            "2: a histogram that cannot be read: The serialized parameters were invalid",
        ),
        (
            plain(3, 0, &[]),
            "2: a histogram that cannot be read: The serialized parameters were invalid",
        ),
        (plain(3, 1, &[0xff; 8]), "2: a histogram that is cut off"),
        (
            plain(3, 1, &[0xff, 0xff, 0xff, 0x7f, 2]),
            "2: a histogram that cannot be read: The encoded array is longer",
        ),
        (
            plain(3, 1, &[0xff; 9]),
            "2: a histogram of endless empty buckets",
        ),
        (
            // 55,296 empty buckets, and then one from 2^63 up.
            plain(3, 1, &[0xff, 0xdf, 0x06, 2]),
            "2: a histogram with a value beyond 63 bits",
        ),
        (
            plain(3, 1, &[0xfe; 9]),
            "2: a histogram of more than 1099511627776 values",
        ),
        (whole[..head + 20].to_owned(), "4: "),
    ];
    for (text, message) in cases {
        let error = read_log(text.as_bytes()).unwrap_err().to_string();
        assert!(error.starts_with(message), "{text}: {error}");
    }
    let cut = read_log(&whole.as_bytes()[..whole.len() - 20]).unwrap_err();
    assert!(
        cut.to_string().ends_with("(the log ends within this line)"),
        "{cut}"
    );
    let bytes = read_log(&[0xff, 0xfe][..]).unwrap_err();
    assert!(bytes.to_string().starts_with("1: bytes that are not text"));
}

#[test]
fn what_inflates_without_end_is_refused() {
    let mut deflated = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    deflated.write_all(&vec![0; 20 << 20]).unwrap();
    let mut bytes = 0x1c84_9314_u32.to_be_bytes().to_vec();
    bytes.extend([0; 4]);
    bytes.extend(deflated.finish().unwrap());
    let line = format!("0.0,1.0,5.0,{}", STANDARD.encode(bytes));
    let error = read_log(line.as_bytes()).unwrap_err().to_string();
    assert!(
        error.starts_with("1: a histogram of 8388608 bytes or more"),
        "{error}"
    );
}

/// What a fuzzer made of real logs has to be survived.
fn replay(target: &str, read: fn(Vec<u8>)) {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    let mut count = 0;
    for entry in fs::read_dir(corpus.join(target)).unwrap() {
        read(fs::read(entry.unwrap().path()).unwrap());
        count += 1;
    }
    assert!(count > 0, "{target} has no corpus");
}

#[test]
fn logs_are_survived() {
    replay("latency_log", |bytes| {
        let _ = read_log(bytes.as_slice());
    });
}

#[test]
fn histograms_are_survived() {
    replay("histogram", |bytes| {
        let line = format!("0.0,1.0,0.0,{}", STANDARD.encode(bytes));
        let _ = read_log(line.as_bytes());
    });
}
