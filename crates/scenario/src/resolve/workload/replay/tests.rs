mod streams;

use std::fs;

use blockyard_model::storage::Op;
use blockyard_model::workload::Offered;
use blockyard_model::workload::spec::{JobSpec, RecordedIo, Recording, ReplayPace, ReplaySpec};

use crate::{Resolved, load};

/// The job of a scenario with these lines, on a trace with this text.
fn job(trace: &str, lines: &str) -> Result<(ReplaySpec, Vec<String>), String> {
    let resolved = resolved(trace, lines)?;
    match resolved.jobs.as_slice() {
        [JobSpec::Replay(spec)] => Ok((spec.clone(), resolved.notices)),
        other => Err(format!("{other:?}")),
    }
}

fn resolved(trace: &str, lines: &str) -> Result<Resolved, String> {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("t.csv"), trace).unwrap();
    let text = format!(
        "name: t\nduration: 10s\nstorage: {{data: {{type: gp3, size: 1GiB}}}}\n\
         workload: {{again: {{kind: replay, on: data, trace: t.csv{lines}}}}}\n"
    );
    let file = folder.path().join("s.yaml").display().to_string();
    let loaded = load(&text, &file, &[]).map_err(|error| error.to_string());
    let resolved = loaded.and_then(|it| it.resolve().map_err(|error| error.to_string()));
    let short = |said: String| {
        let at = said.find("workload.again");
        said[at.unwrap_or(0)..].to_owned()
    };
    resolved.map_err(short)
}

const HEADER: &str = "issued_ns,due_ns,job,slot,device,op,offset,bytes,completed_ns\n";

/// Two threads; the second is asynchronous.
const THREADS: &str = "100,100,db,0,data,write,4096,512,200\n\
                       150,150,db,1,data,read,8192,512,400\n\
                       180,180,db,1,data,read,0,512,300\n\
                       250,250,db,0,data,flush,0,0,260\n\
                       500,500,db,1,data,read,0,1024,600\n";

/// The IOs of all chains, one chain after the other.
fn ios(spec: &ReplaySpec) -> Vec<RecordedIo> {
    chains(spec).concat()
}

/// The IOs of each chain.
fn chains(spec: &ReplaySpec) -> Vec<Vec<RecordedIo>> {
    let count = match &spec.pace {
        ReplayPace::Open { .. } => 1,
        ReplayPace::Chains(most) | ReplayPace::Commits(most) => most.len() as u32,
    };
    let of_chain = |chain: u32| {
        let mut of_chain = Vec::new();
        while {
            let before = of_chain.len();
            let from = before as u64;
            spec.recording.ios.read(chain, from, &mut of_chain);
            of_chain.len() > before
        } {}
        of_chain
    };
    let chains: Vec<_> = (0..count).map(of_chain).collect();
    let all: usize = chains.iter().map(Vec::len).sum();
    assert_eq!(spec.recording.totals.ios, all as u64);
    chains
}

fn waits(spec: &ReplaySpec) -> Vec<u64> {
    ios(spec).iter().map(|io| io.wait).collect()
}

#[test]
fn threads_are_chains_unless_something_else_is_asked_for() {
    let trace = format!("{HEADER}{THREADS}");
    let (spec, notices) = job(&trace, "").unwrap();
    assert_eq!(spec.pace, ReplayPace::Chains([1, 2].into()));
    // The read beside another one follows its issue, the last one the end of both.
    assert_eq!(waits(&spec), [0, 50, 50, 30, 100]);
    let in_flight: Vec<_> = ios(&spec).iter().map(|io| io.in_flight).collect();
    assert_eq!(in_flight, [0, 0, 0, u32::MAX, 0]);
    let said = "1 of 2 threads have several IOs in flight: what these wait for is inferred";
    assert!(
        notices.iter().any(|notice| notice.ends_with(said)),
        "{notices:?}"
    );
    let (spec, _) = job(&trace, ", loop: open, speed: 50").unwrap();
    assert_eq!(
        spec.pace,
        ReplayPace::Open {
            max_outstanding: 1024
        }
    );
    assert_eq!(waits(&spec), [0, 100, 160, 300, 800]);
    let (spec, notices) = job(&trace, ", loop: chains").unwrap();
    assert_eq!(spec.pace, ReplayPace::Chains([1; 3].into()));
    assert!(notices[0].contains("3 chains are inferred"), "{notices:?}");
}

