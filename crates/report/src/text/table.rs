//! Words and figures in columns.

use schemars::JsonSchema;
use serde::Serialize;

/// A table; the first `words` columns are words, and say what the figures of a row are of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Table {
    /// What it shows.
    pub caption: String,
    /// The heading of each column.
    pub columns: Vec<String>,
    /// Its rows, with a cell a column.
    pub rows: Vec<Vec<String>>,
    /// How many columns are words.
    pub words: usize,
    /// Whether the last column is what the others come to: where there is no room for columns, it
    /// stands beside the first.
    pub verdict: bool,
}

impl Table {
    /// A table without a verdict.
    #[must_use]
    pub fn new(caption: &str, columns: &[&str], rows: Vec<Vec<String>>, words: usize) -> Self {
        Self {
            caption: caption.to_owned(),
            columns: columns.iter().map(|&column| column.to_owned()).collect(),
            rows,
            words,
            verdict: false,
        }
    }

    /// The same without the columns that have no cell with anything in it.
    #[must_use]
    pub fn without_empty(mut self) -> Self {
        let shown: Vec<_> = (0..self.columns.len())
            .map(|place| self.rows.iter().any(|row| !row[place].is_empty()))
            .collect();
        for row in self.rows.iter_mut().chain([&mut self.columns]) {
            let mut place = shown.iter();
            row.retain(|_| place.next() == Some(&true));
        }
        self
    }
}

/// A sentence or a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Said {
    /// A sentence.
    Sentence(String),
    /// A table.
    Table(Table),
}

impl From<String> for Said {
    fn from(sentence: String) -> Self {
        Self::Sentence(sentence)
    }
}

impl From<Table> for Said {
    fn from(table: Table) -> Self {
        Self::Table(table)
    }
}

/// Sentences and tables under a heading.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Passage {
    /// What they are about.
    pub heading: String,
    /// They themselves.
    pub content: Vec<Said>,
}
