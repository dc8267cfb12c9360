//! Rows in the order of their arrival.

use crate::Row;
use blockyard_model::units::Nanos;

/// Puts rows in order that come almost so: traces have them by their ends.
#[derive(Debug)]
pub struct Sorted {
    rows: Vec<Row>,
    /// Rows that are held back.
    window: usize,
    /// The time of the last row that was given out.
    given: Nanos,
}

/// A row came too late to be put in its place.
#[derive(Clone, Copy, Debug)]
pub struct TooLate;

impl Sorted {
    /// Rows that are usually enough to hold back, of some 100 bytes each.
    pub const WINDOW: usize = 1 << 16;

    /// Holds back `window` rows, of which each is put in its place.
    #[must_use]
    pub fn new(window: usize) -> Self {
        Self {
            rows: Vec::new(),
            window,
            given: 0,
        }
    }

    /// Takes a row; whether enough are held back to give some out.
    ///
    /// # Errors
    /// If a later one was given out.
    pub fn push(&mut self, row: Row) -> Result<bool, TooLate> {
        if row.begin() < Some(self.given) {
            return Err(TooLate);
        }
        self.rows.push(row);
        Ok(self.rows.len() >= self.window.saturating_mul(2))
    }

    /// Gives out the first half.
    pub fn give(&mut self) -> std::vec::Drain<'_, Row> {
        self.rows.sort_by_key(Row::begin);
        let half = self.rows.len() / 2;
        self.given = self.rows[..half].last().and_then(Row::begin).unwrap_or(0);
        self.rows.drain(..half)
    }

    /// All rows that are held back, in whatever order.
    #[must_use]
    pub fn held(&self) -> &[Row] {
        &self.rows
    }

    /// Gives out the rest.
    #[must_use]
    pub fn end(mut self) -> Vec<Row> {
        self.rows.sort_by_key(Row::begin);
        self.rows
    }
}
