//! The columns of all tables: the one place for their names, types and meanings.

use std::sync::{Arc, LazyLock};

use arrow_schema::{DataType, Field, Schema, SchemaRef};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::batch::RecordBatch;

/// A column of a table.
struct Column {
    name: &'static str,
    kind: Kind,
    /// Whether a row may have no value there.
    null: bool,
    meaning: &'static str,
}

/// What the values of a column are.
#[derive(Clone, Copy)]
enum Kind {
    Text,
    Float,
    Integer,
    /// An integer that takes all 64 bits.
    Unsigned,
    Truth,
    FloatsByName,
    IntegersByName,
}

impl Kind {
    /// In words, and as Arrow has it.
    fn describe(self) -> (&'static str, DataType) {
        match self {
            Self::Text => ("text", DataType::Utf8),
            Self::Float => ("float", DataType::Float64),
            Self::Integer => ("integer", DataType::Int64),
            Self::Unsigned => ("integer", DataType::UInt64),
            Self::Truth => ("true or false", DataType::Boolean),
            Self::FloatsByName => ("floats by name", by_name(DataType::Float64)),
            Self::IntegersByName => ("integers by name", by_name(DataType::Int64)),
        }
    }
}

/// A map from names, with the fields named as pyarrow names them.
fn by_name(value: DataType) -> DataType {
    let key = Field::new("key", DataType::Utf8, false);
    let entry = DataType::Struct(vec![key, Field::new("value", value, true)].into());
    DataType::Map(Arc::new(Field::new("entries", entry, false)), false)
}

const fn column(name: &'static str, kind: Kind, meaning: &'static str) -> Column {
    Column {
        name,
        kind,
        null: false,
        meaning,
    }
}

const fn nullable(name: &'static str, kind: Kind, meaning: &'static str) -> Column {
    Column {
        null: true,
        ..column(name, kind, meaning)
    }
}

/// Of IOs, as intervals and totals have them, and of transactions.
const LATENCIES: &[Column] = &[
    nullable(
        "latency_mean_us",
        Kind::Float,
        "exact mean; null, as all latencies, if nothing ended",
    ),
    nullable(
        "latency_p50_us",
        Kind::Float,
        "median; percentiles are within 0.1 %",
    ),
    nullable("latency_p95_us", Kind::Float, "95th percentile"),
    nullable("latency_p99_us", Kind::Float, "99th percentile"),
    nullable("latency_p99_9_us", Kind::Float, "99.9th percentile"),
    nullable("latency_max_us", Kind::Float, "exact maximum"),
];

const INTERVALS: &[Column] = &[
    column("t_s", Kind::Float, "start of the interval, in seconds"),
    column("job", Kind::Text, "whose IOs"),
    column("device", Kind::Text, "where"),
    column("op", Kind::Text, "`read`, `write`, `flush` or `trim`"),
    column("ios", Kind::Integer, "IOs that completed in the interval"),
    column("bytes", Kind::Integer, "their bytes"),
];

const QUEUE_DEPTH: &[Column] = &[column(
    "queue_depth",
    Kind::Float,
    "IOs in flight, time-weighted mean",
)];

const VOLUMES: &[Column] = &[
    column("t_s", Kind::Float, "start of the interval, in seconds"),
    column(
        "volume",
        Kind::Text,
        "`data.0` is the first volume of `data`",
    ),
    column(
        "ios",
        Kind::Integer,
        "IOs that the volume was granted, as its limits count them: split and merged; of what is \
         observed, as SSD types of EBS would",
    ),
    column("bytes", Kind::Integer, "their bytes"),
    column(
        "throttled_us",
        Kind::FloatsByName,
        "time that each limit throttled IOs, summed, by [its name](#names-of-limits)",
    ),
    nullable(
        "balance_pct",
        Kind::Float,
        "burst balance at the interval's end, in percent; null without credits",
    ),
    nullable(
        "host_balance_pct",
        Kind::Float,
        "lowest burst balance of the volume's instance then, the same in the rows of all volumes \
         behind it; null without",
    ),
    column(
        "limits",
        Kind::IntegersByName,
        "the limits in force, in IOs or bytes a second, by name",
    ),
];

const TRANSACTIONS: &[Column] = &[
    column("t_s", Kind::Float, "start of the interval, in seconds"),
    column("job", Kind::Text, "whose transactions"),
    column(
        "count",
        Kind::Integer,
        "transactions that ended in the interval",
    ),
    column("tps", Kind::Float, "the same a second"),
];

const ENGINE: &[Column] = &[
    column(
        "dirty_pages",
        Kind::Integer,
        "pages in the buffer pool, at the interval's end, whose changes are not on disk",
    ),
    column(
        "checkpoint_age",
        Kind::Integer,
        "bytes of redo log since the oldest change that was not on disk then",
    ),
];

const RUN: &[Column] = &[
    column("scenario", Kind::Integer, "which of the scenarios, from 0"),
    nullable("name", Kind::Text, "its name; null where it cannot be read"),
    nullable(
        "seed",
        Kind::Unsigned,
        "the run's seed; those of repeats follow each other",
    ),
];

const TOTALS: &[Column] = &[
    nullable(
        "job",
        Kind::Text,
        "whose IOs; null, as all that follows, where there is an `error`",
    ),
    nullable("device", Kind::Text, "where"),
    nullable("op", Kind::Text, "`read`, `write` or `flush`"),
    nullable(
        "ios",
        Kind::Integer,
        "IOs that completed, without the warm-up",
    ),
    nullable("bytes", Kind::Integer, "their bytes"),
    nullable("iops", Kind::Float, "IOs a second"),
    nullable("mib_per_s", Kind::Float, "throughput in MiB a second"),
    nullable(
        "peak_iops",
        Kind::Float,
        "IOs a second in the best interval",
    ),
];

