//! Traces as other programs write them, for tests.

use std::fmt::Write;

use blockyard_model::storage::Op;
use blockyard_model::units::Nanos;
use blockyard_trace::{Format, Row};

/// The devices and the job of all tests; blktrace has numbers of devices.
pub(crate) const DEVICES: [&str; 2] = ["8,0", "8,16"];
pub(crate) const JOB: &str = "post gres";

/// An instant as seconds with `decimals`.
fn seconds(time: Nanos, decimals: usize) -> String {
    let text = format!("{}.{:09}", time / 1_000_000_000, time % 1_000_000_000);
    text[..text.len() - 9 + decimals].to_owned()
}

fn letter(op: Op) -> &'static str {
    match op {
        Op::Read => "R",
        Op::Trim => "D",
        _ => "W",
    }
}

/// What happens to rows, in the order of time: (time, 0 arrival, 1 issue, 2 completion, row).
fn events(rows: &[Row]) -> Vec<(Nanos, u8, usize)> {
    let mut all = Vec::new();
    for (number, row) in rows.iter().enumerate() {
        let times = [row.arrival, row.issue, row.completion];
        let times = (0..)
            .zip(times)
            .filter_map(|(kind, time)| Some((time?, kind, number)));
        all.extend(times);
    }
    all.sort_by_key(|event| event.0);
    all
}

/// The file that the program of `format` would have written.
pub(crate) fn written(format: Format, rows: &[Row]) -> Vec<u8> {
    let mut out = String::new();
    let mut line = |line: String| writeln!(out, "{line}").unwrap();
    match format {
        Format::Blktrace => return blktrace(rows),
        Format::Parquet => return super::table::parquet(rows),
        Format::Vscsi => return rows.iter().flat_map(vscsi).collect(),
        Format::Blkparse => events(rows).into_iter().for_each(|(time, kind, number)| {
            let row = &rows[number];
            let (action, last) = [("Q", JOB), ("D", JOB), ("C", "0")][usize::from(kind)];
            line(format!(
                "{:>6} 3 {number} {} {} {action} {} {} + {} [{last}]",
                DEVICES[row.device as usize],
                seconds(time, 9),
                row.by.map_or(0, |by| by.1),
                letter(row.op),
                row.offset / 512,
                row.bytes / 512,
            ));
        }),
        Format::Ftrace => {
            line("# tracer: nop".into());
            events(rows).into_iter().for_each(|(time, kind, number)| {
                let row = &rows[number];
                let name = ["io_start", "rq_issue", "rq_complete"][usize::from(kind)];
                let (bytes, last) = match kind {
                    2 => (String::new(), "0"),
                    _ => (format!("{} ", row.bytes), JOB),
                };
                line(format!(
                    "{JOB}-{} [001] ..s.. {}: block_{name}: {} {}S {bytes}() {} + {} be,0,4 [{last}]",
                    row.by.map_or(0, |by| by.1),
                    seconds(time, 6),
                    DEVICES[row.device as usize],
                    letter(row.op),
                    row.offset / 512,
                    row.bytes / 512,
                ));
            });
        }
        _ => {
            heading(format)
                .into_iter()
                .for_each(|text| line(text.into()));
            rows.iter().for_each(|row| line(one(format, row)));
        }
    }
    out.into_bytes()
}

fn heading(format: Format) -> Option<&'static str> {
    Some(match format {
        Format::Blockyard => "issued_ns,due_ns,job,slot,device,op,offset,bytes,completed_ns",
        Format::FioIolog => "fio version 3 iolog",
        Format::Biosnoop => "TIME(s) COMM PID DISK T SECTOR BYTES QUE(ms) LAT(ms)",
        Format::Systor => "Timestamp,Response,IOType,LUN,Offset,Size",
        _ => return None,
    })
}

