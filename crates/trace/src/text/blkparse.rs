//! What blkparse prints: `8,16 5 2 0.000001850 18615 Q R 1444645666 + 256 [java]`.

use blockyard_model::units::SECOND;

use crate::block::{Event, Events, Kind, Name, Task, What};
use crate::found::Found;
use crate::text::Parse;
use crate::text::cells::{Wrong, decimal, thread, time, unexpected, whole, words};

/// Its lines: device, processor, sequence, time, process, action, operation, sector + sectors, and
/// the process's name or the error.
#[derive(Default)]
pub(crate) struct Blkparse {
    events: Events,
    /// An event was read: before it may stand what other programs print.
    begun: bool,
    /// A summary was read, so what comes next is of another recording.
    summary: bool,
}

/// What lines of its summary begin with.
const SUMMARY: [&[u8]; 15] = [
    b"CPU",
    b"Total",
    b"Reads ",
    b"Read ",
    b"Writes ",
    b"Write ",
    b"PC Read",
    b"IO unplugs:",
    b"Throughput ",
    b"Events (",
    b"Skips:",
    // Of a program.
    b"Allocation wait:",
    b"Dispatch wait:",
    b"Completion wait:",
    // Before the events of the next recording.
    b"Input file ",
];

/// Whether a line is one of a summary: by device and processor, or by program.
fn is_summary(line: &[u8]) -> bool {
    SUMMARY.iter().any(|begin| line.starts_with(begin)) || is_program(line)
}

/// `mysqld (18615)`, or `mysqld (18615, ...)` of several processes of that name.
fn is_program(line: &[u8]) -> bool {
    let number = line.strip_suffix(b")").and_then(|line| {
        let at = line.iter().rposition(|byte| *byte == b'(')?;
        let inside = &line[at + 1..];
        whole(inside.strip_suffix(b", ...").unwrap_or(inside))
    });
    number.is_some() && words(line).next().and_then(device).is_none()
}

/// Whether a line is one of blkparse's events.
pub(crate) fn is_blkparse(line: &[u8]) -> bool {
    let mut words = words(line);
    let device = words.next().and_then(device);
    let mut number = || words.next().and_then(whole).is_some();
    device.is_some() && number() && number() && {
        words
            .next()
            .and_then(|word| decimal(word, SECOND))
            .is_some()
    }
}

/// `8,16` as the kernel numbers it.
pub(crate) fn device(word: &[u8]) -> Option<u32> {
    let comma = word.iter().position(|byte| *byte == b',')?;
    let major = whole(&word[..comma]).filter(|major| *major < 1 << 12)?;
    let minor = whole(&word[comma + 1..]).filter(|minor| *minor < 1 << 20)?;
    Some((major << 20 | minor) as u32)
}

impl Parse for Blkparse {
    fn line(&mut self, line: &[u8], found: &mut Found) -> Result<(), Wrong> {
        let line = line.trim_ascii_start();
        if is_summary(line) {
            self.summary = true;
            return Ok(());
        }
        let is_event = line[0].is_ascii_digit();
        if !is_event && !self.begun {
            return Ok(());
        }
        if !is_event {
            return Err(unexpected(
                "line",
                line,
                "MAJOR,MINOR PROCESSOR NUMBER TIME THREAD ACTION, or a summary, as of blkparse",
            ));
        }
        let mut words = words(line);
        let mut next = || words.next().unwrap_or_default();
        let of = next();
        let device = device(of).ok_or_else(|| unexpected("device", of, "MAJOR,MINOR"))?;
        self.begun = true;
        if std::mem::take(&mut self.summary) {
            // What had not ended there does not end in another recording.
            self.events.end(found);
            self.events.forget();
        }
        let (_processor, _sequence) = (next(), next());
        let at = time(next(), SECOND, "seconds")?;
        let process = thread(next())?;
        let (action, letters) = (next(), next());
        let kind = match action {
            // The rest of an IO that the kernel split is queued no second time.
            b"Q" | b"G" | b"I" => Kind::Arrival,
            b"M" => Kind::Merge,
            b"F" => Kind::FrontMerge,
            b"D" => Kind::Issue,
            b"R" => Kind::Requeue,
            b"C" => Kind::Completion,
            // What passes on its way, and messages.
            b"A" | b"B" | b"P" | b"S" | b"T" | b"U" | b"UT" | b"X" | b"m" => return Ok(()),
            _ => return Err(unexpected("action", action, "a letter such as Q, D or C")),
        };
        let Some(what) = What::parse(letters) else {
            found.notes.skipped += 1;
            return Ok(());
        };
        let first = next();
        // Of what has no sectors, as of a flush, the name or the elapsed time follows at once.
        let sector = match first.first() {
            None | Some(b'[' | b'(') => Some(0),
            Some(_) => whole(first),
        };
        let sector = sector.ok_or_else(|| unexpected("sector", first, "a whole number"))?;
        let (plus, count) = (next(), next());
        let sectors = match plus {
            b"+" => whole(count).filter(|count| *count < 1 << 32),
            _ => Some(0),
        };
        let sectors = sectors.ok_or_else(|| unexpected("sectors", count, "a whole number"))?;
        let last = line
            .iter()
            .rposition(|byte| *byte == b'[')
            .map(|at| &line[at + 1..]);
        let last = last
            .and_then(|last| last.strip_suffix(b"]"))
            .unwrap_or_default();
        let ends = kind == Kind::Completion;
        let event = Event {
            time: at,
            kind,
            device,
            sector,
            sectors,
            failed: ends && !matches!(last, b"" | b"0"),
            what,
            by: Task {
                thread: process,
                name: Name::of(if ends { b"" } else { last }),
            },
        };
        self.events.take(&event, found);
        Ok(())
    }

    fn end(&mut self, found: &mut Found) {
        self.events.end(found);
    }
}
