//! What an event on either failover member of an IRIS mirror does to the load, before and after
//! takeovers.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use blockyard_record::result::{Event, EventEffect, RunResult};
use blockyard_scenario::EventKind;
use blockyard_simulate::Options;

use crate::common::{near, run_with, scenario};
use crate::iris_takeover::MIRROR;

/// The journal and the WIJ have volumes of their own, and the writers add little to the reads of 2
/// processes, which take 1 ms at a gp3 volume.
const APART: [&str; 5] = [
    "storage.log-a={type: gp3, size: 100GiB, host: a}",
    "storage.log-b={type: gp3, size: 100GiB, host: b}",
    "workload.writers.on={data: data-a, wij: log-a, journal: log-a}",
    "workload.writers.mirror.backup.on={data: data-b, wij: log-b, journal: log-b}",
    "workload.writers.updates=10/s",
];

fn with_events(events: &str) -> RunResult {
    let set = format!("events=[{events}]");
    let sets = [&APART[..], &[set.as_str()]].concat();
    run_with(MIRROR, &sets, Options::default()).result
}

/// The scenario's event of a time.
fn event(result: &RunResult, t_s: f64) -> &Event {
    let own = |it: &&Event| it.t_s == t_s && it.effect.is_some();
    result.events.iter().find(own).unwrap()
}

fn effect(result: &RunResult, t_s: f64) -> EventEffect {
    event(result, t_s).effect.unwrap()
}

/// The IOs a second of an event of which the jobs on its volumes were served before and after, and
/// not in the meantime.
#[track_caller]
fn stops_the_load(did: EventEffect, outage_s: f64) {
    assert!(did.iops_before.unwrap() > 1000.0, "{did:?}");
    near("meanwhile", did.iops_during.unwrap() + 1.0, 1.0, 0.5);
    near(
        "after",
        did.iops_after.unwrap(),
        did.iops_before.unwrap(),
        0.25,
    );
    near("outage", did.outage_s, outage_s, 0.01);
}

#[track_caller]
fn does_nothing(did: EventEffect) {
    let rates = [did.iops_before, did.iops_during, did.iops_after];
    assert_eq!(rates, [Some(0.0); 3], "{did:?}");
    assert_eq!((did.outage_s, did.failed_ios), (0.0, 0), "{did:?}");
}

/// The same event before a takeover and after it: the readers are served by a, then by b.
#[test]
fn the_volume_of_a_new_primary_fails() {
    let fails = "{at: 20s, fail: data-b, for: 5s}";
    does_nothing(effect(&with_events(fails), 20.0));
    let lost = with_events(&format!("{{at: 5s, fail: a}}, {fails}"));
    let did = effect(&lost, 20.0);
    stops_the_load(did, 5.0);
    // Each of the two reads fails after a millisecond, again and again.
    assert!(did.failed_ios > 5000, "{did:?}");
    // What the readers do at b after the takeover belongs to what lost a, too.
    let did = effect(&lost, 5.0);
    assert!(did.iops_during.unwrap() > 1000.0, "{did:?}");
}

#[test]
fn a_new_primary_is_paused() {
    let result = with_events("{at: 5s, fail: a}, {at: 20s, pause: b, for: 5s}");
    let paused = event(&result, 20.0);
    assert_eq!(paused.kind, EventKind::Pause);
    stops_the_load(paused.effect.unwrap(), 5.0);
}

/// What b's volume delays is held by what slows that, not by the pause of a, which lasts.
#[test]
fn the_volume_of_a_new_primary_is_slow() {
    let slow = "{at: 20s, degrade: data-b, to: 10%, for: 5s}";
    let result = with_events(&format!("{{at: 5s, pause: a}}, {slow}"));
    let [a, b] = [5.0, 20.0].map(|t_s| event(&result, t_s));
    near(
        "during",
        b.effect.unwrap().iops_during.unwrap(),
        300.0,
        0.01,
    );
    let readers = |of: &Event| {
        let own = of.held.iter().find(|it| it.job == "readers");
        own.map_or(0.0, |it| it.waited_s)
    };
    // Two processes read for 5 s.
    assert!((9.0..10.0).contains(&readers(b)), "{:?}", b.held);
    assert_eq!(readers(a), 0.0, "{:?}", a.held);
    // Before the takeover the same delays no read.
    let early = with_events(slow);
    assert_eq!(readers(event(&early, 20.0)), 0.0);
}

/// From a to b at 7 s, and back at 17 s: the events on data-a count from then on, those on data-b
/// do not.
#[test]
fn the_former_primary_takes_over_again() {
    let result = with_events(
        "{at: 5s, fail: a, for: 3s}, {at: 11s, pause: data-a, for: 2s}, \
         {at: 15s, fail: b, for: 3s}, {at: 25s, pause: data-b, for: 2s}, \
         {at: 32s, pause: data-a, for: 3s}",
    );
    assert_eq!(result.journal_mirrors[0].primary, "a");
    does_nothing(effect(&result, 11.0));
    does_nothing(effect(&result, 25.0));
    stops_the_load(effect(&result, 32.0), 3.0);
    for lost_at in [5.0, 15.0] {
        let did = effect(&result, lost_at);
        near("outage", did.outage_s, 2.0, 0.01);
        near(
            "after",
            did.iops_after.unwrap(),
            did.iops_before.unwrap(),
            0.25,
        );
    }
}

/// It follows the new primary and never serves the readers.
#[test]
fn the_volume_of_an_asynchronous_member_fails() {
    let result = with_events("{at: 5s, fail: a}, {at: 20s, fail: data-c, for: 5s}");
    does_nothing(effect(&result, 20.0));
}

/// A link that ships the journal holds it up whoever is primary; it holds up no readers.
#[test]
fn the_link_is_cut_after_a_takeover() {
    let cut = "{at: 20s, cut: ab, for: 5s}";
    let before = effect(&with_events(cut), 20.0);
    let after = effect(
        &with_events(&format!("{{at: 5s, fail: a, for: 3s}}, {cut}")),
        20.0,
    );
    assert!(before.iops_before.unwrap() > 0.0, "{before:?}");
    for (one, other) in [
        (before.iops_before, after.iops_before),
        (before.iops_during, after.iops_during),
    ] {
        near("journal", other.unwrap(), one.unwrap(), 0.25);
    }
    near("outage", after.outage_s, before.outage_s, 0.25);
}

/// Of two mirrors on the same hosts only the one with an arbiter is taken over.
#[test]
fn one_of_two_mirrors_is_taken_over() {
    let text = scenario("examples/iris-mirror-cut.yaml");
    let sets = ["events=[{at: 1m, fail: primary}]", "duration=90s"];
    let result = run_with(&text, &sets, Options::default()).result;
    let primaries = result.journal_mirrors.iter().map(|it| it.primary.as_str());
    assert_eq!(primaries.collect::<Vec<_>>(), ["backup", "primary"]);
}
