//! What is written in a format is read again, but for what the format does not record.

use blockyard_model::storage::Op;
use blockyard_model::units::Nanos;
use blockyard_trace::write::Iolog;
use blockyard_trace::{Format, Row, Trace};
use proptest::prelude::*;

use super::written::{DEVICES, JOB, written};

/// IOs of a second or so, no two at one place, as an event does not say which IO it is of.
fn rows() -> impl Strategy<Value = Vec<Row>> {
    let one = (
        0_u64..50_000,
        1_u64..400,
        1_u64..400,
        0_usize..3,
        1_u64..64,
        0_u32..2,
        1_u32..9,
    );
    prop::collection::vec(one, 1..60).prop_map(|all| {
        let mut now = 1_000_000_000;
        let each = (0_u64..).zip(all);
        let row = |(number, (gap, queue, device_time, op, sectors, device, thread))| {
            now += gap * 10_000 + 10_000;
            let issue: Nanos = now + queue * 10_000;
            Row {
                arrival: Some(now),
                issue: Some(issue),
                completion: Some(issue + device_time * 10_000),
                op: [Op::Read, Op::Write, Op::Trim][op],
                offset: number * 64 * 512,
                bytes: sectors * 512,
                device,
                by: Some((0, thread)),
                failed: false,
            }
        };
        each.map(row).collect()
    })
}

/// What a format keeps of a row; none if it has no such IO.
fn kept(format: Format, row: &Row) -> Option<Row> {
    let mut row = *row;
    let known = format.recorded();
    let by_device = !matches!(format, Format::Blkparse | Format::Ftrace | Format::Blktrace);
    if !known.threads {
        row.by = None;
    }
    if !known.threads {
        row.issue = None;
    }
    if !known.ends {
        row.completion = None;
    }
    row.arrival = row.arrival.map(|time| time / known.step * known.step);
    if format == Format::Vscsi {
        row.device = 0;
    }
    let trims = by_device
        && !matches!(
            format,
            Format::Blockyard
                | Format::Parquet
                | Format::Biosnoop
                | Format::Vscsi
                | Format::FioIolog
        );
    (row.op != Op::Trim || !trims).then_some(row)
}

/// Rows with names in place of numbers, in the order of their places.
fn told(trace: &mut Trace<'_>) -> Vec<(Row, String, Option<String>)> {
    let rows: Vec<Row> = trace.map(Result::unwrap).collect();
    let mut told: Vec<_> = rows
        .into_iter()
        .map(|mut row| {
            let device = trace.devices()[row.device as usize].clone();
            let job = row.by.map(|(job, _)| trace.jobs()[job as usize].clone());
            row.device = 0;
            row.by = row.by.map(|(_, thread)| (0, thread));
            (row, device, job)
        })
        .collect();
    told.sort_by_key(|(row, ..)| row.offset);
    told
}

fn device(format: Format, number: u32) -> String {
    match format {
        Format::Blkparse | Format::Ftrace | Format::Blktrace => {
            DEVICES[number as usize].replace(',', ":")
        }
        Format::Blockyard | Format::Parquet => format!("volume{number}"),
        Format::FioIolog => format!("/dev/sd{number}"),
        Format::Biosnoop => format!("sd{number}"),
        Format::Msr => format!("prxy.{number}"),
        Format::Vscsi => "disk".into(),
        _ => number.to_string(),
    }
}

proptest! {
    #[test]
    fn rows_are_those_that_were_written(rows in rows()) {
        for format in Format::ALL {
            let expected: Vec<Row> = rows.iter().filter_map(|row| kept(format, row)).collect();
            let text = written(format, &expected);
            if expected.is_empty() {
                continue;
            }
            let mut trace = Trace::new(&text[..], "made", None).unwrap();
            prop_assert_eq!(trace.format(), format);
            let found = told(&mut trace);
            let expected: Vec<_> = expected.into_iter().map(|mut row| {
                let device = device(format, row.device);
                row.device = 0;
                if format == Format::Biosnoop {
                    // Its times begin with the first end.
                    let times = [&mut row.arrival, &mut row.issue, &mut row.completion];
                    times.into_iter().flatten().for_each(|time| *time += 86_400_000_000_000);
                }
                (row, device, row.by.map(|_| JOB.to_owned()))
            }).collect();
            prop_assert_eq!(found, expected, "{:?}", format);
            let out_of_order = trace.notes().out_of_order;
            prop_assert!(out_of_order == 0 || format == Format::Biosnoop);
        }
    }

    #[test]
    fn what_is_written_for_fio_is_read_again(rows in rows()) {
        let mut text = Vec::new();
        let mut log = Iolog::new(&mut text).unwrap();
        for row in &rows {
            log.add(row, DEVICES[row.device as usize]).unwrap();
        }
        log.finish().unwrap();
        let mut trace = Trace::new(&text[..], "made", None).unwrap();
        let found = told(&mut trace);
        let origin = rows[0].arrival.unwrap();
        prop_assert_eq!(found.len(), rows.len());
        for ((row, device, _), own) in found.iter().zip(&rows) {
            prop_assert_eq!(row.arrival, own.arrival.map(|time| time - origin));
            prop_assert_eq!((row.op, row.offset, row.bytes), (own.op, own.offset, own.bytes));
            prop_assert_eq!(device, DEVICES[own.device as usize]);
        }
    }
}
