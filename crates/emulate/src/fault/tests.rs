use blockyard_model::fault::{Effect, Faults};
use blockyard_model::spec::{DeviceSpec, HostSpec, Layout, StorageSpec, VolumeSpec};
use blockyard_model::storage::{Change, Op, Request};
use blockyard_model::units::{GIB, KIB};
use proptest::prelude::*;

use super::*;
use crate::groups::{Group, groups};
use crate::testing;

const MINUTE: Nanos = 60 * SECOND;

/// The faults of a service whose devices are one group.
struct Service {
    group: Group,
    registry: Registry,
    faults: Faults,
}

impl Service {
    fn start(&mut self, now: Nanos, fault: &Fault) -> Result<(), String> {
        let active = self.registry.start(now, fault)?;
        if let Some(own) = active.within(&self.group) {
            self.faults.start(own);
        }
        Ok(())
    }

    fn resume(&mut self, now: Nanos, name: Option<&str>) {
        let volumes = self.registry.resume(now, name).unwrap();
        self.faults.resume(now, &volumes);
    }

    fn clear(&mut self, now: Nanos) {
        self.registry.clear(now);
        self.faults.clear(now);
    }

    fn advance(&mut self, now: Nanos) -> Vec<Change> {
        let mut changes = Vec::new();
        self.faults.advance(now, &mut |change| changes.push(change));
        changes
    }
}

/// Host limits that put `data`, a stripe of two volumes in chunks of 64 KiB, and `wij` on a
/// third into one group.
fn storage() -> StorageSpec {
    let volume = |name| VolumeSpec {
        standby: Vec::new(),
        behind_host: true,
        ..testing::volume(name, GIB, 0)
    };
    let device = |name: &str, layout| DeviceSpec {
        name: name.into(),
        size: GIB,
        layout,
    };
    let stripe = Layout::Stripe {
        chunk: 64 * KIB,
        parts: vec![Layout::Volume(0), Layout::Volume(1)],
    };
    StorageSpec {
        hosts: vec![HostSpec {
            limits: vec![testing::iops(1000, 1)],
            ..HostSpec::unnamed()
        }],
        volumes: vec![volume("data.0"), volume("data.1"), volume("wij")],
        devices: vec![device("data", stripe), device("wij", Layout::Volume(2))],
        links: Vec::new(),
    }
}

fn faults(seed: u64) -> Service {
    let storage = storage();
    Service {
        group: groups(&storage).remove(0),
        registry: Registry::new(&storage, seed),
        faults: Faults::new(&storage, seed),
    }
}

fn fault(json: &str) -> Fault {
    serde_json::from_str(json).unwrap()
}

fn started(json: &str) -> Service {
    let mut faults = faults(1);
    faults.start(0, &fault(json)).unwrap();
    faults
}

fn refusal(json: &str) -> String {
    faults(1).start(0, &fault(json)).unwrap_err()
}

fn request(device: usize, op: Op, offset: u64, len: u64) -> Request {
    Request {
        device,
        op,
        offset,
        len,
        requester: 0.into(),
        submitter: 0,
    }
}

/// Of 100,000 requests at `now`, how many are hit, and by how much.
fn hits(service: &mut Service, now: Nanos, op: Op) -> (u32, Nanos) {
    let (mut hits, mut most) = (0, 0);
    for _ in 0..100_000 {
        let effect = service.faults.on_request(now, &request(1, op, 0, 4096));
        hits += u32::from(effect != Effect::default());
        most = most.max(effect.extra);
    }
    (hits, most)
}

