//! Lines as the programs themselves wrote them.

use blockyard_model::storage::Op;
use blockyard_trace::{Lost, Row, Trace};

fn rows(text: &str) -> Vec<Row> {
    Trace::new(text.as_bytes(), "t", None)
        .unwrap()
        .map(Result::unwrap)
        .collect()
}

/// What was done, to how many bytes, in which time.
fn told(found: &[Row]) -> Vec<(Op, u64, Option<u64>)> {
    let told = found.iter().map(|row| (row.op, row.bytes, row.latency()));
    told.collect()
}

#[test]
fn examples_of_public_collections() {
    let msr = rows("128166391024154329,prxy,0,Write,1105182720,1024,1514\n");
    assert_eq!(msr[0].arrival, Some(12_816_639_102_415_432_900));
    assert_eq!((msr[0].op, msr[0].latency()), (Op::Write, Some(151_400)));
    let alibaba = rows("0,R,126703661056,4096,1577808000000046\n");
    assert_eq!(
        (alibaba[0].offset, alibaba[0].latency()),
        (126_703_661_056, None)
    );
    let tencent = rows("1538323199,105352008,584,1,1576\n");
    assert_eq!((tencent[0].op, tencent[0].bytes), (Op::Write, 584 * 512));
    let systor = rows(
        "1456095145.133076000,0.000806000,R,0,899056122368,131072\n\
         1456095145.2,,,0,5,0\n1456095145.3,,W,1,4096,512\n",
    );
    assert_eq!((systor.len(), systor[0].latency()), (2, Some(806_000)));
    assert_eq!(systor[1].completion, None);
    let spc = rows("0,20941264,8192,W,0.551706\n0,20939840,8192,r,0.554041\n");
    assert_eq!((spc[0].arrival, spc[1].op), (Some(551_706_000), Op::Read));
}

/// A flush as the kernel makes it: an empty write that asks for it, and the device's own.
#[test]
fn a_flush_of_a_database() {
    let found = rows(
        "# tracer: nop\n\
         postgres-5905 [001] ..... 1.000100: block_io_start: 254,0 FWS 0 () 0 + 0 be,0,4 [postgres]\n\
         postgres-5905 [001] ..... 1.000110: block_rq_issue: 254,0 FF 0 () 0 + 0 be,0,4 [postgres]\n\
         <idle>-0      [001] ..s.. 1.000400: block_rq_complete: 254,0 FF () 18446744073709551615 + 0 be,0,4 [0]\n\
         <idle>-0      [001] ..s.. 1.000410: block_rq_complete: 254,0 WS () 0 + 0 be,0,4 [0]\n",
    );
    assert_eq!(
        told(&found),
        [(Op::Flush, 0, Some(290_000)), (Op::Write, 0, Some(310_000))]
    );
}

/// Kernels and programs have events of their own; the first that says that an IO came counts.
#[test]
fn an_io_that_passes_several_stations_is_one() {
    let found = rows(
        "  8,16   5        1     0.000000000 18615  A   R 1444645666 + 256 <- (8,17) 1444645632\n\
         \x20 8,16   5        2     0.000001850 18615  Q   R 1444645666 + 256 [java]\n\
         \x20 8,16   5        3     0.000002850 18615  G   R 1444645666 + 256 [java]\n\
         \x20 8,16   5        4     0.000003000 18615  P   N [java]\n\
         \x20 8,16   5        5     0.000004000 18615  I   R 1444645666 + 256 [java]\n\
         \x20 8,16   5        6     0.000005000 18615  Q   R 1444645922 + 8 [java]\n\
         \x20 8,16   5        7     0.000006000 18615  M   R 1444645922 + 8 [java]\n\
         \x20 8,16   5        8     0.000007000 18615  D   R 1444645666 + 264 [java]\n\
         \x20 8,16   5       15     0.000356669     0  C   R 1444645666 + 264 [0]\n\
         CPU0 (8,16):\n Reads Queued:           2,      132KiB\n",
    );
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].arrival, Some(1850));
    assert_eq!(
        (found[0].bytes, found[0].latency()),
        (264 * 512, Some(354_819))
    );
}

/// A summary as blkparse prints it, of a processor, a device and, with `-s`, of programs.
const SUMMARY: &str = "mysqld (18615, ...)
 Reads Queued:           2,        8KiB\t Writes Queued:           0,        0KiB
 Allocation wait:        0.000         \t Allocation wait:         0.000
