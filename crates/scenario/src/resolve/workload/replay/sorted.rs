//! Rows in the order of their arrival.

use blockyard_model::units::Nanos;
use blockyard_trace::Row;

/// Puts rows in order that come almost so: traces have them by their ends.
pub(super) struct Sorted {
    rows: Vec<Row>,
    /// Rows that are held back.
    window: usize,
    /// The time of the last row that was given out.
    given: Nanos,
}

/// A row came too late to be put in its place.
pub(super) struct TooLate;

impl Sorted {
    /// Holds back `window` rows, of which each is put in its place.
    pub(super) fn new(window: usize) -> Self {
        Self {
            rows: Vec::new(),
            window,
            given: 0,
        }
    }

    /// Takes a row; whether enough are held back to give some out.
    pub(super) fn push(&mut self, row: Row) -> Result<bool, TooLate> {
        if row.begin() < Some(self.given) {
            return Err(TooLate);
        }
        self.rows.push(row);
        Ok(self.rows.len() >= self.window.saturating_mul(2))
    }

    /// Gives out the first half.
    pub(super) fn give(&mut self) -> std::vec::Drain<'_, Row> {
        self.rows.sort_by_key(Row::begin);
        let half = self.rows.len() / 2;
        self.given = self.rows[..half].last().and_then(Row::begin).unwrap_or(0);
        self.rows.drain(..half)
    }

    /// All rows that are held back, in whatever order.
    pub(super) fn held(&self) -> &[Row] {
        &self.rows
    }

    /// Gives out the rest.
    pub(super) fn end(mut self) -> Vec<Row> {
        self.rows.sort_by_key(Row::begin);
        self.rows
    }
}