/// Chain 0 is the log's. All that a thread does itself is slower at half the speed.
#[test]
fn threads_that_commit_share_a_log() {
    let trace = format!(
        "{HEADER}0,0,db,0,data,read,0,512,10\n0,0,db,1,data,read,0,512,10\n\
         12,12,db,0,data,write,4096,512,20\n21,21,db,0,data,flush,0,0,30\n\
         33,33,db,0,data,read,0,512,40\n34,34,db,1,data,read,0,512,40\n"
    );
    let (spec, notices) = job(&trace, ", loop: commits, speed: 50").unwrap();
    assert_eq!(spec.pace, ReplayPace::Commits([1; 3].into()));
    assert!(notices.is_empty(), "{notices:?}");
    assert_eq!(waits(&spec), [4, 2, 0, 6, 0, 8]);
    let after = |io: &RecordedIo| io.after.map(|log| (log.work, log.flushes));
    let found: Vec<_> = ios(&spec)
        .iter()
        .map(|io| (io.commits, after(io)))
        .collect();
    assert_eq!(found[..3], [(true, None), (true, None), (false, None)]);
    assert_eq!(found[3], (true, Some((6, 1))));
    assert_eq!(found[4..], [(false, None), (false, Some((0, 1)))]);
}

#[test]
fn a_trace_says_what_can_be_replayed() {
    let alibaba = "1,R,0,512,7\n1,W,4096,4096,9\n";
    let (spec, _) = job(alibaba, "").unwrap();
    assert_eq!(waits(&spec), [0, 2000]);
    assert_eq!(spec.file.size, 8192);
    for (trace, lines, expected) in [
        (
            alibaba,
            ", loop: threads",
            "workload.again.loop: the trace records no threads; expected `chains` or `open`",
        ),
        (
            alibaba,
            ", loop: chains",
            "workload.again.loop: the trace records no ends; expected `open`",
        ),
        (
            alibaba,
            ", device: 2",
            "workload.again.device: no device of the trace is called `2`",
        ),
        (
            "1,R,0,512,7\n2,R,0,512,9\n",
            "",
            "workload.again.device: the trace has 2 devices (1, 2, …); expected one of them",
        ),
        (
            alibaba,
            ", file_size: 4KiB",
            "workload.again.file_size: the recorded IOs reach 8KiB, beyond a file of 4KiB; expected `beyond: wrap` or `beyond: scale`",
        ),
        (
            "1,R,9000000000,512,7\n",
            "",
            "workload.again.file_size: a file of 8789063KiB does not fit the device `data` of 1GiB; a smaller `file_size` takes `beyond: wrap` or `beyond: scale`",
        ),
        (
            alibaba,
            ", format: alibab",
            "workload.again.format: no format is called `alibab`; did you mean `alibaba`?",
        ),
        (
            "8,0 0 1 0.5 0 C W 128 + 8 [0]\n",
            "",
            "workload.again.trace: only ends are recorded; a replay needs when IOs came",
        ),
    ] {
        let said = job(trace, lines).unwrap_err();
        assert!(said.starts_with(expected), "{said}");
    }
    let said = job("1,R,0,512,7\n1,R\n", "").unwrap_err();
    assert!(said.contains("t.csv:2: 2 values; expected 5"), "{said}");
}

#[test]
fn places_wrap_or_scale_where_that_is_said() {
    let trace = "1,R,0,4096,7\n1,W,12288,4096,8\n1,W,6144,4096,9\n";
    let places = |lines: &str| {
        let (spec, _) = job(trace, lines).unwrap();
        ios(&spec).iter().map(|io| io.offset).collect::<Vec<_>>()
    };
    assert_eq!(places(""), [0, 12288, 6144]);
    assert_eq!(places(", file_size: 8KiB, beyond: wrap"), [0, 4096, 4096]);
    assert_eq!(places(", file_size: 8KiB, beyond: scale"), [0, 4096, 0]);
}

