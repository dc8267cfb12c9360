//! A run's tables as Python hands them over: column by column, 64 bits a number, in the machine's
//! order. A long run of many volumes has millions of them.

use blockyard_explain::{Entries, Names, VolumeTable};
use blockyard_report::{Intervals, Tables, TransactionRows, VolumeRows};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

/// The table of volumes.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Volumes {
    t_s: PyBackedBytes,
    volume: Column,
    ios: PyBackedBytes,
    bytes: PyBackedBytes,
    waits_us: Figures,
    rates: Figures,
}

/// A column of names: each of them once, and by row which it is.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Column {
    names: Vec<String>,
    index: PyBackedBytes,
}

/// What some rows say of some limits.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Figures {
    row: PyBackedBytes,
    limit: Column,
    value: PyBackedBytes,
}

/// A run's tables as Python has them, column by column, with 64 bits a number; what a row lacks
/// is NaN.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct PackedTables {
    intervals: PackedIntervals,
    volumes: PackedVolumes,
    transactions: PackedTransactions,
}

#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct PackedIntervals {
    t_s: PyBackedBytes,
    job: Column,
    device: Column,
    op: Column,
    ios: PyBackedBytes,
    bytes: PyBackedBytes,
    latency_mean_us: PyBackedBytes,
    queue_depth: PyBackedBytes,
}

#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct PackedVolumes {
    served: Volumes,
    balance_pct: PyBackedBytes,
    host_balance_pct: PyBackedBytes,
}

#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct PackedTransactions {
    t_s: PyBackedBytes,
    job: Column,
    count: PyBackedBytes,
    latency_mean_us: PyBackedBytes,
}

/// The tables as reports take them.
pub(crate) fn unpacked(tables: &PackedTables) -> Tables {
    let PackedTables {
        intervals,
        volumes,
        transactions,
    } = tables;
    Tables {
        intervals: Intervals {
            t_s: floats(&intervals.t_s),
            job: names(&intervals.job),
            device: names(&intervals.device),
            op: names(&intervals.op),
            ios: integers(&intervals.ios),
            bytes: integers(&intervals.bytes),
            latency_mean_us: floats(&intervals.latency_mean_us),
            queue_depth: floats(&intervals.queue_depth),
        },
        volumes: VolumeRows {
            served: table(&volumes.served),
            balance_pct: floats(&volumes.balance_pct),
            host_balance_pct: floats(&volumes.host_balance_pct),
        },
        transactions: TransactionRows {
            t_s: floats(&transactions.t_s),
            job: names(&transactions.job),
            count: integers(&transactions.count),
            latency_mean_us: floats(&transactions.latency_mean_us),
        },
    }
}

/// The table of volumes as facts take it.
pub(crate) fn table(volumes: &Volumes) -> VolumeTable {
    VolumeTable {
        t_s: numbers(&volumes.t_s, f64::from_ne_bytes),
        volume: names(&volumes.volume),
        ios: numbers(&volumes.ios, u64::from_ne_bytes),
        bytes: numbers(&volumes.bytes, u64::from_ne_bytes),
        waits_us: entries(&volumes.waits_us, f64::from_ne_bytes),
        rates: entries(&volumes.rates, u64::from_ne_bytes),
    }
}

fn names(column: &Column) -> Names {
    Names {
        names: column.names.clone(),
        index: places(&column.index),
    }
}

fn entries<T>(figures: &Figures, number: fn([u8; 8]) -> T) -> Entries<T> {
    Entries {
        row: places(&figures.row),
        limit: names(&figures.limit),
        value: numbers(&figures.value, number),
    }
}

fn places(column: &[u8]) -> Vec<usize> {
    numbers(column, |bytes| u64::from_ne_bytes(bytes) as usize)
}

fn floats(column: &[u8]) -> Vec<f64> {
    numbers(column, f64::from_ne_bytes)
}

fn integers(column: &[u8]) -> Vec<u64> {
    numbers(column, u64::from_ne_bytes)
}

fn numbers<T>(column: &[u8], number: fn([u8; 8]) -> T) -> Vec<T> {
    let (numbers, _) = column.as_chunks::<8>();
    numbers.iter().copied().map(number).collect()
}
