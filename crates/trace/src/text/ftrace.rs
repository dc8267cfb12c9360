//! The kernel's trace as text: of tracefs, trace-cmd and `perf script`.
//!
//! ```text
//! mysqld-59 [001] ..... 15.148827: block_rq_issue: 254,0 WS 8192 () 1853 + 16 be,0,4 [mysqld]
//! mysqld    59 [001]    15.148827: block:block_rq_issue: 254,0 WS 8192 () 1853 + 16 [mysqld]
//! ```

use std::collections::BTreeMap;

use blockyard_model::units::{Nanos, SECOND};

use super::blkparse::device;
use crate::block::{Event, Events, Kind, Name, Task, What};
use crate::found::{Found, Lost};
use crate::text::Parse;
use crate::text::cells::{Wrong, decimal, time, unexpected, whole, words};

/// Its lines.
#[derive(Default)]
pub(crate) struct Ftrace {
    events: Events,
    /// By processor: when its last event was, and how many were lost since, if any were.
    processors: BTreeMap<u64, (Nanos, Option<u64>)>,
}

/// Whether a line is one of a block event's.
pub(crate) fn is_event(line: &[u8]) -> bool {
    split(line).is_some_and(|line| line.event.starts_with(b"block"))
}

/// The parts of a line.
struct Parts<'a> {
    thread: &'a [u8],
    processor: u64,
    time: &'a [u8],
    event: &'a [u8],
}

/// The parts of a line: names of threads may hold anything, so all counts from the brackets of the
/// processor on.
fn split(line: &[u8]) -> Option<Parts<'_>> {
    let mut from = 0;
    let (begin, end, processor) = loop {
        let begin = from + line[from..].iter().position(|byte| *byte == b'[')?;
        let end = begin + line[begin..].iter().position(|byte| *byte == b']')?;
        if let Some(processor) = whole(&line[begin + 1..end]) {
            break (begin, end, processor);
        }
        from = begin + 1;
    };
    let mut rest = line[end + 1..].trim_ascii_start();
    loop {
        let blank = rest.iter().position(u8::is_ascii_whitespace)?;
        let (word, after) = rest.split_at(blank);
        rest = after.trim_ascii_start();
        // Before the time tracefs has flags.
        if let Some(time) = word.strip_suffix(b":") {
            return Some(Parts {
                thread: line[..begin].trim_ascii_end(),
                processor,
                time,
                event: rest,
            });
        }
    }
}

/// The processor of a line that tells of lost events, and how many there were, 0 if it does not
/// say: `CPU:1 [LOST 17 EVENTS]` of tracefs, `CPU:0 [5 EVENTS DROPPED]` of trace-cmd.
fn lost(line: &[u8]) -> Option<(u64, u64)> {
    let line = line.strip_prefix(b"CPU:")?;
    let (processor, said) = line.split_at(line.iter().position(|byte| *byte == b' ')?);
    let said = said.trim_ascii().strip_prefix(b"[")?.strip_suffix(b"]")?;
    let is_lost = words(said).any(|word| matches!(word, b"LOST" | b"DROPPED"));
    is_lost.then_some((whole(processor)?, words(said).find_map(whole).unwrap_or(0)))
}

/// The number at the end of `comm-pid`, `comm pid`, `comm pid/tid` or `comm-pid (tgid)`.
fn thread(left: &[u8]) -> Option<u32> {
    let left = match left.ends_with(b")") {
        true => left[..left.iter().rposition(|byte| *byte == b'(')?].trim_ascii_end(),
        false => left,
    };
    let digits = left.iter().rev().take_while(|byte| byte.is_ascii_digit());
    let number = whole(&left[left.len() - digits.count()..])?;
    u32::try_from(number).ok()
}

