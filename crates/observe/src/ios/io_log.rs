//! `ios.csv` of an observation: each IO that was seen from its beginning to its end.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

use blockyard_model::units::{Nanos, SECOND};
use blockyard_record::IO_LOG_COLUMNS;

use super::event::Task;
use super::requests::Io;
use crate::counts::{OPS, SECTOR};
use crate::devices::reason;

/// What the log gives back of a full disk, for the run's other files; half of it at most.
const ROOM: u64 = 16 << 20;

/// Writes a line for each IO as it ends.
#[derive(Debug)]
pub(crate) struct IoLog {
    /// None once something could not be written.
    out: Option<BufWriter<File>>,
    /// The clock's 0, as IOs have it.
    origin: Nanos,
    /// Why the log ends before the run.
    ended: Option<String>,
}

impl IoLog {
    /// Starts a log in a new file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn create(path: &Path, origin: Nanos) -> io::Result<Self> {
        let file = File::options()
            .read(true)
            .write(true)
            .create_new(true)
            .open(path)?;
        let mut out = BufWriter::new(file);
        writeln!(out, "{IO_LOG_COLUMNS}")?;
        Ok(Self {
            out: Some(out),
            origin,
            ended: None,
        })
    }

    /// Adds an IO of a device, unless it began before the log.
    pub(crate) fn add(&mut self, device: &str, io: &Io) {
        let Some(due) = io.time.saturating_sub(io.latency).checked_sub(self.origin) else {
            return;
        };
        let written = self.out.as_mut().map(|out| line(out, device, io, due));
        if let Some(Err(error)) = written {
            self.end_early(&error);
        }
    }

    /// Writes out what is left; gives why the log ends before the run, if it does.
    pub(crate) fn finish(mut self) -> Option<String> {
        if let Some(Err(error)) = self.out.as_mut().map(Write::flush) {
            self.end_early(&error);
        }
        self.ended
    }

    /// The run goes on without the log, which keeps its whole lines but for [`ROOM`].
    fn end_early(&mut self, error: &io::Error) {
        let Some(out) = self.out.take() else {
            return;
        };
        let (file, _) = out.into_parts();
        let why = reason(error);
        self.ended = Some(match cut(file) {
            Ok(Some(last)) => {
                let seconds = last as f64 / SECOND as f64;
                format!("ios.csv ends at {seconds:.1} s: {why}")
            }
            Ok(None) => format!("ios.csv has no IOs: {why}"),
            Err(uncut) => format!("ios.csv ends early: {why}; its end: {}", reason(&uncut)),
        });
    }
}

/// Takes [`ROOM`] off a log's end, and what is left of a line there. Gives when the last IO left
/// was issued, if there is one.
fn cut(mut file: File) -> io::Result<Option<Nanos>> {
    /// Longer than any two lines.
    const TAIL: u64 = 4096;
    let len = file.metadata()?.len();
    let keep = len - ROOM.min(len / 2);
    let from = keep.saturating_sub(TAIL);
    let mut tail = vec![0; (keep - from) as usize];
    file.seek(SeekFrom::Start(from))?;
    file.read_exact(&mut tail)?;
    let end = tail
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map(|at| at + 1);
    let Some(end) = end else {
        file.set_len(0)?;
        file.rewind()?;
        writeln!(file, "{IO_LOG_COLUMNS}")?;
        return Ok(None);
    };
    file.set_len(from + end as u64)?;
    let last = tail[..end - 1].rsplit(|byte| *byte == b'\n').next();
    let cell = last.and_then(|line| line.split(|byte| *byte == b',').next());
    Ok(cell
        .and_then(|cell| str::from_utf8(cell).ok())
        .and_then(|cell| cell.parse().ok()))
}

fn line(out: &mut impl Write, device: &str, io: &Io, due: Nanos) -> io::Result<()> {
    let issued = due + io.queue.unwrap_or(0);
    let (job, thread, op) = (name(&io.by), io.by.thread, OPS[io.op]);
    let (offset, bytes) = (io.place.0 * SECTOR, io.place.1 * SECTOR);
    write!(
        out,
        "{issued},{due},{job},{thread},{device},{op},{offset},{bytes},"
    )?;
    if io.failed {
        writeln!(out)
    } else {
        writeln!(out, "{}", due + io.latency)
    }
}

/// The name of a thread, which may hold anything, as a cell of CSV.
fn name(task: &Task) -> String {
    let name = task.name.split(|byte| *byte == 0).next();
    let name = String::from_utf8_lossy(name.unwrap_or_default());
    if name.contains([',', '"', '\n', '\r']) {
        format!(
            "\"{}\"",
            name.replace('"', "\"\"").replace(['\n', '\r'], " ")
        )
    } else {
        name.into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_without_room_is_cut_after_a_whole_line() {
        for lines in [0_u64, 1, 2, 3, 100, 1000] {
            let path = std::env::temp_dir().join(format!("cut-{}-{lines}", std::process::id()));
            let mut file = File::options();
            let file = file.read(true).write(true).create_new(true);
            let mut file = file.open(&path).unwrap();
            writeln!(file, "{IO_LOG_COLUMNS}").unwrap();
            for at in 0..lines {
                writeln!(file, "{at},0,fio,1,sda,read,0,4096,9").unwrap();
            }
            write!(file, "12").unwrap();
            let last = cut(file).unwrap();
            let left = std::fs::read_to_string(&path).unwrap();
            std::fs::remove_file(&path).unwrap();
            assert!(left.starts_with(IO_LOG_COLUMNS) && left.ends_with('\n'));
            let left = left.lines().count() as u64 - 1;
            assert_eq!(last, left.checked_sub(1));
            assert!(left >= (lines / 2).saturating_sub(2), "{left} of {lines}");
        }
    }

    #[test]
    fn any_name_is_one_cell() {
        for (own, cell) in [
            ("fio", "fio"),
            ("opt cgu.15", "opt cgu.15"),
            ("a,b\"c\n", "\"a,b\"\"c \""),
        ] {
            let mut task = Task::default();
            task.name[..own.len()].copy_from_slice(own.as_bytes());
            assert_eq!(name(&task), cell);
        }
    }
}
