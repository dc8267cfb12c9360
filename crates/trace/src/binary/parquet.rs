//! The columns of `ios.csv` as a Parquet table.

use blockyard_model::units::{Bytes, Nanos};
use blockyard_text::shorten;
use parquet::basic::Type;
use parquet::column::reader::{ColumnReaderImpl, get_column_reader, get_typed_column_reader};
use parquet::data_type::{ByteArrayType, DataType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, FileReader, SerializedFileReader};

use crate::error::Place;
use crate::found::Found;
use crate::text::cells::{MOST_BYTES, MOST_IO};
use crate::text::{HEADER, Own};
use crate::trace::{Failure, Pull};

/// Rows that are read at once.
const AT_ONCE: usize = 1 << 13;

/// The rows of a table.
pub(crate) struct Parquet {
    file: Box<dyn FileReader>,
    /// The next group of rows.
    next: usize,
    group: Option<Group>,
    /// Rows that were read.
    rows: u64,
}

/// The columns of a group of rows.
struct Group {
    issued: Column<Int64Type>,
    due: Column<Int64Type>,
    job: Column<ByteArrayType>,
    slot: Column<Int64Type>,
    device: Column<ByteArrayType>,
    op: Column<ByteArrayType>,
    offset: Column<Int64Type>,
    bytes: Column<Int64Type>,
    completed: Column<Int64Type>,
}

struct Column<T: DataType> {
    name: &'static str,
    reader: ColumnReaderImpl<T>,
    /// Of each row read, whether it has a value; empty if all have.
    present: Vec<i16>,
    values: Vec<T::T>,
}

impl Parquet {
    /// The table in a file.
    pub(crate) fn new(file: impl ChunkReader + 'static) -> Result<Self, Failure> {
        let file = SerializedFileReader::new(file).map_err(unreadable)?;
        Ok(Self {
            file: Box::new(file),
            next: 0,
            group: None,
            rows: 0,
        })
    }

    fn open(&self, number: usize) -> Result<Group, Failure> {
        Ok(Group {
            issued: self.column(number, "issued_ns")?,
            due: self.column(number, "due_ns")?,
            job: self.column(number, "job")?,
            slot: self.column(number, "slot")?,
            device: self.column(number, "device")?,
            op: self.column(number, "op")?,
            offset: self.column(number, "offset")?,
            bytes: self.column(number, "bytes")?,
            completed: self.column(number, "completed_ns")?,
        })
    }

    /// A column of a group of rows.
    fn column<T: DataType>(&self, group: usize, name: &'static str) -> Result<Column<T>, Failure> {
        let schema = self.file.metadata().file_metadata().schema_descr_ptr();
        let mut all = schema.columns().iter().enumerate();
        let Some((place, found)) = all.find(|(_, column)| column.name() == name) else {
            let message = format!("no column `{name}`; expected those of an ios.csv: {HEADER}");
            return Err(Failure::Wrong(Place::Whole, message));
        };
        let wanted = T::get_physical_type();
        if found.physical_type() != wanted || found.max_rep_level() > 0 {
            let what = match wanted {
                Type::INT64 => "whole numbers of 64 bits",
                _ => "strings",
            };
            let message = format!(
                "column `{name}` has values of type {}; expected {what}",
                found.physical_type()
            );
            return Err(Failure::Wrong(Place::Whole, message));
        }
        let group = self.file.get_row_group(group).map_err(unreadable)?;
        let pages = group.get_column_page_reader(place).map_err(unreadable)?;
        Ok(Column {
            name,
            reader: get_typed_column_reader(get_column_reader(found.clone(), pages)),
            present: Vec::new(),
            values: Vec::new(),
        })
    }
}

impl<T: DataType> Column<T> {
    /// Reads values of the next rows; gives how many rows.
    fn read(&mut self) -> Result<usize, Failure> {
        self.present.clear();
        self.values.clear();
        let present = Some(&mut self.present);
        let read = self
            .reader
            .read_records(AT_ONCE, present, None, &mut self.values);
        Ok(read.map_err(unreadable)?.0)
    }