#[test]
fn patterns_have_the_published_numbers() {
    // Minutes since the start, then reads and writes in a hundred thousand
    // and by how many milliseconds they are late.
    let figures = [
        (
            "sustained",
            vec![(0, 50_000, 100_000, 500), (14, 50_000, 100_000, 500)],
            15,
        ),
        (
            "increasing",
            vec![
                (0, 10_000, 25_000, 50),
                (3, 10_000, 25_000, 200),
                (6, 10_000, 25_000, 700),
                (9, 10_000, 25_000, 1_000),
                (14, 10_000, 25_000, 15_000),
            ],
            15,
        ),
        (
            "intermittent",
            vec![
                (0, 100, 100, 30_000),
                (1, 0, 0, 0),
                (6, 100, 100, 10_000),
                (8, 0, 0, 0),
                (14, 100, 100, 20_000),
            ],
            15,
        ),
        (
            "decreasing",
            vec![
                (0, 10_000, 10_000, 20_000),
                (3, 10_000, 10_000, 5_000),
                (6, 10_000, 10_000, 900),
                (9, 10_000, 10_000, 300),
                (12, 10_000, 10_000, 40),
            ],
            15,
        ),
    ];
    for (pattern, phases, minutes) in figures {
        let mut faults = started(&format!(r#"{{"latency": {{"pattern": "{pattern}"}}}}"#));
        assert_eq!(
            faults.faults.next_event(0),
            Some(minutes * MINUTE),
            "{pattern}"
        );
        for (minute, reads, writes, ms) in phases {
            for (op, expected) in [(Op::Read, reads), (Op::Write, writes)] {
                let (hits, extra) = hits(&mut faults, minute * MINUTE, op);
                // Six standard errors of a count that is nearly Poisson's.
                let band = 6.0 * f64::from(expected).sqrt();
                let off = f64::from(hits.abs_diff(expected));
                assert!(
                    off <= band,
                    "{pattern}, minute {minute}: {hits}, not {expected}"
                );
                assert_eq!(extra, ms * MILLISECOND, "{pattern}, minute {minute}");
            }
        }
        assert_eq!(faults.advance(minutes * MINUTE), []);
        assert_eq!(hits(&mut faults, minutes * MINUTE, Op::Write), (0, 0));
    }
}

#[test]
fn a_fault_of_a_volume_reaches_the_requests_that_touch_it() {
    let mut faults = started(
        r#"{"latency": {"on": "data.1", "read": "100%", "latency": "10ms", "duration": "1m"}}"#,
    );
    let mut extra = |device, op, offset, len| {
        let request = request(device, op, offset, len);
        faults.faults.on_request(SECOND, &request).extra
    };
    assert_eq!(extra(0, Op::Read, 0, 64 * KIB), 0);
    assert_eq!(extra(0, Op::Read, 64 * KIB, 4 * KIB), 10 * MILLISECOND);
    assert_eq!(extra(0, Op::Read, 60 * KIB, 8 * KIB), 10 * MILLISECOND);
    assert_eq!(extra(0, Op::Write, 64 * KIB, 4 * KIB), 0);
    assert_eq!(extra(1, Op::Read, 64 * KIB, 4 * KIB), 0);
}

#[test]
fn errors_fail_the_stated_share() {
    let mut faults =
        started(r#"{"error": {"on": "wij", "read": "10%", "flush": "100%", "duration": "5s"}}"#);
    let (reads, extra) = hits(&mut faults, 0, Op::Read);
    assert!((9_500..10_500).contains(&reads) && extra == 0, "{reads}");
    assert_eq!(hits(&mut faults, 0, Op::Write), (0, 0));
    let flush = request(1, Op::Flush, 0, 0);
    assert!(faults.faults.on_request(0, &flush).fails);
    faults.advance(5 * SECOND);
    assert!(!faults.faults.on_request(5 * SECOND, &flush).fails);
}

#[test]
fn overlapping_stalls_pause_until_the_last_ends() {
    let mut faults = started(r#"{"stall": {"on": "data", "duration": "2s"}}"#);
    let (pause, resume) = (
        |volume| Change::Pause { volume },
        |volume| Change::Resume { volume },
    );
    assert_eq!(faults.advance(0), [pause(0), pause(1)]);
    let second = fault(r#"{"stall": {"on": "data.1", "duration": "3s"}}"#);
    faults.start(SECOND, &second).unwrap();
    assert_eq!(faults.advance(SECOND), []);
    assert_eq!(faults.advance(2 * SECOND), [resume(0)]);
    assert_eq!(faults.faults.next_event(2 * SECOND), Some(4 * SECOND));
    assert_eq!(faults.advance(4 * SECOND), [resume(1)]);
    assert_eq!(faults.faults.next_event(4 * SECOND), None);
}

#[test]
fn a_pause_lasts_until_it_is_resumed() {
    let mut faults = started(r#"{"stall": {}}"#);
    assert_eq!(faults.advance(0).len(), 3);
    assert_eq!(faults.faults.next_event(0), None);
    faults.resume(SECOND, Some("data"));
    let resumed = [Change::Resume { volume: 0 }, Change::Resume { volume: 1 }];
    assert_eq!(faults.advance(SECOND), resumed);
    assert_eq!(faults.registry.active(SECOND).len(), 1);
    faults.clear(SECOND);
    assert_eq!(faults.advance(SECOND), [Change::Resume { volume: 2 }]);
    assert_eq!(faults.registry.active(SECOND).len(), 0);
}

#[test]
fn the_worst_of_degradations_counts() {
    let mut faults = started(r#"{"degrade": {"on": "wij", "share": "50%", "duration": "9s"}}"#);
    let worse = fault(r#"{"degrade": {"on": "wij", "share": "12.5%", "duration": "1s"}}"#);
    faults.start(0, &worse).unwrap();
    for (at, permille) in [(0, 125), (SECOND, 500), (9 * SECOND, 1000)] {
        faults.advance(at);
        assert_eq!(faults.faults.applied(2).permille, permille);
    }
}

#[test]
fn the_power_comes_back_when_the_last_cut_ends() {
    let mut faults = started(r#"{"power-cut": {"on": "data", "torn": true, "seed": 5}}"#);
    let cut = |device, seed, torn| PowerChange::Cut { device, seed, torn };
    let power = |now, faults: &mut Service| {
        assert_eq!(faults.advance(now), []);
        faults.registry.take_power(now)
    };
    assert_eq!(power(0, &mut faults), [cut(0, 5, true)]);
    let second = fault(r#"{"power-cut": {"seed": 6, "duration": "2s"}}"#);
    faults.start(0, &second).unwrap();
    assert_eq!(power(0, &mut faults), [cut(0, 6, false), cut(1, 6, false)]);
    assert_eq!(power(SECOND, &mut faults), []);
    let back = [0, 1].map(|device| PowerChange::Restore { device });
    assert_eq!(power(2 * SECOND, &mut faults), back);
}

#[test]
fn each_cut_has_its_return_however_late_they_are_passed_on() {
    let mut faults = started(r#"{"power-cut": {"on": "wij", "seed": 5}}"#);
    let second = fault(r#"{"power-cut": {"on": "wij", "seed": 6}}"#);
    faults.start(SECOND, &second).unwrap();
    let (device, torn) = (1, false);
    let cut = |seed| PowerChange::Cut { device, seed, torn };
    let back = PowerChange::Restore { device };
    let power = faults.registry.take_power(2 * SECOND);
    assert_eq!(power, [cut(5), back, cut(6), back]);
}

#[test]
fn wrong_faults_name_the_field_and_what_was_expected() {
    let refusals = [
        (
            r#"{"latency": {}}"#,
            "latency: missing; expected 1ms to 60s, or a `pattern`",
        ),
        (
            r#"{"latency": {"latency": "61s", "read": "1%", "duration": "1s"}}"#,
            "latency: `61s`; expected 1ms to 60s",
        ),
        (
            r#"{"latency": {"latency": "1ms", "read": "0%", "duration": "1s"}}"#,
            "read, write: no share; expected `read` or `write` above 0%",
        ),
        (
            r#"{"latency": {"latency": "1ms", "read": "1%"}}"#,
            "duration: missing; expected a time as in `5m`",
        ),
        (
            r#"{"latency": {"pattern": "sustained", "duration": "1m"}}"#,
            "pattern: `sustained` has its own shares and times; \
             expected it alone, or `read`, `write`, `latency` and `duration`",
        ),
        (
            r#"{"degrade": {"share": "90%"}}"#,
            "share: `90%`; expected 1% to 89% of the rate",
        ),
        (
            r#"{"stall": {"duration": "0s"}}"#,
            "duration: `0s`; expected a time above 0",
        ),
        (
            r#"{"stall": {"on": "date.0"}}"#,
            "on: `date.0` is neither a device nor a volume that is served; \
             did you mean `data.0`?",
        ),
        (
            r#"{"power-cut": {"on": "data.0"}}"#,
            "on: `data.0` is not a device that is served; did you mean `data`?",
        ),
    ];
    for (json, message) in refusals {
        assert_eq!(refusal(json), message);
    }
}

proptest! {
    /// PlanetScale's account: 1 to 89 % of the rate for 1 to 10 minutes.
    #[test]
    fn an_episode_is_drawn_within_its_bounds(seed: u64) {
        let mut faults = faults(seed);
        faults.start(0, &fault(r#"{"degrade": {}}"#)).unwrap();
        let until = faults.faults.next_event(0).unwrap();
        prop_assert!((MINUTE..=10 * MINUTE).contains(&until));
        faults.advance(0);
        for volume in 0..3 {
            prop_assert!((10..=890).contains(&faults.faults.applied(volume).permille));
        }
    }
}

#[test]
fn groups_have_the_faults_of_their_own_volumes() {
    let storage = StorageSpec {
        hosts: vec![HostSpec::unnamed()],
        ..storage()
    };
    let groups = groups(&storage);
    let mut registry = Registry::new(&storage, 1);
    let mut paused = |json: &str| {
        let active = registry.start(0, &fault(json)).unwrap();
        let paused = groups.iter().map(|group| {
            let mut faults = Faults::new(&group.storage, 1);
            active
                .within(group)
                .into_iter()
                .for_each(|own| faults.start(own));
            let mut paused = 0;
            faults.advance(0, &mut |_| paused += 1);
            paused
        });
        paused.collect::<Vec<_>>()
    };
    assert_eq!(paused(r#"{"stall": {"on": "data"}}"#), [2, 0]);
    assert_eq!(paused(r#"{"stall": {"on": "data.1"}}"#), [1, 0]);
    assert_eq!(paused(r#"{"stall": {"on": "wij"}}"#), [0, 1]);
    assert_eq!(paused(r#"{"stall": {}}"#), [2, 1]);
}
