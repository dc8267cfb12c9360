//! A log for which there is no room.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use blockyard_model::units::Nanos;

/// What the log gives back of a full disk, for the run's other files; half of it at most.
const ROOM: u64 = 16 << 20;

/// Cuts off what is after the last line end.
pub(crate) fn whole_lines(mut file: File) -> io::Result<()> {
    let mut text = Vec::new();
    file.read_to_end(&mut text)?;
    let end = text.iter().rposition(|byte| *byte == b'\n');
    file.set_len(end.map_or(0, |at| at as u64 + 1))
}

/// Takes [`ROOM`] off a log's end, and what is left of a line there. Gives the time that the last
/// line left begins with, if there is one below the names of `columns`.
pub(crate) fn cut(mut file: File, columns: &str) -> io::Result<Option<Nanos>> {
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
        writeln!(file, "{columns}")?;
        return Ok(None);
    };
    file.set_len(from + end as u64)?;
    let last = tail[..end - 1].rsplit(|byte| *byte == b'\n').next();
    let cell = last.and_then(|line| line.split(|byte| *byte == b',').next());
    Ok(cell
        .and_then(|cell| str::from_utf8(cell).ok())
        .and_then(|cell| cell.parse().ok()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use blockyard_record::IO_LOG_COLUMNS;

    #[test]
    fn what_is_after_the_last_line_is_cut_off() {
        let path = std::env::temp_dir().join(format!("lines-{}", std::process::id()));
        for (text, left) in [("", ""), ("ab", ""), ("a\nb\n", "a\nb\n"), ("a\nbc", "a\n")] {
            std::fs::write(&path, text).unwrap();
            whole_lines(File::options().read(true).write(true).open(&path).unwrap()).unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), left);
        }
        std::fs::remove_file(&path).unwrap();
    }

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
            let last = cut(file, IO_LOG_COLUMNS).unwrap();
            let left = std::fs::read_to_string(&path).unwrap();
            std::fs::remove_file(&path).unwrap();
            assert!(left.starts_with(IO_LOG_COLUMNS) && left.ends_with('\n'));
            let left = left.lines().count() as u64 - 1;
            assert_eq!(last, left.checked_sub(1));
            assert!(left >= (lines / 2).saturating_sub(2), "{left} of {lines}");
        }
    }
}