    /// That all of `count` rows have a value, of which `before` were read before.
    fn check(&self, count: usize, before: u64) -> Result<(), Failure> {
        if self.values.len() == count {
            return Ok(());
        }
        let without = self.present.iter().position(|level| *level == 0);
        let row = before + without.unwrap_or(self.values.len()) as u64 + 1;
        let message = format!("no {}; expected one in each row", self.name);
        Err(Failure::Wrong(Place::Row(row), message))
    }
}

impl Group {
    /// Reads the next rows of all columns; gives how many.
    fn read(&mut self, before: u64) -> Result<usize, Failure> {
        let count = self.issued.read()?;
        let numbers = [
            &mut self.due,
            &mut self.slot,
            &mut self.offset,
            &mut self.bytes,
        ];
        let words = [&mut self.job, &mut self.device, &mut self.op];
        for column in numbers {
            column.read()?;
            column.check(count, before)?;
        }
        for column in words {
            column.read()?;
            column.check(count, before)?;
        }
        self.issued.check(count, before)?;
        self.completed.read()?;
        Ok(count)
    }

    /// Adds a row; `completed` has the ends that were not taken yet.
    fn add(
        &self,
        row: usize,
        completed: &mut impl Iterator<Item = i64>,
        found: &mut Found,
    ) -> Result<(), String> {
        let ended = self
            .completed
            .present
            .get(row)
            .is_none_or(|level| *level > 0);
        let completed = ended.then(|| completed.next()).flatten();
        let time =
            |column: &str, value: i64| within(column, value, Nanos::MAX, "nanoseconds from 0 on");
        let completed = completed.map(|value| time("completed_ns", value));
        let slot = within("slot", self.slot.values[row], u32::MAX.into(), "its number")?;
        let own = Own {
            issued: time("issued_ns", self.issued.values[row])?,
            due: time("due_ns", self.due.values[row])?,
            job: self.job.values[row].data(),
            thread: slot as u32,
            device: self.device.values[row].data(),
            op: self.op.values[row].data(),
            offset: within("offset", self.offset.values[row], MOST_BYTES, BYTES)?,
            bytes: within("bytes", self.bytes.values[row], MOST_IO, BYTES)?,
            completed: completed.transpose()?,
        };
        own.add(found)
    }
}

const BYTES: &str = "a number of bytes that a device may have";

/// A value from 0 to `most`.
fn within(column: &str, value: i64, most: Bytes, expected: &str) -> Result<u64, String> {
    let found = u64::try_from(value).ok().filter(|value| *value <= most);
    found.ok_or_else(|| format!("{column} `{value}`; expected {expected}"))
}

impl Pull for Parquet {
    fn pull(&mut self, found: &mut Found) -> Result<bool, Failure> {
        let Some(group) = &mut self.group else {
            if self.next == self.file.num_row_groups() {
                return Ok(false);
            }
            self.group = Some(self.open(self.next)?);
            self.next += 1;
            return Ok(true);
        };
        let count = group.read(self.rows)?;
        if count == 0 {
            self.group = None;
            return Ok(true);
        }
        let ends = std::mem::take(&mut group.completed.values);
        let mut left = ends.iter().copied();
        for row in 0..count {
            self.rows += 1;
            let added = group.add(row, &mut left, found);
            added.map_err(|wrong| Failure::Wrong(Place::Row(self.rows), wrong))?;
        }
        group.completed.values = ends;
        Ok(true)
    }
}

#[allow(clippy::needless_pass_by_value, reason = "it is passed to map_err")]
fn unreadable(error: ParquetError) -> Failure {
    let said = error.to_string();
    let message = format!("cannot be read as Parquet: {}", shorten(&said));
    Failure::Wrong(Place::Whole, message)
}