impl Parse for Ftrace {
    fn line(&mut self, line: &[u8], found: &mut Found) -> Result<(), Wrong> {
        if line.starts_with(b"#") || line.starts_with(b"cpus=") || is_empty(line) {
            return Ok(());
        }
        if let Some((processor, events)) = lost(line) {
            let (_, since) = self.processors.entry(processor).or_default();
            *since = Some(since.unwrap_or(0).saturating_add(events));
            self.events.forget();
            return Ok(());
        }
        let Some(parts) = split(line) else {
            if is_frame(line) {
                return Ok(());
            }
            return Err(unexpected(
                "line",
                line,
                "THREAD [PROCESSOR] TIME: EVENT, as of tracefs or perf script",
            ));
        };
        if let Some(at) = decimal(parts.time, SECOND) {
            self.see(parts.processor, at, found);
        }
        let event = parts.event;
        let colon = event.iter().position(u8::is_ascii_whitespace);
        let (called, fields) = event.split_at(colon.unwrap_or(event.len()));
        let called = called.strip_prefix(b"block:").unwrap_or(called);
        let kind = match called.strip_suffix(b":").unwrap_or(called) {
            b"block_io_start" | b"block_getrq" | b"block_bio_queue" | b"block_rq_insert" => {
                Kind::Arrival
            }
            b"block_bio_frontmerge" => Kind::FrontMerge,
            b"block_bio_backmerge" | b"block_rq_merge" => Kind::Merge,
            b"block_rq_issue" => Kind::Issue,
            b"block_rq_requeue" => Kind::Requeue,
            b"block_rq_complete" | b"block_bio_complete" => Kind::Completion,
            _ => {
                found.notes.skipped += 1;
                return Ok(());
            }
        };
        let (left, at) = (parts.thread, time(parts.time, SECOND, "seconds")?);
        let thread = thread(left).ok_or_else(|| unexpected("thread", left, "NAME-NUMBER"))?;
        match read(at, kind, thread, fields)? {
            Some(event) => self.events.take(&event, found),
            None => found.notes.skipped += 1,
        }
        Ok(())
    }

    fn end(&mut self, found: &mut Found) {
        let last = self.processors.values().map(|(time, _)| *time).max();
        for processor in self.processors.keys().copied().collect::<Vec<_>>() {
            self.see(processor, last.unwrap_or(0), found);
        }
        self.events.end(found);
    }
}

impl Ftrace {
    /// Takes note of a processor's event: what it lost, it lost before.
    fn see(&mut self, processor: u64, at: Nanos, found: &mut Found) {
        let (from, since) = self.processors.entry(processor).or_default();
        if let Some(events) = since.take() {
            // Of a processor without an event before, from the beginning on.
            found.lose(Lost {
                from: *from,
                to: at,
                events,
            });
        }
        *from = at;
    }
}

/// `CPU 1 is empty`, as trace-cmd writes of a processor without events.
fn is_empty(line: &[u8]) -> bool {
    line.starts_with(b"CPU ") && line.ends_with(b" is empty")
}

/// `ffffffff9a5d1f60 blk_mq_start_request+0x60 ([kernel.kallsyms])`, as `perf script` writes of the
/// stack, below its event, where `perf record -g` kept it.
fn is_frame(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let address = words(line).next().unwrap_or_default();
    address.len() >= 4 && address.iter().all(u8::is_ascii_hexdigit) && line.ends_with(b")")
}

/// `254,0 WS 8192 () 185384032 + 16 be,0,4 [postgres]`: the sector stands before the `+`.
fn read(time: u64, kind: Kind, thread: u32, fields: &[u8]) -> Result<Option<Event>, Wrong> {
    let mut all = words(fields);
    let of = all.next().unwrap_or_default();
    let device = device(of).ok_or_else(|| unexpected("device", of, "MAJOR,MINOR"))?;
    let Some(what) = What::parse(all.next().unwrap_or_default()) else {
        return Ok(None);
    };
    let mut before: &[u8] = &[];
    while let Some(word) = all.next().filter(|word| *word != b"+") {
        before = word;
    }
    let sector = whole(before).ok_or_else(|| unexpected("sector", before, "a whole number"))?;
    let count = all.next().unwrap_or_default();
    let sectors = whole(count).filter(|count| *count < 1 << 32);
    let sectors = sectors.ok_or_else(|| unexpected("sectors", count, "a whole number"))?;
    let last = fields.iter().rposition(|byte| *byte == b'[');
    let last = last.map(|at| fields[at + 1..].strip_suffix(b"]").unwrap_or_default());
    let last = last.unwrap_or_default();
    let ends = kind == Kind::Completion;
    Ok(Some(Event {
        time,
        kind,
        device,
        sector,
        sectors,
        failed: ends && !matches!(last, b"" | b"0"),
        what,
        by: Task {
            thread,
            name: Name::of(if ends { b"" } else { last }),
        },
    }))
}
