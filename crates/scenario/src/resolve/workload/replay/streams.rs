//! A share of the streams of a trace: which ones, and what share of the load they are.

use std::collections::HashMap;

use blockyard_model::storage::Op;
use blockyard_model::units::Bytes;
use blockyard_text::grouped;
use blockyard_trace::Row;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::schema::ReplayLoop;
use crate::units::Percent;

/// Where neither threads nor ends are asked for, IOs within so many bytes are a stream: enough that
/// few sequential runs are cut.
const REGION: Bytes = 64 << 20;

/// The share of its streams that a job replays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReplayedStreams {
    /// What one is.
    pub are: StreamKind,
    /// How many are replayed.
    pub replayed: u64,
    /// How many were recorded.
    pub recorded: u64,
    /// Recorded IOs of all.
    pub recorded_ios: u64,
}

/// A stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StreamKind {
    /// A recorded thread.
    Thread,
    /// An inferred chain.
    Chain,
    /// 64 MiB of the device.
    Region,
}

impl StreamKind {
    /// Of a job that replays as `pace` has it, with or without recorded threads.
    pub(super) fn of(pace: ReplayLoop, threads: bool) -> Self {
        match pace {
            ReplayLoop::Threads | ReplayLoop::Commits => Self::Thread,
            ReplayLoop::Chains => Self::Chain,
            ReplayLoop::Open if threads => Self::Thread,
            ReplayLoop::Open => Self::Region,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Thread => "threads",
            Self::Chain => "inferred chains",
            Self::Region => "regions of 64 MiB",
        }
    }
}

/// Which stream it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Stream {
    Thread(Option<(u32, u32)>),
    Chain(u32),
    Region(u64),
}

/// The streams of a trace so far, and which of them are replayed.
#[derive(Clone, Debug)]
pub(super) struct Streams {
    share: Percent,
    pub(super) are: StreamKind,
    /// The IOs of each so far.
    ios: HashMap<Stream, u64>,
    /// Those that are replayed, and as which one: they are numbered as they begin.
    chosen: HashMap<Stream, Option<u32>>,
    begun: u32,
    /// A region's write that no flush followed yet is replayed.
    written: bool,
    all: Load,
    replayed: Load,
}

/// IOs by operation, and bytes.
#[derive(Clone, Copy, Debug, Default)]
struct Load {
    reads: u64,
    writes: u64,
    flushes: u64,
    trims: u64,
    bytes: Bytes,
}

impl Streams {
    /// Of a job that replays this share of its streams.
    pub(super) fn new(share: Percent, are: StreamKind) -> Self {
        Self {
            share,
            are,
            ios: HashMap::new(),
            chosen: HashMap::new(),
            begun: 0,
            written: false,
            all: Load::default(),
            replayed: Load::default(),
        }
    }

    /// Chooses the streams that `counted` asks for, if its streams are of the same kind.
    pub(super) fn choose_as(&mut self, counted: &Self) {
        if counted.are == self.are {
            let chosen = counted.choice().into_iter();
            self.chosen = chosen.map(|stream| (stream, None)).collect();
        }
    }

    /// Whether what was replayed is what all that was seen asks for.
    pub(super) fn agrees(&self) -> bool {
        let choice = self.choice();
        choice.len() == self.chosen.len()
            && choice.iter().all(|stream| self.chosen.contains_key(stream))
    }

    /// Takes an IO, of `chain` if chains are inferred: the number of its stream among those that
    /// are replayed; none if it is left out.
    pub(super) fn take(&mut self, row: &Row, chain: u32) -> Option<u32> {
        self.all.add(row);
        let stream = match self.are {
            StreamKind::Thread => Stream::Thread(row.by),
            StreamKind::Chain => Stream::Chain(chain),
            StreamKind::Region if row.op == Op::Flush => {
                // It has no place: it is for the writes before it.
                let taken = std::mem::take(&mut self.written).then_some(0);
                taken.inspect(|_| self.replayed.add(row));
                return taken;
            }
            StreamKind::Region => Stream::Region(row.offset / REGION),
        };
        *self.ios.entry(stream).or_default() += 1;
        let number = self.chosen.get_mut(&stream)?;
        let number = *number.get_or_insert_with(|| {
            self.begun += 1;
            self.begun - 1
        });
        self.replayed.add(row);
        self.written |= row.op == Op::Write;
        Some(number)
    }

    /// The streams to replay of those that were seen, by IOs and then by name.
    fn choice(&self) -> Vec<Stream> {
        let mut ranked: Vec<_> = self.ios.iter().collect();
        ranked.sort_by(|one, other| other.1.cmp(one.1).then(one.0.cmp(other.0)));
        let ranks = ranks(ranked.len(), self.share);
        ranks.into_iter().map(|rank| *ranked[rank].0).collect()
    }

    /// What was replayed of what was recorded.
    pub(super) fn result(&self) -> ReplayedStreams {
        ReplayedStreams {
            are: self.are,
            replayed: self.chosen.len() as u64,
            recorded: self.ios.len() as u64,
            recorded_ios: self.all.ios(),
        }
    }