/// The line of an IO.
fn one(format: Format, row: &Row) -> String {
    let number = row.device;
    let Row { offset, bytes, .. } = row;
    let (at, end) = (row.arrival.unwrap(), row.completion.unwrap_or(0));
    let thread = row.by.map_or(0, |by| by.1);
    let op = letter(row.op);
    match format {
        Format::Blockyard => {
            let op = ["read", "write", "flush", "trim"][row.op as usize];
            let issue = row.issue.unwrap();
            format!("{issue},{at},{JOB},{thread},volume{number},{op},{offset},{bytes},{end}")
        }
        Format::FioIolog => {
            let op = ["read", "write", "datasync", "trim"][row.op as usize];
            format!("{} /dev/sd{number} {op} {offset} {bytes}", at / 1000)
        }
        Format::Biosnoop => {
            let issue = row.issue.unwrap();
            let ms = |time: Nanos| seconds(time * 1000, 3);
            format!(
                "{} {JOB} {thread} sd{number} {op} {} {bytes} {} {}",
                seconds(end, 6),
                offset / 512,
                ms(issue - at),
                ms(end - issue),
            )
        }
        Format::Msr => {
            let op = ["Read", "Write"][row.op as usize];
            format!(
                "{},prxy,{number},{op},{offset},{bytes},{}",
                at / 100,
                (end - at) / 100
            )
        }
        Format::Alibaba => format!("{number},{op},{offset},{bytes},{}", at / 1000),
        Format::Tencent => format!(
            "{},{},{},{},{number}",
            at / 1_000_000_000,
            offset / 512,
            bytes / 512,
            row.op as u8
        ),
        Format::Systor => format!(
            "{},{},{op},{number},{offset},{bytes}",
            seconds(at, 9),
            seconds(end - at, 9)
        ),
        Format::Spc => format!("{number},{},{bytes},{op},{}", offset / 512, seconds(at, 6)),
        Format::Blkparse | Format::Ftrace | Format::Vscsi | Format::Blktrace | Format::Parquet => {
            String::new()
        }
    }
}

fn vscsi(row: &Row) -> Vec<u8> {
    let command: u16 = match row.op {
        Op::Read => 0x28,
        Op::Trim => 0x42,
        _ => 0x2a,
    };
    let bytes = (row.bytes as u32).to_le_bytes();
    let sector = (row.offset / 512).to_le_bytes();
    let at = row.arrival.unwrap();
    let micros = (at / 1000).to_le_bytes();
    let (number, segments) = (7_u32.to_le_bytes(), 1_u32.to_le_bytes());
    match row.completion {
        None => [
            &number[..],
            &bytes,
            &segments,
            &command.to_le_bytes(),
            &0x100_u16.to_le_bytes(),
            &sector,
            &micros,
        ]
        .concat(),
        Some(end) => [
            &command.to_le_bytes()[..],
            &0x200_u16.to_le_bytes(),
            &number,
            &bytes,
            &segments,
            &sector,
            &micros,
            &((end - at) / 1000).to_le_bytes(),
        ]
        .concat(),
    }
}

fn blktrace(rows: &[Row]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut add = |time: Nanos, action: u32, row: &Row, follows: &[u8]| {
        out.extend(0x6561_7407_u32.to_be_bytes());
        out.extend(0_u32.to_be_bytes());
        out.extend(time.to_be_bytes());
        out.extend((row.offset / 512).to_be_bytes());
        out.extend((row.bytes as u32).to_be_bytes());
        out.extend(action.to_be_bytes());
        out.extend(row.by.map_or(0, |by| by.1).to_be_bytes());
        out.extend((8 << 20 | row.device << 4).to_be_bytes());
        out.extend(0_u32.to_be_bytes());
        out.extend(0_u16.to_be_bytes());
        out.extend((follows.len() as u16).to_be_bytes());
        out.extend(follows);
    };
    let mut name = [0; 16];
    name[..JOB.len()].copy_from_slice(JOB.as_bytes());
    for row in rows {
        add(0, 1 << 26, row, &name);
    }
    for (time, kind, number) in events(rows) {
        let row = &rows[number];
        let what = match row.op {
            Op::Read => 1 << 16,
            Op::Trim => 1 << 17 | 1 << 29,
            _ => 1 << 17,
        };
        add(time, [1, 7, 8][usize::from(kind)] | what, row, b"");
    }
    out
}
