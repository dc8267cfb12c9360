//! Tables of comma-separated cells without quotes, sorted by the first cell, a
//! name, or by several; `#` begins a comment.

use std::sync::Arc;

use blockyard_text::{Error, Origin};

/// The text of a table and what it should look like.
pub(super) struct Table<'a> {
    file: &'static str,
    header: &'static str,
    text: &'a str,
}

impl<'a> Table<'a> {
    pub(super) fn new(file: &'static str, header: &'static str, text: &'a str) -> Self {
        Self { file, header, text }
    }

    /// Reads every row below the header with `read`. An error is given the line
    /// that it is about.
    pub(super) fn rows<T>(
        &self,
        read: impl Fn(&[&'a str]) -> Result<T, String>,
    ) -> Result<Vec<T>, Error> {
        self.keyed(1, read)
    }

    /// The same for a table that is sorted by its first `key` cells together.
    pub(super) fn keyed<T>(
        &self,
        key: usize,
        read: impl Fn(&[&'a str]) -> Result<T, String>,
    ) -> Result<Vec<T>, Error> {
        let mut lines = self
            .text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.starts_with('#'));
        match lines.next() {
            Some((_, header)) if header == self.header => {}
            other => {
                let line = other.map_or(0, |(index, _)| index);
                return Err(self.error(line, format!("expected the header `{}`", self.header)));
            }
        }
        let mut last: Vec<&str> = Vec::new();
        lines
            .map(|(index, line)| {
                let cells: Vec<&str> = line.split(',').collect();
                let name = cells.get(..key).unwrap_or(&cells);
                if name <= last.as_slice() {
                    let (name, after) = (name.join(","), last.join(","));
                    let message = format!("`{name}` after `{after}`; expected rising names");
                    return Err(self.error(index, message));
                }
                last = name.to_vec();
                read(&cells).map_err(|message| self.error(index, message))
            })
            .collect()
    }

    fn error(&self, index: usize, message: String) -> Error {
        let place = Origin::File {
            file: Arc::from(self.file),
            line: index + 1,
            column: 1,
        };
        Error::new(place, "", message)
    }
}
