//! A text line by line.

use std::io::{BufRead, Read};

use crate::error::Place;
use crate::found::Found;
use crate::text::cells::Wrong;
use crate::trace::{Failure, Pull};

/// A line is shorter: what is longer is no trace, and would fill the memory.
const LONGEST: u64 = 1 << 16;

/// What lines of a format mean.
pub(crate) trait Parse {
    /// Adds what a line, which is not empty, says.
    ///
    /// # Errors
    /// The value and what was expected.
    fn line(&mut self, line: &[u8], found: &mut Found) -> Result<(), Wrong>;

    /// Adds what is known once all lines are read.
    fn end(&mut self, _found: &mut Found) {}
}

/// The lines of a text, in some format.
pub(crate) struct Lines<R, P> {
    input: R,
    parse: P,
    line: Vec<u8>,
    number: u64,
}

impl<R: BufRead, P: Parse> Lines<R, P> {
    pub(crate) fn new(input: R, parse: P) -> Self {
        Self {
            input,
            parse,
            line: Vec::new(),
            number: 0,
        }
    }
}

impl<R: BufRead, P: Parse> Pull for Lines<R, P> {
    fn pull(&mut self, found: &mut Found) -> Result<bool, Failure> {
        self.line.clear();
        self.number += 1;
        let place = Place::Line(self.number);
        let mut input = Read::take(&mut self.input, LONGEST);
        let read = input.read_until(b'\n', &mut self.line);
        let read = read.map_err(|error| Failure::Io(place, error))?;
        if read == 0 {
            self.parse.end(found);
            return Ok(false);
        }
        let whole = self.line.ends_with(b"\n");
        if !whole && read as u64 == LONGEST {
            let message = format!("a line of {LONGEST} bytes or more; expected a shorter one");
            return Err(Failure::Wrong(place, message));
        }
        let line = self.line.trim_ascii_end();
        if line.is_empty() {
            return Ok(true);
        }
        let rows = found.rows.len();
        let before = (found.notes.out_of_order, found.notes.furthest_back);
        match self.parse.line(line, found) {
            Ok(()) if whole => {}
            Ok(()) if found.undo_cut(rows, before) => {
                let wrong = "its time lies before those of the other lines";
                found.notes.cut = Some(format!("line {} is cut off: {wrong}", self.number));
            }
            // Who writes by hand may leave the last line end out.
            Ok(()) => found.notes.unended = Some(self.number),
            // Whoever wrote it was stopped in the middle.
            Err(wrong) if !whole => {
                found.notes.cut = Some(format!("line {} is cut off: {wrong}", self.number));
            }
            Err(wrong) => return Err(Failure::Wrong(place, wrong)),
        }
        Ok(true)
    }
}
