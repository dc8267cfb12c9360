//! Events of runs that are counted by hand.

use blockyard_model::storage::Op;

use super::*;
use crate::measure::shape::{RunTimes, SeriesKey};

const TENTH: Nanos = SECOND / 10;

/// A run with an event on device 0, from which a job reads.
fn watched(kind: EventKind, at: Nanos, until: Option<Nanos>) -> Events {
    let storage = blockyard_model::spec::StorageSpec {
        hosts: Vec::new(),
        volumes: Vec::new(),
        devices: Vec::new(),
        links: Vec::new(),
    };
    let limits = blockyard_model::storage::Limits::new(&storage);
    let times = RunTimes {
        interval: SECOND,
        warmup: 0,
        duration: 60 * SECOND,
    };
    let mut shape = RunShape::new(times, &[], &storage, &limits);
    shape.series.push(SeriesKey {
        job: 0,
        device: 0,
        op: Op::Read,
    });
    let event = ResolvedEvent::new(kind, "data", at, until, vec![0]);
    Events::new(&shape, &[], vec![(event, String::new())])
}

/// The same with an event on what serves the job while the backup of a mirror is primary.
fn on_the_backup(kind: EventKind, at: Nanos, until: Nanos) -> Events {
    let mut events = watched(kind, at, Some(until));
    events.watched[0].series[0].servers = Servers {
        on: [false, true],
        mirror: Some(0),
    };
    events.takeovers = Takeovers::new(1);
    events
}

/// Ten IOs a second from one second to another.
fn serve(events: &mut Events, seconds: Range<u64>) {
    for second in seconds {
        for place in 0..10 {
            let now = second * SECOND + place * TENTH;
            events.counted(now..now, 0, 1, 0);
        }
        events.end_interval(second * SECOND, (second + 1) * SECOND);
    }
}

fn effect(events: Events, end: Nanos) -> EventEffect {
    let results = events.results(end, |_| Vec::new());
    results[0].effect.unwrap()
}

/// Ten IOs a second from 0 to 10 s and from 13 s on; the event lasts from 10 to 12.5 s.
#[test]
fn an_outage_lasts_until_the_next_io() {
    let mut events = watched(EventKind::Pause, 10 * SECOND, Some(25 * SECOND / 2));
    serve(&mut events, 0..10);
    (10..13).for_each(|second| events.end_interval(second * SECOND, (second + 1) * SECOND));
    serve(&mut events, 13..20);
    let effect = effect(events, 20 * SECOND);
    assert_eq!((effect.outage_s, effect.recovered_s), (3.0, Some(0.5)));
    assert_eq!(effect.iops_before, Some(10.0));
    assert_eq!(effect.iops_during, Some(0.0));
    // From 13.5 s on.
    assert_eq!(effect.iops_after, Some(65.0 / 6.5));
}

/// An IO every two seconds, and an event between two of them.
#[test]
fn the_usual_time_between_ios_is_no_outage() {
    let mut events = watched(EventKind::Pause, 10 * SECOND, Some(101 * TENTH));
    for second in (1..30).step_by(2) {
        events.counted(second * SECOND..second * SECOND, 0, 1, 0);
        events.end_interval((second - 1) * SECOND, (second + 1) * SECOND);
    }
    // The first second is left out.
    let effect = effect(events, 30 * SECOND);
    assert_eq!(
        (effect.outage_s, effect.iops_before),
        (0.0, Some(5.0 / 9.0))
    );
}

/// Nothing is served before an event, during it and for a while after.
#[test]
fn what_was_not_served_before_is_not_the_events_outage() {
    let mut events = watched(EventKind::Pause, 10 * SECOND, Some(11 * SECOND));
    (0..20).for_each(|second| events.end_interval(second * SECOND, (second + 1) * SECOND));
    let effect = effect(events, 20 * SECOND);
    assert_eq!((effect.outage_s, effect.recovered_s), (0.0, None));
}

#[test]
fn what_never_ends_lasts_to_the_end_of_the_run() {
    let mut events = watched(EventKind::Fail, 10 * SECOND, None);
    (0..10_u64).for_each(|second| events.counted(second * SECOND..second * SECOND, 0, 1, 0));
    events.counted(8 * SECOND..9 * SECOND, 0, 0, 1);
    events.counted(11 * SECOND..12 * SECOND, 0, 0, 7);
    let effect = effect(events, 30 * SECOND);
    assert_eq!((effect.outage_s, effect.recovered_s), (20.0, None));
    assert_eq!((effect.failed_ios, effect.iops_after), (7, None));
}

/// The backup becomes primary at 20 s, within the event: until then the event does nothing to
/// the job, which has had no IO since 15 s.
#[test]
fn an_event_counts_a_job_from_the_takeover_on() {
    let mut events = on_the_backup(EventKind::Fail, 10 * SECOND, 40 * SECOND);
    serve(&mut events, 0..15);
    events.counted(15 * SECOND..16 * SECOND, 0, 0, 3);
    events.taken_over(0, vec![20 * SECOND]);
    serve(&mut events, 21..60);
    events.counted(30 * SECOND..31 * SECOND, 0, 0, 5);
    let effect = effect(events, 60 * SECOND);
    assert_eq!((effect.outage_s, effect.failed_ios), (1.0, 5));
    assert_eq!(effect.iops_before, Some(10.0));
    assert_eq!(effect.iops_during, Some(9.5));
    assert_eq!(effect.iops_after, Some(10.0));
}

/// Nobody was served for 5 s before the takeover at 20 s, 10 s before the event.
#[test]
fn before_an_event_is_after_the_takeover() {
    let mut events = on_the_backup(EventKind::Pause, 30 * SECOND, 32 * SECOND);
    serve(&mut events, 0..15);
    events.taken_over(0, vec![20 * SECOND]);
    serve(&mut events, 20..30);
    serve(&mut events, 32..40);
    let effect = effect(events, 40 * SECOND);
    assert_eq!(effect.iops_before, Some(10.0));
    assert_eq!((effect.outage_s, effect.iops_during), (2.0, Some(0.0)));
}

/// The former primary is back in its place when the event begins.
#[test]
fn an_event_on_what_serves_no_job_does_nothing() {
    let mut events = on_the_backup(EventKind::Pause, 30 * SECOND, 32 * SECOND);
    events.taken_over(0, vec![10 * SECOND]);
    events.taken_over(0, vec![10 * SECOND, 20 * SECOND]);
    serve(&mut events, 0..40);
    assert_eq!(events.within(0, 30 * SECOND..31 * SECOND).count(), 0);
    let effect = effect(events, 40 * SECOND);
    assert_eq!((effect.outage_s, effect.iops_during), (0.0, Some(0.0)));
}
