//! A wrong line or byte is one error that names it; a file that was cut keeps what is good.

use blockyard_trace::{Format, Trace, open};

fn read(text: &[u8], format: Option<Format>) -> (usize, Option<String>, Option<String>) {
    let mut trace = match Trace::new(text, "t", format) {
        Ok(trace) => trace,
        Err(error) => return (0, Some(error.to_string()), None),
    };
    let (mut rows, mut error) = (0, None);
    for row in &mut trace {
        match row {
            Ok(_) => rows += 1,
            Err(wrong) => error = Some(wrong.to_string()),
        }
    }
    (rows, error, trace.notes().cut.clone())
}

#[test]
fn the_line_the_value_and_what_was_expected_are_named() {
    for (text, format, expected) in [
        ("", None, "t: empty"),
        (
            "1,R,0,512,7\n1,X,0,512,8\n",
            None,
            "t:2: opcode `X`; expected R or W",
        ),
        (
            "1,R,0,512,7\n1,R,-5,512,8\n",
            None,
            "t:2: offset `-5`; expected a whole number of bytes",
        ),
        (
            "1,R,0,512,7\n1,R\n",
            None,
            "t:2: 2 values; expected 5: device_id,opcode,offset,length,timestamp",
        ),
        (
            "9,h,0,Read,0,512,x\n",
            None,
            "t:1: ResponseTime `x`; expected steps of 100 ns",
        ),
        (
            "0,1,512,W,1.5.2\n",
            None,
            "t:1: time `1.5.2`; expected seconds",
        ),
        (
            "fio version 3 iolog\n5 f read 0 512\n6 f wait 7\n",
            None,
            "t:3: action `wait`; expected add, open, close, read, write, trim, sync or datasync",
        ),
        (
            "hello\n",
            Some(Format::FioIolog),
            "t:1: first line `hello`; expected fio version 2 iolog or fio version 3 iolog",
        ),
        (
            "8,0 1 1 0.1 7 Z R 1 + 8 [x]\n",
            None,
            "t:1: action `Z`; expected a letter such as Q, D or C",
        ),
        (
            "8,0 1 1 0.1 7 Q R 1 + 8 [x]\ngarbage\n8,0 1 1 0.2 0 C R 1 + 8 [0]\n",
            None,
            "t:2: line `garbage`; expected MAJOR,MINOR PROCESSOR NUMBER TIME THREAD ACTION, or a \
             summary, as of blkparse",
        ),
        (
            "8,0 1 1 0.1 7 Q R 1 + 8 [x]\nTotal (8,0):\n Reads Queued: 1\n R 1 + 8\n",
            None,
            "t:4: line `R 1 + 8`; expected MAJOR,MINOR PROCESSOR NUMBER TIME THREAD ACTION, or a \
             summary, as of blkparse",
        ),
        (
            "x-1 [000] 1.5: block_rq_issue: 8 R 1 () 5 + 8 [x]\n",
            None,
            "t:1: device `8`; expected MAJOR,MINOR",
        ),
        (
            "TIME(s) COMM PID DISK T SECTOR BYTES LAT(ms)\n1.5 a 1 sda R 5 512 ?\n",
            None,
            "t:2: time `?`; expected milliseconds",
        ),
    ] {
        let (_, error, _) = read(text.as_bytes(), format);
        assert_eq!(error.as_deref(), Some(expected));
    }
    for (mark, format) in [(b"\xff\xfe", None), (b"\xfe\xff", Some(Format::Blkparse))] {
        let (_, error, _) = read(&[mark, "8".as_bytes(), b"\0"].concat(), format);
        let expected = "t: UTF-16 text; convert it with `iconv -f UTF-16 -t UTF-8` first";
        assert_eq!(error.as_deref(), Some(expected));
    }
    let marked = b"\xef\xbb\xbf8,0 1 1 0.000001 7 C R 8 + 8 [0]\n";
    assert_eq!(read(marked, None).1, None);
    let (_, error, _) = read(b"hello, world\n", None);
    let error = error.unwrap();
    assert!(
        error.starts_with("t: no trace that is known; expected one of blockyard, "),
        "{error}"
    );
}