CPU0 (8,16):
 Reads Queued:           2,        8KiB\t Writes Queued:           0,        0KiB
 Read Dispatches:        2,        8KiB\t Write Dispatches:        0,        0KiB
 Reads Requeued:         0\t\t Writes Requeued:         0
 Reads Completed:        1,        4KiB\t Writes Completed:        0,        0KiB
 Read Merges:            0,        0KiB\t Write Merges:            0,        0KiB
 Read depth:             2        \t Write depth:             0
 PC Reads Queued:        0,        0KiB\t PC Writes Queued:        0,        0KiB
 PC Read Disp.:          3,        0KiB\t PC Write Disp.:          0,        0KiB
 PC Reads Req.:          0\t\t PC Writes Req.:          0
 PC Reads Compl.:        3\t\t PC Writes Compl.:        0
 IO unplugs:             1        \t Timer unplugs:           0

Total (8,16):
 Reads Queued:           2,        8KiB\t Writes Queued:           0,        0KiB

Throughput (R/W): 4,000KiB/s / 0KiB/s
Events (8,16): 7 entries
Skips: 0 forward (0 -   0.0%)
";

/// Two outputs of blkparse in one file; what goes on at the end of one does not end in the other.
#[test]
fn events_after_a_summary_count() {
    let events = |device: &str, whole: &[u32], begun: u32| {
        let line = |nth: usize, what: &str, sector: u32| {
            format!("  {device} 1 {nth} 0.00000{nth}000 18615  {what}  R {sector} + 8 [0]\n")
        };
        let note = "0 0.000000100 18615  m   N cfq18615S alloced (1)";
        let mut text = format!("  {device} 1 {note}\n");
        for (nth, sector) in whole.iter().enumerate() {
            text += &line(3 * nth + 1, "Q", *sector);
            text += &line(3 * nth + 2, "D", *sector);
            text += &line(3 * nth + 3, "C", *sector);
        }
        text + &line(9, "Q", begun)
    };
    let (first, second) = (events("8,16", &[8, 16], 24), events("8,16", &[24], 8));
    let found = rows(&format!(
        "Input file x added\n{first}{SUMMARY}{second}{SUMMARY}"
    ));
    let told: Vec<_> = found
        .iter()
        .map(|row| (row.offset / 512, row.latency()))
        .collect();
    let took = Some(2000);
    assert_eq!(
        told,
        [(8, took), (16, took), (24, None), (24, took), (8, None)]
    );
}

/// perf writes the thread apart, and such traces often have issue and completion alone.
#[test]
fn what_perf_prints() {
    let found = rows(
        "            fio  1234 [001]  1.000100: block:block_rq_issue: 8,0 R 4096 () 128 + 8 [fio]\n\
         \x20        swapper     0 [001]  1.000400: block:block_rq_complete: 8,0 R () 128 + 8 [0]\n",
    );
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].latency(), found[0].by),
        (Some(300_000), Some((0, 1234)))
    );
}

/// As `perf record -g` has it.
#[test]
fn stacks_below_events_are_skipped() {
    let found = rows(
        "fio  1234 [001]  1.000100: block:block_rq_issue: 8,0 R 4096 () 128 + 8 [fio]\n\
         \tffffffff9a5d1f60 blk_mq_start_request+0x60 ([kernel.kallsyms])\n\
         \t    7f1c2a0b1f2d [unknown] (/usr/lib/x86_64-linux-gnu/libc.so.6)\n\n\
         swapper     0 [001]  1.000400: block:block_rq_complete: 8,0 R () 128 + 8 [0]\n\
         \tffffffff9a5c8d21 blk_update_request+0x1 ([kernel.kallsyms])\n\n",
    );
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].latency(), Some(300_000));
}

#[test]
fn ends_alone_have_no_arrival() {
    let found = rows("8,0 0 1 0.5 0 C W 128 + 8 [0]\n8,0 0 2 0.6 0 C W 256 + 8 [0]\n");
    assert_eq!(found.len(), 2);
    assert_eq!(
        (found[0].arrival, found[0].completion),
        (None, Some(500_000_000))
    );
}

#[test]
fn biosnoop_of_libbpf_has_no_queue() {
    let found = rows(
        "TIME(s)     COMM           PID     DISK    T SECTOR     BYTES  LAT(ms)\n\
         0.000004    jbd2/sda1-8    171     sda     WS 1234      4096   0.271\n",
    );
    assert_eq!(found[0].latency(), Some(271_000));
    let found = rows(
        "TIME(s)     COMM           PID     DISK    T SECTOR     BYTES  QUE(ms) LAT(ms)\n\
         2.000004    my app         171     sda     R 1234      4096    0.01    0.27\n",
    );
    assert_eq!(found[0].latency(), Some(280_000));
}

/// Times begin with the first end, so its IO began before.
#[test]
fn biosnoops_first_ios_take_as_long_as_it_says() {
    let found = rows(
        "TIME(s)        COMM           PID    DISK    T  SECTOR    BYTES   LAT(ms)\n\
         0.000004001    supervise      1950   xvda1   W  13092560  4096      0.74\n\
         0.000178002    supervise      1950   xvda1   W  13092432  4096      0.61\n\
         0.001469001    supervise      1956   xvda1   W  13092440  4096      1.24\n",
    );
    let took: Vec<_> = found.iter().filter_map(Row::latency).collect();
    assert_eq!(took, [740_000, 610_000, 1_240_000]);
    let ends: Vec<_> = found.iter().filter_map(|row| row.completion).collect();
    assert_eq!(ends[1] - ends[0], 174_001);
}

