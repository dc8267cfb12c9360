//! What a trace is imported as: how long it is, and which rows its intervals have.

use std::fmt::Write;
use std::fs;
use std::sync::atomic::{AtomicU64, Ordering};

use proptest::prelude::*;

use super::*;
use crate::SoFar;

/// A trace of one IO a gap, that takes so long.
#[derive(Clone, Debug)]
struct Made {
    ios: u64,
    gap: Nanos,
    takes: Nanos,
    /// The first IO of the second device.
    second_from: u64,
}

#[derive(Default)]
struct Seen(Vec<Interval>);

impl Observer for Seen {
    fn interval(&mut self, _names: &Arc<RowNames>, interval: Interval, _so_far: &[SoFar]) {
        self.0.push(interval);
    }

    fn warn(&mut self, _message: &str) {}

    fn stopped(&mut self) -> bool {
        false
    }
}

fn own(made: &Made) -> String {
    let mut text = "issued_ns,due_ns,job,slot,device,op,offset,bytes,completed_ns\n".to_owned();
    for nth in 0..made.ios {
        let at = 5_000_000_000 + nth * made.gap;
        let device = match nth >= made.second_from && nth % 2 == 1 {
            true => "late",
            false => "early",
        };
        let (place, end) = (nth * 4096, at + made.takes);
        writeln!(text, "{at},{at},db,{nth},{device},read,{place},4096,{end}").unwrap();
    }
    text
}

/// The result, and the intervals, of the trace that a text is.
fn imported(text: &str, interval: Nanos) -> (RunResult, Vec<Interval>) {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let folder = format!("import-{}-{number}", std::process::id());
    let folder = std::env::temp_dir().join(folder);
    fs::create_dir(&folder).unwrap();
    let trace = folder.join("trace.csv");
    fs::write(&trace, text).unwrap();
    let options = Import {
        trace,
        called: "trace.csv".into(),
        format: None,
        device: Vec::new(),
        interval: Duration::new(interval),
        name: "trace".into(),
        latency_log: folder.join("latencies.hlog"),
        io_log: folder.join("ios.csv"),
    };
    let mut seen = Seen::default();
    let result = import(&options, &mut seen);
    fs::remove_dir_all(&folder).unwrap();
    (result.unwrap(), seen.0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// The last interval is as short as what the trace covers of it, and a device is there from the
    /// beginning on, whenever its first IO comes.
    #[test]
    fn rates_are_those_of_the_time_that_is_covered(
        (ios, gap, takes) in (2_u64..200, 1_u64..400, 0_u64..200),
        late in 0_u64..150,
        tenths in 1_u64..8,
    ) {
        let gap = gap * 1_000_000;
        let (takes, interval) = (takes * 1_000_000, tenths * 100_000_000);
        let made = Made { ios, gap, takes, second_from: late };
        let (result, intervals) = imported(&own(&made), interval);
        let covered = ((ios - 1) * gap + takes).max(interval);
        let seconds = covered as f64 / 1e9;
        prop_assert_eq!(result.duration_s, seconds);
        prop_assert_eq!(intervals.len() as u64, covered.div_ceil(interval));
        prop_assert_eq!(intervals.last().map(|it| it.done_s), Some(seconds));
        for total in &result.totals {
            prop_assert_eq!(total.iops, total.ios as f64 / seconds);
        }
        let series = result.totals.len();
        for (nth, interval) in intervals.iter().enumerate() {
            prop_assert_eq!(interval.rows.len(), series, "interval {}", nth);
        }
        let counted: u64 = intervals.iter().flat_map(|it| &it.rows).map(|row| row.ios).sum();
        prop_assert_eq!(counted, ios);
    }
}

#[test]
fn what_is_shorter_than_an_interval_lasts_one_and_says_so() {
    let made = Made {
        ios: 101,
        gap: 1_000_000,
        takes: 0,
        second_from: 101,
    };
    let (result, intervals) = imported(&own(&made), SECOND);
    assert_eq!((result.duration_s, intervals.len()), (1.0, 1));
    let said = "it lasts 0.100000 s, less than an interval: rates are those of 1s; a shorter \
                --interval gives its own";
    assert!(
        result.notices.iter().any(|notice| notice == said),
        "{:?}",
        result.notices
    );
    let (result, _) = imported(&own(&made), SECOND / 10);
    assert!(
        result
            .notices
            .iter()
            .all(|notice| !notice.starts_with("it lasts"))
    );
}

/// The format has whole seconds: the last one lasts until the next.
#[test]
fn a_second_of_a_trace_of_seconds_is_whole() {
    let text: String = (0..10)
        .map(|at| format!("{},8,8,0,1\n", 1_538_323_200 + at))
        .collect();
    let (result, intervals) = imported(&text, SECOND);
    assert_eq!((result.duration_s, intervals.len()), (10.0, 10));
    assert!(
        intervals
            .iter()
            .all(|it| it.rows.iter().all(|row| row.ios == 1))
    );
}
