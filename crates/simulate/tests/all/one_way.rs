//! Links that are cut one way: who is not heard, and who gets no answers.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common::{Run, near, run_with};
use crate::membership::{CLUSTER, committed, of_kind, shop};
use blockyard_scenario::EventKind;
use blockyard_simulate::Options;

/// After how long TCP's sender tries again what a cut of 20 s kept back: its timer of 201 ms has
/// doubled six times.
const RESUMES_S: f64 = 127.0 * 0.201;

fn cut(from: &str, more: &[&str]) -> Run {
    let event = format!("events=[{{at: 10s, cut: ab, from: {from}, for: 20s}}]");
    let text = CLUSTER
        .replace("galera:", "standbys:")
        .replace("      appliers: 4\n", "")
        .replace("engine: innodb", "engine: postgres")
        .replace(", binlog: 4KiB", "");
    run_with(
        &text,
        &[&[event.as_str()], more].concat(),
        Options::default(),
    )
}

/// A connection needs both ways, so a third node relays after `gmcast.peer_timeout`, whichever way
/// is cut.
#[test]
fn a_cluster_takes_one_way_for_none() {
    for from in ["from: a, ", "from: b, ", ""] {
        let event = format!("events=[{{at: 10s, cut: ab, {from}for: 20s}}]");
        let run = run_with(CLUSTER, &[&event], Options::default());
        near("outage", shop(&run).outage_s, 4.0, 0.03);
        assert!(of_kind(&run, EventKind::Left).is_empty());
        assert!(committed(&run, 15..29) > 0);
    }
}

/// The third node is cut off for a time: TCP tries again 0.2 s, 0.6 s and 1.4 s after the first
/// message; nodes close connections by which nothing has come for 3 s, and make others 1 s later,
/// which helps nobody whom the others have begun to give up after 5 s.
#[test]
fn a_cluster_waits_for_what_it_hears_and_not_for_the_link() {
    for (cut_s, outage_s, given_up) in [
        (1.2, 1.43, false),
        (2.9, 4.5, false),
        (3.9, 4.5, false),
        (4.2, 6.0, true),
        (4.9, 6.0, true),
    ] {
        let cut = |link| format!("{{at: 10s, cut: {link}, for: {cut_s}s}}");
        let events = format!("events=[{}, {}]", cut("ac"), cut("bc"));
        let run = run_with(CLUSTER, &[&events], Options::default());
        near(&format!("{cut_s} s"), shop(&run).outage_s, outage_s, 0.03);
        assert_eq!(
            !of_kind(&run, EventKind::Left).is_empty(),
            given_up,
            "{cut_s} s"
        );
        let resumed = of_kind(&run, EventKind::Resume);
        let until = resumed
            .iter()
            .filter_map(|it| it.until_s)
            .fold(0.0, f64::max);
        assert!(until <= 10.0 + outage_s + 0.05, "{resumed:?}");
        assert!(committed(&run, 20..60) > 3800);
    }
}

/// A standby that hears the primary and is not heard gets the log all the same, until the sender's
/// buffer is full of what was not acknowledged, or the primary closes the connection; one that does
/// not hear it falls behind at once.
#[test]
fn a_standby_that_is_not_heard_replays_for_a_while() {
    let local = "workload.shop.standbys.synchronous_commit=local";
    let most = |from, more: &[&str]| {
        let run = cut(from, &[&[local], more].concat());
        let nodes = &shop(&run).replication.as_ref().unwrap().nodes;
        (nodes[0].lag.unwrap().most_unreplayed, run)
    };
    let large = "links.ab.socket_buffer=64MiB";
    let (not_heard, run) = most("b", &[large]);
    let event = &of_kind(&run, EventKind::Cut)[0].what;
    assert!(event.contains("ab is cut from b to a"), "{event}");
    let (does_not_hear, _) = most("a", &[large]);
    let timeout = "workload.shop.standbys.wal_sender_timeout=5s";
    let (closed, _) = most("b", &[large, timeout]);
    let (full, _) = most("b", &["links.ab.socket_buffer=16KiB"]);
    // Until TCP tries again, its timer having doubled.
    let each_s = does_not_hear as f64 / RESUMES_S;
    assert!(each_s > 90.0, "{each_s} a second");
    assert!((not_heard as f64) < each_s, "{not_heard}");
    near("15 s of 20", closed as f64 / each_s, 15.0, 0.1);
    near("all but a buffer", full as f64 / each_s, 20.0, 0.05);
}

/// Commits that wait for it wait in both cases, and go on some time after the link works.
#[test]
fn commits_wait_for_answers() {
    for from in ["a", "b"] {
        let all = "workload.shop.standbys.synchronous=2";
        let run = cut(from, &[all]);
        near("outage", shop(&run).outage_s, RESUMES_S, 0.01);
        assert!(committed(&run, 31..60) > 0, "{from}");
    }
}

/// A standby whose answer was lost with its host says how far it is when it is back, though there
/// is nothing more to send to it: those who waited for that are all who would commit more.
#[test]
fn a_standby_that_is_back_answers_what_it_has() {
    let run = cut(
        "b",
        &[
            "workload.shop.standbys.synchronous=2",
            "workload.shop.standbys.restart=1s",
            "events=[{at: 10s, cut: ab, from: b, for: 6s}, {at: 12s, fail: b, for: 1s}]",
        ],
    );
    let [back] = of_kind(&run, EventKind::CatchUp)[..] else {
        panic!("{:?}", run.result.events);
    };
    assert!(back.what.contains("missed nothing"), "{}", back.what);
    assert!(shop(&run).outage_s < 7.0, "{}", shop(&run).outage_s);
    assert!(committed(&run, 18..60) > 3500);
}