const OUTCOME: &[Column] = &[
    nullable(
        "throttled_by",
        Kind::Text,
        "the limit that made the job wait longest, as `data.iops`; null where none did",
    ),
    nullable(
        "throttled_s",
        Kind::FloatsByName,
        "time that the job's IOs, on all its devices, waited for each limit, summed, in seconds",
    ),
];

const GOALS_MET: &[Column] = &[nullable(
    "goals_met",
    Kind::Truth,
    "whether the run met all goals of the scenario; null where it has none",
)];

const TRANSACTION_TOTALS: &[Column] = &[
    nullable(
        "job",
        Kind::Text,
        "whose transactions; null, as all that follows, where there is an `error`",
    ),
    nullable(
        "count",
        Kind::Integer,
        "transactions that ended, without the warm-up",
    ),
    nullable("tps", Kind::Float, "transactions a second"),
];

const ENGINE_TOTALS: &[Column] = &[
    nullable(
        "hit_ratio",
        Kind::Float,
        "share of page accesses that found the page in the buffer pool",
    ),
    nullable(
        "reads_per_transaction",
        Kind::Float,
        "pages read for a transaction",
    ),
    nullable(
        "writes_per_transaction",
        Kind::Float,
        "pages written for it, each counted once",
    ),
    nullable(
        "bytes_per_transaction",
        Kind::Float,
        "bytes of all IO for it",
    ),
];

const ERROR: &[Column] = &[nullable(
    "error",
    Kind::Text,
    "why there is no run, in one line; null where there is one",
)];

/// A table.
struct Table {
    name: &'static str,
    /// Its columns, in pieces.
    columns: &'static [&'static [Column]],
    /// Whether it has the rows of many runs.
    of_many: bool,
}

const TABLES: [Table; 6] = [
    Table {
        name: "intervals",
        columns: &[INTERVALS, LATENCIES, QUEUE_DEPTH],
        of_many: false,
    },
    Table {
        name: "volumes",
        columns: &[VOLUMES],
        of_many: false,
    },
    Table {
        name: "transactions",
        columns: &[TRANSACTIONS, LATENCIES, ENGINE],
        of_many: false,
    },
    Table {
        name: "totals_of_many",
        columns: &[RUN, TOTALS, LATENCIES, OUTCOME, GOALS_MET, ERROR],
        of_many: true,
    },
    Table {
        name: "intervals_of_many",
        columns: &[RUN, INTERVALS, LATENCIES, QUEUE_DEPTH, ERROR],
        of_many: true,
    },
    Table {
        name: "transactions_of_many",
        columns: &[
            RUN,
            TRANSACTION_TOTALS,
            LATENCIES,
            ENGINE_TOTALS,
            GOALS_MET,
            ERROR,
        ],
        of_many: true,
    },
];

/// The schemas of `TABLES`, in their order.
static SCHEMAS: LazyLock<[SchemaRef; 6]> = LazyLock::new(|| TABLES.each_ref().map(schema));

/// The schema of `intervals.parquet`.
pub(crate) fn intervals() -> SchemaRef {
    SCHEMAS[0].clone()
}

/// The schema of `volumes.parquet`.
pub(crate) fn volumes() -> SchemaRef {
    SCHEMAS[1].clone()
}

/// The schema of `transactions.parquet`.
pub(crate) fn transactions() -> SchemaRef {
    SCHEMAS[2].clone()
}

/// The schema of `simulate_many`'s totals.
pub(crate) fn totals_of_many() -> SchemaRef {
    SCHEMAS[3].clone()
}

/// The schema of `simulate_many`'s intervals: of a run that failed there are none.
pub(crate) fn intervals_of_many() -> SchemaRef {
    SCHEMAS[4].clone()
}

/// The schema of `simulate_many`'s transactions.
pub(crate) fn transactions_of_many() -> SchemaRef {
    SCHEMAS[5].clone()
}

fn schema(table: &Table) -> SchemaRef {
    // The row of a run that failed has nothing but the scenario and the error.
    let columns = table.columns.iter().copied().flatten();
    let field = |column: &Column| {
        let (_, kind) = column.kind.describe();
        let null = column.null || table.of_many && column.name != "scenario";
        Field::new(column.name, kind, null)
    };
    Arc::new(Schema::new(columns.map(field).collect::<Vec<_>>()))
}

fn table(name: &str) -> PyResult<(&'static Table, SchemaRef)> {
    let mut tables = TABLES.iter().zip(SCHEMAS.iter());
    let found = tables.find(|(table, _)| table.name == name);
    let found = found.map(|(table, schema)| (table, schema.clone()));
    found.ok_or_else(|| {
        let names = TABLES.each_ref().map(|table| table.name).join(", ");
        PyValueError::new_err(format!("no table `{name}`; expected one of {names}"))
    })
}

/// The table `name` (`intervals`, `volumes`, `transactions`, `totals_of_many`,
/// `intervals_of_many` or `transactions_of_many`) without rows: its schema. ValueError for other
/// names.
#[pyfunction]
pub(crate) fn empty_table(name: &str) -> PyResult<RecordBatch> {
    let (_, schema) = table(name)?;
    Ok(RecordBatch(arrow_array::RecordBatch::new_empty(schema)))
}

/// Name, type in words and meaning of each column of a table. ValueError as `empty_table`.
#[pyfunction]
pub(crate) fn table_columns(name: &str) -> PyResult<Vec<(&str, &str, &str)>> {
    let (table, _) = table(name)?;
    let columns = table.columns.iter().copied().flatten();
    let told = columns.map(|column| (column.name, column.kind.describe().0, column.meaning));
    Ok(told.collect())
}