#[test]
fn seconds_are_spread_evenly() {
    let trace = "5,0,1,0,9\n5,8,1,1,9\n6,0,1,0,9\n";
    let (spec, notices) = job(trace, "").unwrap();
    assert_eq!(waits(&spec), [0, 500_000_000, 1_000_000_000]);
    assert!(notices[0].contains("steps of 1 s"), "{notices:?}");
}

/// Of what comes later, the run of 10 s knows nothing.
#[test]
fn an_open_loop_offers_what_comes_in_the_run() {
    let at = |ms: u64| format!("1,R,0,512,{}\n", ms * 1000);
    let first: String = (0..500).map(|nth| at(nth * 20)).collect();
    let later: String = (0..500).map(|nth| at(20_000 + nth)).collect();
    for trace in [first.clone(), first + &later] {
        let (spec, _) = job(&trace, "").unwrap();
        assert_eq!(JobSpec::Replay(spec).steps(), [(0, Offered::Rate(50))]);
    }
}

/// An empty write asks for a flush; the one that the kernel made of it is no second one.
#[test]
fn a_flush_is_that_of_who_asked() {
    let trace = format!(
        "{HEADER}10,10,kworker,9,data,flush,0,0,20\n5,5,db,1,data,write,0,0,21\n30,30,db,1,data,write,0,512,40\n"
    );
    let (spec, _) = job(&trace, "").unwrap();
    assert_eq!((waits(&spec), ios(&spec)[0].len), (vec![0, 9], 0));
}

#[test]
fn what_a_recording_does_not_decide_is_known_and_which_one_it_was() {
    let systor = "1.0,0.5,R,1,0,512\n2.0,0.5,W,1,0,512\n";
    let recording = |trace: &str, lines: &str| {
        let found = resolved(trace, lines).unwrap().recordings;
        assert_eq!((found.len(), found[0].job.as_str()), (1, "again"));
        found[0].clone()
    };
    let threads = format!("{HEADER}{}", &THREADS[..THREADS.find("150").unwrap()]);
    assert!(recording(systor, "").undecided);
    assert!(!recording(systor, ", loop: chains").undecided);
    assert!(!recording(systor, ", loop: open").undecided);
    assert!(!recording(&threads, "").undecided);
    let first = recording(systor, "");
    assert_eq!(first.ios, 2);
    assert_eq!(first.digest, recording(systor, ", loop: open").digest);
    let later = systor.replace("1.0,", "11.0,").replace("2.0,", "12.0,");
    assert_eq!(first.digest, recording(&later, "").digest);
    for other in [
        systor.replace("2.0,", "2.1,"),
        systor.replace("W,1,0", "W,1,512"),
    ] {
        assert_ne!(first.digest, recording(&other, "").digest);
    }
}

/// Replays of several devices of a trace keep the distances between them.
#[test]
fn the_first_row_of_any_device_is_the_beginning() {
    let row = |at: u64, device: &str| format!("{at},{at},db,0,{device},read,0,512,{}\n", at + 1);
    let trace = [HEADER.to_owned(), row(100, "log"), row(150, "data")].concat();
    for way in ["open", "threads", "chains", "commits"] {
        let first = |device: &str| {
            let lines = format!(", loop: {way}, device: {device}");
            waits(&job(&trace, &lines).unwrap().0)[0]
        };
        assert_eq!((first("log"), first("data")), (0, 50), "{way}");
    }
    // Rows come by their ends, so that one may be the last.
    let read = |nth: u64| row(100 + nth, "data");
    let late = format!("{}60,60,db,0,log,read,0,512,999999\n", of_many(read));
    assert_eq!(waits(&job(&late, ", device: data").unwrap().0)[0], 40);
}

/// Rows enough that some are replayed before the last one is read.
const MANY: u64 = 140_000;

/// A trace whose row `nth` is `line`, as if it had been read in one piece.
fn of_many(line: impl Fn(u64) -> String) -> String {
    let lines = (0..MANY).map(line);
    [HEADER.to_owned()].into_iter().chain(lines).collect()
}

