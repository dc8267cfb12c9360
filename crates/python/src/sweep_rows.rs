//! The tables of a sweep's runs.

use std::sync::Arc;

use arrow_array::builder::{Int64Builder, ListBuilder};
use arrow_array::types::Float64Type;
use arrow_array::{ArrayRef, BooleanArray, RecordBatch, StringArray};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use blockyard_sweep::{Asked, Latencies, Row};

use crate::rows::{append, by_name, floats, integers};

/// A row for each run: number, key, error, figures, goals, price, limits.
pub(crate) fn runs(asked: &Asked, rows: &[Row]) -> Result<RecordBatch, ArrowError> {
    let done = |count: fn(&Row) -> u64| {
        let rows = rows.iter();
        integers(rows.map(move |row| row.error.is_none().then(|| count(row))))
    };
    let mut columns: Vec<(String, ArrayRef)> = vec![
        (
            "run".into(),
            integers(rows.iter().map(|row| Some(row.number))),
        ),
        (
            "key".into(),
            texts(rows.iter().map(|row| Some(row.key.as_str()))),
        ),
        (
            "error".into(),
            texts(rows.iter().map(|row| row.error.as_deref())),
        ),
        ("ios".into(), done(|row| row.ios)),
        ("io_errors".into(), done(|row| row.io_errors)),
    ];
    for (place, figure) in asked.columns.iter().enumerate() {
        let values = rows
            .iter()
            .map(|row| row.figures.get(place).copied().flatten());
        columns.push((figure.name.clone(), floats(values)));
    }
    for (place, goal) in asked.goals.iter().enumerate() {
        let met = rows.iter().map(|row| row.goals.get(place).copied());
        columns.push((goal.clone(), Arc::new(met.collect::<BooleanArray>())));
    }
    let all_met = rows.iter().map(|row| {
        let judged = row.error.is_none() && !asked.goals.is_empty();
        judged.then(|| row.goals.iter().all(|met| *met))
    });
    columns.push((
        "goals_met".into(),
        Arc::new(all_met.collect::<BooleanArray>()),
    ));
    columns.push((
        "usd_per_month".into(),
        floats(rows.iter().map(|row| row.per_month)),
    ));
    columns.push(("throttled_by".into(), texts(rows.iter().map(throttled_by))));
    let mut shares = by_name::<Float64Type>();
    for row in rows {
        let own = row.shares.iter();
        append(
            &mut shares,
            own.map(|(name, share)| (name.as_str(), *share)),
        )?;
    }
    columns.push(("throttled_share".into(), Arc::new(shares.finish())));
    batch(columns)
}

/// The limit that throttled most; of equals the first.
fn throttled_by(row: &Row) -> Option<&str> {
    let most = row.shares.iter().rev().max_by(|a, b| a.1.total_cmp(&b.1));
    most.map(|(name, _)| name.as_str())
}

/// A row for each run, job and operation: its latencies in ns and how often each was measured.
pub(crate) fn latencies(rows: &[Row]) -> Result<RecordBatch, ArrowError> {
    let each = || {
        rows.iter()
            .flat_map(|row| row.latencies.iter().map(move |of| (row, of)))
    };
    let list = || {
        let item = Field::new("element", DataType::Int64, false);
        ListBuilder::new(Int64Builder::new()).with_field(item)
    };
    let (mut at, mut counts) = (list(), list());
    for (_, of) in each() {
        for (ns, count) in of.counts.buckets() {
            at.values().append_value(ns as i64);
            counts.values().append_value(count as i64);
        }
        at.append(true);
        counts.append(true);
    }
    let max = |of: &Latencies| of.counts.max();
    batch(vec![
        (
            "run".into(),
            integers(each().map(|(row, _)| Some(row.number))),
        ),
        (
            "key".into(),
            texts(each().map(|(row, _)| Some(row.key.as_str()))),
        ),
        (
            "job".into(),
            texts(each().map(|(_, of)| Some(of.job.as_str()))),
        ),
        (
            "op".into(),
            texts(each().map(|(_, of)| Some(of.op.as_str()))),
        ),
        (
            "ios".into(),
            integers(each().map(|(_, of)| Some(of.counts.count()))),
        ),
        (
            "mean_us".into(),
            floats(each().map(|(_, of)| Some(of.counts.mean() / 1e3))),
        ),
        (
            "max_us".into(),
            floats(each().map(|(_, of)| Some(max(of) as f64 / 1e3))),
        ),
        ("ns".into(), Arc::new(at.finish())),
        ("count".into(), Arc::new(counts.finish())),
    ])
}

fn texts<'a>(values: impl Iterator<Item = Option<&'a str>>) -> ArrayRef {
    Arc::new(values.collect::<StringArray>())
}

fn batch(columns: Vec<(String, ArrayRef)>) -> Result<RecordBatch, ArrowError> {
    let field =
        |(name, column): &(String, ArrayRef)| Field::new(name, column.data_type().clone(), true);
    let schema = Schema::new(columns.iter().map(field).collect::<Vec<_>>());
    let columns = columns.into_iter().map(|(_, column)| column).collect();
    RecordBatch::try_new(Arc::new(schema), columns)
}