    /// The same in words.
    pub(super) fn notice(&self) -> String {
        let (all, own) = (&self.all, &self.replayed);
        let each = [
            ("reads", own.reads, all.reads),
            ("writes", own.writes, all.writes),
            ("flushes", own.flushes, all.flushes),
            ("trims", own.trims, all.trims),
            ("bytes", own.bytes, all.bytes),
        ];
        let each = each.into_iter().filter(|(.., all)| *all > 0);
        let each: Vec<_> = each
            .map(|(name, own, all)| format!("{} of {name}", percent(own, all)))
            .collect();
        format!(
            "replays {} of {} {}, chosen evenly by their number of IOs: {} of {} IOs ({})",
            grouped(self.chosen.len() as u64),
            grouped(self.ios.len() as u64),
            self.are.name(),
            percent(own.ios(), all.ios()),
            grouped(all.ios()),
            each.join(", ")
        )
    }
}

impl Load {
    fn add(&mut self, row: &Row) {
        let count = match row.op {
            Op::Read => &mut self.reads,
            Op::Flush => &mut self.flushes,
            Op::Trim => &mut self.trims,
            Op::Write | Op::Zero | Op::Journal => &mut self.writes,
        };
        *count += 1;
        if row.op != Op::Trim {
            self.bytes = self.bytes.saturating_add(row.bytes);
        }
    }

    fn ios(&self) -> u64 {
        self.reads + self.writes + self.flushes + self.trims
    }
}

/// The ranks of a share of `all` streams, at least one of them, by systematic sampling: as many
/// groups of neighbours as there are streams to choose, and the middle one of each. Of two in the
/// middle it is the first and the second by turns, so that neither heavy nor light streams are
/// preferred. Beyond half of them, those that are left out are chosen so.
fn ranks(all: usize, share: Percent) -> Vec<usize> {
    let rounded = (all as u128 * u128::from(share.permille()) + 500) / 1000;
    let count = (rounded as usize).clamp(all.min(1), all);
    if count * 2 <= all {
        return middles(all, count);
    }
    let left_out = middles(all, all - count);
    let mut left_out = left_out.into_iter().peekable();
    let kept = (0..all).filter(|rank| left_out.next_if_eq(rank).is_none());
    kept.collect()
}

/// One rank of each of `count` groups, in their order.
fn middles(all: usize, count: usize) -> Vec<usize> {
    let group = |nth: usize| {
        let (begin, end) = (all * nth / count, all * (nth + 1) / count);
        begin + (end - begin - 1 + nth % 2) / 2
    };
    (0..count).map(group).collect()
}

/// To one decimal.
fn percent(part: u64, all: u64) -> String {
    let permille = (u128::from(part) * 1000 + u128::from(all) / 2) / u128::from(all.max(1));
    Percent::new(permille as u64).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(all: usize, share: &str) -> Vec<usize> {
        ranks(all, share.parse().unwrap())
    }

    #[test]
    fn heavy_and_light_streams_are_chosen_by_turns() {
        assert_eq!(of(8, "50%"), [0, 3, 4, 7]);
        assert_eq!(of(8, "25%"), [1, 6]);
        assert_eq!(of(8, "75%"), [0, 2, 3, 4, 5, 7]);
        assert_eq!(of(9, "33.3%"), [1, 4, 7]);
        assert_eq!(of(8, "100%"), [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(of(5, "0.1%"), [2]);
        assert_eq!(of(0, "50%"), [0; 0]);
    }

    /// Of streams whose IOs fall evenly, a share of them has that share of the IOs.
    #[test]
    fn the_share_of_ios_is_near_that_of_streams() {
        let ios = |rank: usize| 1000 - rank as u64;
        let all: u64 = (0..1000).map(ios).sum();
        for permille in 1..=1000 {
            let share = Percent::new(permille);
            let chosen = ranks(1000, share);
            assert_eq!(chosen.len() as u64, permille);
            assert!(chosen.is_sorted_by(|one, other| one < other));
            let own: u64 = chosen.into_iter().map(ios).sum();
            let off = (own * 1000).abs_diff(all * permille);
            assert!(off <= all, "{permille}: {own} of {all}");
        }
    }

    /// A flush has no place: it comes where a write that it makes durable does.
    #[test]
    fn flushes_follow_the_writes_of_chosen_regions() {
        let mut streams = Streams::new(Percent::new(500), StreamKind::Region);
        streams.chosen.insert(Stream::Region(1), None);
        let mut taken = |op: Op, region: u64| {
            let (time, bytes) = (Some(0), if op == Op::Flush { 0 } else { 512 });
            let row = Row {
                arrival: time,
                issue: time,
                completion: None,
                op,
                offset: region * REGION,
                bytes,
                device: 0,
                by: None,
                failed: false,
            };
            streams.take(&row, 0).is_some()
        };
        assert!(!taken(Op::Write, 0) && !taken(Op::Flush, 0));
        assert!(taken(Op::Write, 1) && !taken(Op::Write, 2) && taken(Op::Flush, 0));
        assert!(taken(Op::Read, 1) && !taken(Op::Flush, 0));
    }
}