/// What is known only at the end of a trace holds from its first IO on.
#[test]
fn the_end_of_a_long_trace_decides_how_its_beginning_is_replayed() {
    let flushes = |last: &str| {
        of_many(|nth| match nth {
            _ if nth + 1 == MANY => format!("{nth},{nth},db,0,data,{last},{nth}\n"),
            _ if nth % 3 == 0 => format!("{nth},{nth},db,0,data,flush,0,0,{nth}\n"),
            _ => format!("{nth},{nth},db,0,data,read,0,512,{nth}\n"),
        })
    };
    let of = |last: &str| {
        let (spec, _) = job(&flushes(last), ", loop: open").unwrap();
        let all = ios(&spec);
        let flushes = all.iter().filter(|io| io.op == Op::Flush).count() as u64;
        (all.len() as u64, flushes)
    };
    assert_eq!(of("read,0,512"), (MANY, MANY.div_ceil(3)));
    // It was a flush that asked, so the others are the kernel's.
    assert_eq!(of("write,0,0"), (MANY - MANY.div_ceil(3), 1));
    let far = of_many(|nth| {
        let offset = if nth + 1 == MANY { 1 << 20 } else { 8192 };
        format!("{nth},{nth},db,0,data,read,{offset},4096,\n")
    });
    let (spec, _) = job(&far, ", file_size: 514KiB, beyond: scale").unwrap();
    assert_eq!(ios(&spec)[0].offset, 4096);
    assert_eq!(
        spec.pace,
        ReplayPace::Open {
            max_outstanding: 1024
        }
    );
    let ends = far.replace(&format!("{},4096,\n", 1 << 20), "8192,4096,999999\n");
    let (spec, _) = job(&ends, "").unwrap();
    assert_eq!(spec.pace, ReplayPace::Chains([1].into()));
}

/// Rows come by their ends; one that took the whole time is replayed when it came.
#[test]
fn an_io_that_is_recorded_long_after_others_comes_before_them() {
    let trace = of_many(|nth| {
        let (begin, op) = if nth + 1 == MANY {
            (1, "write")
        } else {
            (2 * nth, "read")
        };
        format!("{begin},{begin},db,0,data,{op},0,512,{}\n", 2 * nth + 1)
    });
    let (spec, _) = job(&trace, ", loop: open").unwrap();
    let all = ios(&spec);
    assert_eq!((all[1].op, all[1].wait), (Op::Write, 1));
    assert!(all.is_sorted_by_key(|io| io.wait));
}

/// What is wrong at the end of a long trace ends it before anything is replayed.
#[test]
fn a_mistake_in_a_long_trace_has_its_line() {
    let line = |nth: u64| format!("{nth},{nth},db,0,data,read,0,512,{nth}\n");
    let whole = of_many(line);
    let said = job(&format!("{whole}7,7,db,0,data,raed,0,512,9\n"), "").unwrap_err();
    let expected = format!(
        "t.csv:{}: op `raed`; expected read, write, flush or trim",
        MANY + 2
    );
    assert!(said.contains(&expected), "{said}");
    let (spec, notices) = job(&format!("{whole}7,7,db,0,da"), "").unwrap();
    assert_eq!(spec.recording.totals.ios, MANY);
    assert!(
        notices.iter().any(|said| said.contains("is cut off")),
        "{notices:?}"
    );
}

/// The IOs that a volume of this type gets from the trace in a folder.
fn recording(folder: &std::path::Path, volume: &str) -> Recording {
    let text = format!(
        "name: t\nduration: 10s\nstorage: {{data: {{type: {volume}, size: 1GiB}}}}\n\
         workload: {{again: {{kind: replay, on: data, trace: t.csv}}}}\n"
    );
    let file = folder.join("s.yaml").display().to_string();
    let resolved = load(&text, &file, &[]).unwrap().resolve().unwrap();
    match resolved.jobs.as_slice() {
        [JobSpec::Replay(spec)] => spec.recording.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn variants_of_a_scenario_share_what_was_read_until_the_trace_changes() {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("t.csv");
    fs::write(&trace, format!("{HEADER}{THREADS}")).unwrap();
    let first = recording(folder.path(), "gp3");
    assert_eq!(first, recording(folder.path(), "gp2"));
    fs::write(
        &trace,
        format!("{HEADER}{}\n", THREADS.lines().next().unwrap()),
    )
    .unwrap();
    let changed = recording(folder.path(), "gp3");
    assert_ne!(first, changed);
    assert_eq!((first.totals.ios, changed.totals.ios), (5, 1));
}
