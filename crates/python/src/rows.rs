//! The rows of a run's tables, column by column.

use std::sync::Arc;

use arrow_array::builder::{MapBuilder, MapFieldNames, PrimitiveBuilder, StringBuilder};
use arrow_array::types::{ArrowPrimitiveType, Float64Type, Int64Type};
use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::ArrowError;
use blockyard_record::result::LatencyUs;
use blockyard_record::{
    Interval, IntervalRow, RowNames as Names, SeriesName, TransactionRow, VolumeRow,
};

use crate::columns;

/// Rows of `intervals.parquet`.
pub(crate) fn intervals(names: &Names, rows: &[IntervalRow]) -> Result<RecordBatch, ArrowError> {
    let rows: Vec<_> = names.of(rows).map(Some).collect();
    RecordBatch::try_new(columns::intervals(), interval_columns(&rows))
}

/// The columns of `intervals`; none of a row that is missing has a value.
pub(crate) fn interval_columns(rows: &[Option<(&SeriesName, &IntervalRow)>]) -> Vec<ArrayRef> {
    let names = |of: fn(&SeriesName) -> &str| {
        let names = rows.iter().map(|row| row.map(|(name, _)| of(name)));
        Arc::new(names.collect::<StringArray>()) as ArrayRef
    };
    let rows = || rows.iter().map(|row| row.map(|(_, row)| row));
    let mut columns = vec![
        floats(rows().map(|row| Some(row?.t_s))),
        names(|name| &name.job),
        names(|name| &name.device),
        names(|name| name.op),
        integers(rows().map(|row| Some(row?.ios))),
        integers(rows().map(|row| Some(row?.bytes))),
    ];
    let mut latencies = latencies(rows().map(|row| row?.latency_us));
    // The mean may be known where no more is.
    drop(latencies.next());
    columns.push(floats(rows().map(|row| row?.mean_us)));
    columns.extend(latencies);
    columns.push(floats(rows().map(|row| Some(row?.queue_depth))));
    columns
}

/// The six columns of latencies: mean, percentiles, maximum.
pub(crate) fn latencies(
    rows: impl Iterator<Item = Option<LatencyUs>> + Clone,
) -> impl Iterator<Item = ArrayRef> {
    let figures: [fn(LatencyUs) -> f64; 6] = [
        |us| us.mean,
        |us| us.p50,
        |us| us.p95,
        |us| us.p99,
        |us| us.p99_9,
        |us| us.max,
    ];
    let column = move |figure: fn(LatencyUs) -> f64| floats(rows.clone().map(|us| us.map(figure)));
    figures.into_iter().map(column)
}

/// Rows of `transactions.parquet`.
pub(crate) fn transactions(
    names: &Names,
    rows: &[TransactionRow],
) -> Result<RecordBatch, ArrowError> {
    let jobs = rows.iter().map(|row| Some(&names.jobs[row.job]));
    let mut columns = vec![
        floats(rows.iter().map(|row| Some(row.t_s))),
        Arc::new(jobs.collect::<StringArray>()),
        integers(rows.iter().map(|row| Some(row.count))),
        floats(rows.iter().map(|row| Some(row.tps))),
    ];
    columns.extend(latencies(rows.iter().map(|row| row.latency_us)));
    columns.extend([
        integers(rows.iter().map(|row| Some(row.dirty_pages))),
        integers(rows.iter().map(|row| Some(row.checkpoint_age))),
    ]);
    RecordBatch::try_new(columns::transactions(), columns)
}

/// A volume's row and the rates in force in its interval.
pub(crate) type VolumeAndRates = (VolumeRow, Arc<[u64]>);

/// The volumes' rows of an interval.
pub(crate) fn volume_rows(interval: Interval) -> impl Iterator<Item = VolumeAndRates> {
    let rates: Arc<[u64]> = interval.rates.into();
    let rows = interval.volumes.into_iter();
    rows.map(move |row| (row, rates.clone()))
}

/// Rows of `volumes.parquet`.
pub(crate) fn volumes(names: &Names, rows: &[VolumeAndRates]) -> Result<RecordBatch, ArrowError> {
    let mut held = by_name::<Float64Type>();
    let mut rates = by_name::<Int64Type>();
    for (row, in_force) in rows {
        let (_, limits) = &names.volumes[row.volume];
        let own = limits.iter().zip(&row.throttled_us);
        append(&mut held, own.map(|((name, _), &us)| (name.as_str(), us)))?;
        // What does not hold now has no rate.
        let own = limits.iter().filter(|(_, index)| in_force[*index] > 0);
        append(
            &mut rates,
            own.map(|(name, index)| (name.as_str(), in_force[*index] as i64)),
        )?;
    }
    let name = |(row, _): &VolumeAndRates| Some(&names.volumes[row.volume].0);
    let columns = vec![
        floats(rows.iter().map(|(row, _)| Some(row.t_s))),
        Arc::new(rows.iter().map(name).collect::<StringArray>()),
        integers(rows.iter().map(|(row, _)| Some(row.ios))),
        integers(rows.iter().map(|(row, _)| Some(row.bytes))),
        Arc::new(held.finish()),
        floats(rows.iter().map(|(row, _)| row.balance_pct)),
        floats(rows.iter().map(|(row, _)| row.host_balance_pct)),
        Arc::new(rates.finish()),
    ];
    RecordBatch::try_new(columns::volumes(), columns)
}

pub(crate) fn floats(values: impl Iterator<Item = Option<f64>>) -> ArrayRef {
    Arc::new(values.collect::<Float64Array>())
}

pub(crate) fn integers(values: impl Iterator<Item = Option<u64>>) -> ArrayRef {
    let values = values.map(|value| value.map(|value| value as i64));
    Arc::new(values.collect::<Int64Array>())
}

/// A column of values by name that is being filled.
pub(crate) type ByName<T> = MapBuilder<StringBuilder, PrimitiveBuilder<T>>;

pub(crate) fn by_name<T: ArrowPrimitiveType>() -> ByName<T> {
    let fields = MapFieldNames {
        entry: "entries".into(),
        key: "key".into(),
        value: "value".into(),
    };
    MapBuilder::new(Some(fields), StringBuilder::new(), PrimitiveBuilder::new())
}

/// Appends a row of values by name.
pub(crate) fn append<'a, T: ArrowPrimitiveType>(
    column: &mut ByName<T>,
    values: impl Iterator<Item = (&'a str, T::Native)>,
) -> Result<(), ArrowError> {
    for (name, value) in values {
        column.keys().append_value(name);
        column.values().append_value(value);
    }
    column.append(true)
}
