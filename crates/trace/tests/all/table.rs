//! The columns of `ios.csv` as a Parquet table, for tests.

use std::sync::Arc;

use blockyard_trace::{OPS, Row};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, Int64Type};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use super::written::JOB;

/// As pyarrow writes it: any value may be missing.
pub(crate) const SCHEMA: &str = "message ios {
    optional int64 issued_ns; optional int64 due_ns; optional binary job (utf8);
    optional int64 slot; optional binary device (utf8); optional binary op (utf8);
    optional int64 offset; optional int64 bytes; optional int64 completed_ns; }";

/// Rows of a group.
const GROUP: usize = 20;

/// A value of a column.
pub(crate) enum Value {
    Number(Option<u64>),
    Word(String),
}

/// The table of rows.
pub(crate) fn parquet(rows: &[Row]) -> Vec<u8> {
    let rows: Vec<Vec<Value>> = rows.iter().map(values).collect();
    table(SCHEMA, &rows)
}

fn values(row: &Row) -> Vec<Value> {
    vec![
        Value::Number(row.issue),
        Value::Number(row.arrival),
        Value::Word(JOB.to_owned()),
        Value::Number(row.by.map(|by| by.1.into())),
        Value::Word(format!("volume{}", row.device)),
        Value::Word(OPS[row.op as usize].to_owned()),
        Value::Number(Some(row.offset)),
        Value::Number(Some(row.bytes)),
        Value::Number(row.completion),
    ]
}

/// A table of a schema, with values row by row.
pub(crate) fn table(schema: &str, rows: &[Vec<Value>]) -> Vec<u8> {
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let mut file = SerializedFileWriter::new(Vec::new(), schema, Arc::default()).unwrap();
    for rows in rows.chunks(GROUP) {
        let mut group = file.next_row_group().unwrap();
        let mut place = 0;
        while let Some(mut column) = group.next_column().unwrap() {
            let own: Vec<_> = rows.iter().map(|row| &row[place]).collect();
            let (mut numbers, mut words) = (Vec::new(), Vec::new());
            let present = own.iter().map(|value| match value {
                Value::Number(Some(number)) => {
                    numbers.push(*number as i64);
                    1
                }
                Value::Number(None) => 0,
                Value::Word(word) => {
                    words.push(ByteArray::from(word.as_str()));
                    1
                }
            });
            let present: Vec<i16> = present.collect();
            match words.is_empty() {
                true => write::<Int64Type>(column.typed(), &numbers, &present),
                false => write::<ByteArrayType>(column.typed(), &words, &present),
            }
            column.close().unwrap();
            place += 1;
        }
        group.close().unwrap();
    }
    file.into_inner().unwrap()
}

fn write<T: DataType>(
    column: &mut parquet::column::writer::ColumnWriterImpl<'_, T>,
    values: &[T::T],
    present: &[i16],
) {
    column.write_batch(values, Some(present), None).unwrap();
}

/// A row without its `completed_ns`, and one that lacks what each has.
#[test]
fn what_is_missing_is_named() {
    use blockyard_model::storage::Op;
    use blockyard_trace::Trace;

    let row = Row {
        arrival: Some(1),
        issue: Some(2),
        completion: None,
        op: Op::Write,
        offset: 4096,
        bytes: 512,
        device: 0,
        by: Some((0, 7)),
        failed: false,
    };
    let read = |bytes: &[u8]| -> Result<Vec<Row>, String> {
        let trace = Trace::new(bytes, "t", None).map_err(|error| error.to_string())?;
        let rows: Result<Vec<_>, _> = trace.collect();
        rows.map_err(|error| error.to_string())
    };
    let found = read(&parquet(&[row; 3])).unwrap();
    assert_eq!((found.len(), found[2].failed), (3, true));
    let with = |place: usize, value: Value| {
        let mut rows: Vec<_> = (0..25).map(|_| values(&row)).collect();
        rows[22][place] = value;
        read(&table(SCHEMA, &rows)).unwrap_err()
    };
    let said = "t: row 23: no offset; expected one in each row";
    assert_eq!(with(6, Value::Number(None)), said);
    let said = "t: row 23: op `sync`; expected read, write, flush or trim";
    assert_eq!(with(5, Value::Word("sync".into())), said);
    let said = "t: row 23: slot `4294967296`; expected its number";
    assert_eq!(with(3, Value::Number(Some(1 << 32))), said);
    let rows = [vec![Value::Number(Some(1))]];
    let said = read(&table("message t { optional int64 issued_ns; }", &rows)).unwrap_err();
    assert!(
        said.starts_with("t: no column `due_ns`; expected those of an ios.csv"),
        "{said}"
    );
    let said = read(&table("message t { optional int64 other; }", &rows)).unwrap_err();
    assert!(said.starts_with("t: no column `issued_ns`"), "{said}");
    let words = [vec![Value::Word("1".into())]];
    let said = read(&table("message t { optional binary issued_ns; }", &words)).unwrap_err();
    let expected =
        "t: column `issued_ns` has values of type BYTE_ARRAY; expected whole numbers of 64 bits";
    assert_eq!(said, expected);
    let said = read(&parquet(&[row])[..40]).unwrap_err();
    assert!(said.starts_with("t: cannot be read as Parquet: "), "{said}");
}