#[test]
fn the_byte_of_a_wrong_record_is_named() {
    let mut record = [0_u8; 32];
    (record[12], record[15]) = (0x2a, 1);
    let mut two = [record, record].concat();
    two[32 + 15] = 9;
    let (rows, error, _) = read(&two, None);
    assert_eq!(rows, 1);
    let expected = "t: byte 32: version 0x900; expected 0x100 at byte 14, as in the records before";
    assert_eq!(error.as_deref(), Some(expected));
    let (rows, error, cut) = read(&[&record[..], &record[..20]].concat(), None);
    assert_eq!((rows, error), (1, None));
    assert_eq!(cut.as_deref(), Some("cut off at byte 52: 20 of 32 bytes"));
}

#[test]
fn a_text_that_is_cut_keeps_its_whole_lines() {
    let (rows, error, cut) = read(b"1,R,0,512,7\n1,W,4096,512,8\n1,W,40", None);
    assert_eq!((rows, error), (2, None));
    let expected =
        "line 3 is cut off: 3 values; expected 5: device_id,opcode,offset,length,timestamp";
    assert_eq!(cut.as_deref(), Some(expected));
}

/// Whether a number misses digits shows where it runs back; elsewhere it is only said.
#[test]
fn a_text_without_its_last_line_end_may_be_cut() {
    let told = |text: &str| {
        let mut trace = Trace::new(text.as_bytes(), "t", None).unwrap();
        let rows = trace.by_ref().map(Result::unwrap).count();
        let notes = trace.notes();
        (rows, notes.cut.is_some(), notes.unended, notes.out_of_order)
    };
    let of_alibaba = "0,R,0,4096,1577808000000046\n0,W,0,4096,1577808000000050\n";
    assert_eq!(told(of_alibaba), (2, false, None, 0));
    let whole = format!("{of_alibaba}0,R,0,4096,1577808000000063");
    assert_eq!(told(&whole), (3, false, Some(3), 0));
    assert_eq!(told(&whole[..whole.len() - 3]), (2, true, None, 0));
    let of_msr = "128166391024154329,prxy,0,Write,1105182720,1024,15";
    assert_eq!(told(of_msr), (1, false, Some(1), 0));
    let own = "issued_ns,due_ns,job,slot,device,op,offset,bytes,completed_ns\n\
               100,100,a,0,data,read,0,4096,9999300\n9999300,9999300,a,0,data,read,0,4096,9999";
    assert_eq!(told(own), (1, true, None, 0));
}

#[test]
fn no_io_ends_before_it_begins() {
    let text = "issued_ns,due_ns,job,slot,device,op,offset,bytes,completed_ns\n\
                500,400,a,0,data,read,0,4096,399\n600,600,a,0,data,read,0,4096,700\n";
    let (_, error, _) = read(text.as_bytes(), None);
    let expected = "t:2: completed_ns `399`; expected none before due_ns, 400";
    assert_eq!(error.as_deref(), Some(expected));
}

#[test]
fn times_that_run_back_are_counted() {
    let mut trace = Trace::new(&b"1,R,0,512,9\n1,R,0,512,4\n1,R,0,512,8\n"[..], "t", None).unwrap();
    assert_eq!(trace.by_ref().count(), 3);
    let notes = trace.notes();
    assert_eq!((notes.out_of_order, notes.furthest_back), (2, 5000));
}

#[test]
fn blktrace_of_several_processors_is_merged() {
    use super::written::written;
    use blockyard_model::storage::Op;
    use blockyard_trace::Row;
    let row = |at, offset| Row {
        arrival: Some(at),
        issue: Some(at + 1),
        completion: Some(at + 5),
        op: Op::Read,
        offset,
        bytes: 512,
        device: 0,
        by: Some((0, 3)),
        failed: false,
    };
    let folder = tempfile::tempdir().unwrap();
    let first = folder.path().join("x.blktrace.0");
    std::fs::write(
        &first,
        written(Format::Blktrace, &[row(10, 0), row(30, 512)]),
    )
    .unwrap();
    let second = written(Format::Blktrace, &[row(20, 1024)]);
    std::fs::write(folder.path().join("x.blktrace.1"), second).unwrap();
    let rows: Vec<_> = open(&first, None).unwrap().map(Result::unwrap).collect();
    let begins: Vec<_> = rows.iter().map(|row| row.arrival.unwrap()).collect();
    assert_eq!(begins, [10, 20, 30]);
}
