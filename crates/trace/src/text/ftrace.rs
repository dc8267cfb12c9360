//! The kernel's trace as text: of tracefs, trace-cmd and `perf script`.
//!
//! ```text
//! mysqld-59 [001] ..... 15.148827: block_rq_issue: 254,0 WS 8192 () 1853 + 16 be,0,4 [mysqld]
//! mysqld    59 [001]    15.148827: block:block_rq_issue: 254,0 WS 8192 () 1853 + 16 [mysqld]
//! ```

use blockyard_model::units::SECOND;

use super::blkparse::{device, name};
use crate::block::{Event, Events, Kind, Task, What};
use crate::found::Found;
use crate::text::Parse;
use crate::text::cells::{Wrong, time, unexpected, whole, words};

/// Its lines.
#[derive(Default)]
pub(crate) struct Ftrace(Events);

/// Whether a line is one of a block event's.
pub(crate) fn is_event(line: &[u8]) -> bool {
    split(line).is_some_and(|(_, _, event)| event.starts_with(b"block"))
}

/// The thread, the time and what follows of a line: names of threads may hold anything, so all
/// counts from the brackets of the processor on.
fn split(line: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let mut from = 0;
    let (begin, end) = loop {
        let begin = from + line[from..].iter().position(|byte| *byte == b'[')?;
        let end = begin + line[begin..].iter().position(|byte| *byte == b']')?;
        if end > begin + 1 && line[begin + 1..end].iter().all(u8::is_ascii_digit) {
            break (begin, end);
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
            return Some((line[..begin].trim_ascii_end(), time, rest));
        }
    }
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
        if line.starts_with(b"#") || line.starts_with(b"cpus=") {
            return Ok(());
        }
        let Some((left, at, event)) = split(line) else {
            return Err(unexpected(
                "line",
                line,
                "THREAD [PROCESSOR] TIME: EVENT, as of tracefs or perf script",
            ));
        };
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
            b"block_rq_complete" | b"block_bio_complete" => Kind::Completion,
            _ => {
                found.notes.skipped += 1;
                return Ok(());
            }
        };
        let thread = thread(left).ok_or_else(|| unexpected("thread", left, "NAME-NUMBER"))?;
        let event = read(time(at, SECOND, "seconds")?, kind, thread, fields)?;
        match event {
            Some(event) => self.0.take(&event, found),
            None => found.notes.skipped += 1,
        }
        Ok(())
    }

    fn end(&mut self, found: &mut Found) {
        self.0.end(found);
    }
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
            name: if ends { name(b"") } else { name(last) },
        },
    }))
}