/// A flush has no sector; bcc calls it a read, libbpf has the kernel's letters.
#[test]
fn biosnoop_tells_of_flushes() {
    let found = rows(
        "TIME(s)     COMM           PID     DISK    T SECTOR     BYTES  LAT(ms)\n\
         0.000004    jbd2/sda1-8    171     sda     R 18446744073709551615 0  0.27\n\
         0.000104    jbd2/sda1-8    171     sda     FF -1       0      0.27\n\
         0.000204    jbd2/sda1-8    171     sda     FWFS 16     4096   0.27\n",
    );
    let told: Vec<_> = found
        .iter()
        .map(|row| (row.op, row.offset, row.bytes))
        .collect();
    let expected = [
        (Op::Flush, 0, 0),
        (Op::Flush, 0, 0),
        (Op::Write, 8192, 4096),
    ];
    assert_eq!(told, expected);
}

/// blkparse prints no sectors where there are none, and calls the device's own flush FN.
#[test]
fn a_flush_as_blkparse_prints_it() {
    for [asked, sent, ended, done] in [
        ["[mysqld]", "[kworker/1:1H]", "0 [0]", "0 [0]"],
        [
            "( 2000) [mysqld]",
            "( 30) [kworker/1:1H]",
            "0 ( 1980) [0]",
            "0 ( 10) [0]",
        ],
        [
            "0 + 0 [mysqld]",
            "0 + 0 [kworker/1:1H]",
            "0 + 0 [0]",
            "0 + 0 [0]",
        ],
    ] {
        let found = rows(&format!(
            "  8,32   1        4     0.004000000 99  Q FWS {asked}\n\
             \x20 8,32   1        5     0.004010000 99  G FWS {asked}\n\
             \x20 8,32   1        7     0.004030000 20  D  FN {sent}\n\
             \x20 8,32   1        8     0.006010000     0  C  FN {ended}\n\
             \x20 8,32   1        9     0.006020000     0  C  WS {done}\n",
        ));
        assert_eq!(
            told(&found),
            [
                (Op::Flush, 0, Some(1_980_000)),
                (Op::Write, 0, Some(2_020_000))
            ]
        );
    }
}

/// What a processor lost, it lost between its own events; what went on then may be another's.
#[test]
fn lost_events_are_told_and_the_rest_is_kept() {
    let event = |processor: u8, at: &str, what: &str, sector: u32| {
        format!("fio-7 [00{processor}] ..... {at}: block_{what} {sector} + 8 be,0,4 [0]\n")
    };
    let asked = "io_start: 8,0 R 4096 ()";
    let ended = "rq_complete: 8,0 R ()";
    for (said, events) in [
        ("CPU:1 [LOST 17 EVENTS]", 17),
        ("CPU:1 [17 EVENTS DROPPED]", 17),
        ("CPU:1 [LOST EVENTS]", 0),
    ] {
        let lines = [
            "CPU 3 is empty\n".to_owned(),
            event(1, "5.000100", asked, 8),
            event(0, "5.000200", asked, 16),
            event(1, "5.000300", ended, 8),
            format!("{said}\n"),
            event(1, "5.000700", asked, 24),
            // Its beginning was before the loss, and it may be another's end.
            event(0, "5.000800", ended, 16),
            event(1, "5.000900", ended, 24),
        ];
        let text = lines.concat();
        let mut trace = Trace::new(text.as_bytes(), "t", None).unwrap();
        let found: Vec<_> = trace.by_ref().map(Result::unwrap).collect();
        let told: Vec<_> = found
            .iter()
            .map(|row| (row.offset, row.latency()))
            .collect();
        assert_eq!(told, [(8 * 512, Some(200_000)), (24 * 512, Some(200_000))]);
        let notes = trace.notes();
        let (from, to) = (5_000_300_000, 5_000_700_000);
        assert_eq!(notes.lost, [Lost { from, to, events }]);
        assert_eq!(notes.unmatched, 1);
    }
}

#[test]
fn version_2_of_fio_waits() {
    let found = rows(
        "fio version 2 iolog\n/dev/sdb add\n/dev/sdb open\n/dev/sdb write 0 4096\n\
         /dev/sdb wait 250 0\n/dev/sdb datasync 0 0\n/dev/sdb close\n",
    );
    assert_eq!(found.len(), 2);
    assert_eq!((found[1].op, found[1].arrival), (Op::Flush, Some(250_000)));
}
