//! The table of what engines did.

use blockyard_record::result::{EngineTotal, TransactionTotal};

use super::brief::whole;
use super::hits;
use crate::text::format::{count, number};
use crate::text::table::Table;
use crate::words::phrases::in_bytes;

/// A figure of an engine: what it is, and as it is written; empty where there is nothing to tell.
type Figure = (&'static str, fn(&EngineTotal) -> String);

const FIGURES: [Figure; 10] = [
    ("hit ratio of the buffer pool", |it| hits(it.hit_ratio)),
    ("pages read for a transaction", |it| {
        number(it.reads_per_transaction)
    }),
    ("pages written for it", |it| {
        number(it.writes_per_transaction)
    }),
    ("bytes moved for it", |it| bytes(it.bytes_per_transaction)),
    ("of these to the doublewrite area", |it| {
        bytes(it.doublewrite_bytes_per_transaction)
    }),
    ("of these to the redo log", |it| {
        bytes(it.log_bytes_per_transaction)
    }),
    ("of these to the binary log", |it| {
        bytes(it.binlog_bytes_per_transaction)
    }),
    ("checkpoints begun", |it| match it.checkpoints {
        0 => String::new(),
        begun => count(begun),
    }),
    ("most dirty pages", |it| count(it.peak_dirty_pages)),
    ("highest checkpoint age", |it| {
        bytes(it.peak_checkpoint_age as f64)
    }),
];

/// A row for each figure, as there are more of them than jobs.
pub(super) fn engines(found: &[TransactionTotal]) -> Table {
    let engines = found.iter();
    let engines = engines.filter_map(|total| Some((total.job.as_str(), total.engine.as_ref()?)));
    let engines: Vec<_> = engines.collect();
    let rows = FIGURES.iter().filter_map(|(what, written)| {
        let cells: Vec<_> = engines.iter().map(|(_, engine)| written(engine)).collect();
        let told = cells.iter().any(|cell| !cell.is_empty());
        told.then(|| [vec![(*what).to_owned()], cells].concat())
    });
    let mut columns = vec![""];
    columns.extend(engines.iter().map(|(job, _)| job));
    Table::new("What the engine did", &columns, rows.collect(), 1)
}

fn bytes(count: f64) -> String {
    if count == 0.0 {
        return String::new();
    }
    in_bytes(whole(count))
}
