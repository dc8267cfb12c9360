use blockyard_record::result::{
    EngineHalf, EngineIoTotal, EngineTotal, Event, LinkCause, NodeTotal, ReplicationTotal,
    ThrottledBy, TimeSpent, TransactionStep,
};

use super::*;
use crate::limits::usage::Usage;
use crate::testing::{limit, limit_id, owners, result, scenario, volume};
use crate::transactions::steady_state::Settling;
use crate::waits::links_and_events::{EventHold, LinkHold};

/// Threads on 8 cores; `time` is what the 10 ms of each of 1,000 transactions are spent on.
fn total(time: &[(SpentOn, f64)], io: Vec<EngineIoTotal>) -> TransactionTotal {
    let spent = |&(on, share): &(SpentOn, f64)| TimeSpent {
        on,
        ms: 10.0 * share,
        share,
    };
    TransactionTotal {
        job: "shop".to_owned(),
        count: 1000,
        tps: 100.0,
        latency_us: None,
        waiting: 0,
        held: 0,
        failed: 0,
        refused: 0,
        lost: 0,
        outage_s: 0.0,
        stopped: Vec::new(),
        kinds: Vec::new(),
        steps: vec![step(None, 100.0)],
        time: time.iter().map(spent).collect(),
        io,
        by_5s: None,
        engine: None,
        replication: None,
    }
}

/// A group that flow control has stopped.
fn group(nodes: Vec<NodeTotal>) -> ReplicationTotal {
    ReplicationTotal {
        write_sets: 1000,
        bytes_per_write_set: 100.0,
        pauses: 3,
        paused_s: 10.0,
        silent_s: 0.0,
        without_quorum_s: 0.0,
        binary_log: false,
        asynchronous_s: 0.0,
        unacknowledged: 0,
        nodes,
    }
}

fn step(rate: Option<u64>, tps: f64) -> TransactionStep {
    TransactionStep {
        step: 1,
        from_s: 10.0,
        to_s: 20.0,
        threads: rate.is_none().then_some(8),
        rate,
        count: 1000,
        tps,
        latency_us: None,
    }
}

/// IO of which limits of `data` held these shares.
fn io(purpose: EngineIoUse, throttled: &[(&str, f64)]) -> EngineIoTotal {
    let by = |&(limit, share): &(&str, f64)| ThrottledBy {
        owner: "data".to_owned(),
        limit: limit.to_owned(),
        share,
    };
    EngineIoTotal {
        purpose,
        ios: 10,
        mean_us: 1000.0,
        throttled: throttled.iter().map(by).collect(),
        in_events: 0.0,
        on_links: 0.0,
    }
}

/// Nothing but limits holds anything.
const NONE: OtherWaits<'_> = OtherWaits {
    links: &[],
    events: &[],
};

/// What is said under 3,000 IOPS, of which `used` are used.
fn said(total: TransactionTotal, used: f64) -> Bound {
    said_beside(total, used, NONE)
}

/// The same, beside what links and events held.
fn said_beside(total: TransactionTotal, used: f64, others: OtherWaits<'_>) -> Bound {
    let jobs = scenario(
        "storage: {data: {type: gp3, size: 100GiB}}
workload:
  shop:
    kind: oltp
    engine: innodb
    on: data
    data_size: 10GiB
    pool: 1GiB
    threads: 8
    cores: 8
    transactions: {pay: {pages: 4, cpu: 1ms}}
",
    )
    .jobs;
    let mut iops = limit("data", "iops", 3000.0, "IOPS");
    iops.used = Some(Usage {
        mean: used,
        peak: None,
    });
    // A host stood still, and a volume for longer.
    let pause = |on: &str, until_s| Event {
        until_s: Some(until_s),
        ..Event::noted(
            6.0,
            EventKind::Pause,
            Some(on.into()),
            format!("{on} pauses"),
        )
    };
    let run = RunResult {
        transactions: vec![total],
        volumes: vec![volume("data", 1, 4096)],
        events: vec![pause("data", 20.0), pause("a", 9.0)],
        ..result()
    };
    bound(&run, &jobs, &[iops], others, &owners())
        .unwrap()
        .remove(0)
}

fn of_limit(name: &str) -> Bottleneck {
    Bottleneck::Limit {
        limit: limit_id("data", name),
    }
}

fn percent(bound: &Bound) -> Vec<(Bottleneck, f64)> {
    let parts = bound.parts.iter();
    let rounded = |part: &Part| (part.by.clone(), (1000.0 * part.share).round() / 10.0);
    parts.map(rounded).collect()
}

#[test]
fn a_limit_has_the_part_of_the_waits_that_it_throttled() {
    let time = [
        (SpentOn::PageRead, 0.9),
        (SpentOn::Commit, 0.05),
        (SpentOn::Cpu, 0.05),
    ];
    let ios = vec![
        io(
            EngineIoUse::PageRead,
            &[("iops", 0.9), ("throughput", 0.05)],
        ),
        io(EngineIoUse::PageWrite, &[("throughput", 1.0)]),
        io(EngineIoUse::Log, &[("iops", 0.2)]),
    ];
    let found = said(total(&time, ios), 2950.0);
    assert_eq!(
        percent(&found),
        [
            (of_limit("iops"), 82.0),
            (Bottleneck::Cpu, 5.0),
            (of_limit("throughput"), 4.5),
            (Bottleneck::Reads, 4.5),
            (Bottleneck::Commit, 4.0),
        ]
    );
    assert_eq!(found.by, Some(of_limit("iops")));
    assert!(!found.more_threads && found.short.is_none());
}

#[test]
fn flow_control_waits_for_what_holds_the_node_that_is_behind() {
    let node = |stopped_s, time: &[(SpentOn, f64)], io| NodeTotal {
        host: "b".to_owned(),
        applied: 1000,
        longest_queue: 30,
        queued: 0,
        stopped_s,
        lag: None,
        reads_per_write_set: 1.0,
        writes_per_write_set: 1.0,
        time: total(time, Vec::new()).time,
        io,
    };
    // Three quarters of what is at work is reads, half of which a limit holds.
    let behind = [
        (SpentOn::Thread, 0.6),
        (SpentOn::PageRead, 0.3),
        (SpentOn::Cpu, 0.1),
    ];
    let reads = vec![io(EngineIoUse::PageRead, &[("iops", 0.5)])];
    let nodes = vec![
        node(1.0, &[(SpentOn::Cpu, 1.0)], Vec::new()),
        node(9.0, &behind, reads),
    ];
    let mut held = total(
        &[(SpentOn::FlowControl, 0.8), (SpentOn::Cpu, 0.2)],
        Vec::new(),
    );
    held.replication = Some(group(nodes));
    let found = said(held, 2950.0);
    assert_eq!(
        percent(&found),
        [
            (Bottleneck::FlowControl, 50.0),
            (of_limit("iops"), 30.0),
            (Bottleneck::Cpu, 20.0),
        ]
    );
    assert_eq!(found.by, Some(Bottleneck::FlowControl));
}

#[test]
fn what_makes_room_waits_for_page_writes() {
    let time = [(SpentOn::FreePage, 0.5), (SpentOn::LogSpace, 0.5)];
    let ios = vec![
        io(EngineIoUse::PageRead, &[("iops", 1.0)]),
        io(EngineIoUse::PageWrite, &[("iops", 0.2)]),
    ];
    let found = said(total(&time, ios), 1000.0);
    assert_eq!(
        percent(&found),
        [
            (Bottleneck::Writes, 40.0),
            (Bottleneck::LogSpace, 40.0),
            (of_limit("iops"), 20.0)
        ]
    );
    assert_eq!(found.by, Some(Bottleneck::Writes));
}

#[test]
fn a_limit_that_is_not_full_holds_only_what_takes_much() {
    let found = |share, used| {
        let reads = io(EngineIoUse::PageRead, &[("iops", share)]);
        said(total(&[(SpentOn::PageRead, 1.0)], vec![reads]), used).by
    };
    assert_eq!(found(0.1, 2950.0), Some(of_limit("iops")));
    assert_eq!(found(0.1, 2000.0), Some(Bottleneck::Threads));
    assert_eq!(found(0.3, 2000.0), Some(of_limit("iops")));
    assert_eq!(found(0.01, 2950.0), Some(Bottleneck::Threads));
}

#[test]
fn processors_bind_when_they_are_busy() {
    let cpu = |ms: f64, queued: f64| {
        let mut total = total(
            &[(SpentOn::Cpu, 1.0 - queued), (SpentOn::Core, queued)],
            vec![],
        );
        total.time[0].ms = ms;
        said(total, 0.0).by
    };
    // 100 a second of 75 ms on 8 cores are 94% of these.
    assert_eq!(cpu(75.0, 0.05), Some(Bottleneck::Cpu));
    assert_eq!(cpu(60.0, 0.05), Some(Bottleneck::Threads));
    assert_eq!(cpu(60.0, 0.3), Some(Bottleneck::Cpu));
}

#[test]
fn where_nothing_is_full_threads_bind_or_what_commits_wait_for() {
    let mostly = |on| {
        let found = said(total(&[(on, 0.6), (SpentOn::PageRead, 0.4)], vec![]), 0.0);
        assert!(found.more_threads);
        found.by.unwrap()
    };
    assert_eq!(mostly(SpentOn::Commit), Bottleneck::Commit);
    assert_eq!(mostly(SpentOn::Replication), Bottleneck::Replication);
    assert_eq!(mostly(SpentOn::PageRead), Bottleneck::Threads);
}

/// While commits wait for a standby that is away, more threads only wait with them.
#[test]
fn no_thread_commits_more_while_a_standby_is_away() {
    let mut away = total(&[(SpentOn::Replication, 0.9), (SpentOn::Cpu, 0.1)], vec![]);
    away.replication = Some(group(Vec::new()));
    let more = |away: &TransactionTotal| {
        let found = said(away.clone(), 0.0);
        assert_eq!(found.by, Some(Bottleneck::Replication));
        found.more_threads
    };
    assert!(more(&away));
    away.outage_s = 20.0;
    assert!(!more(&away));
}

#[test]
fn who_waits_for_a_thread_waits_for_what_threads_are_held_by() {
    let reads = io(EngineIoUse::PageRead, &[("iops", 0.8)]);
    let time = [(SpentOn::Thread, 0.5), (SpentOn::PageRead, 0.5)];
    let mut open = total(&time, vec![reads.clone()]);
    open.steps = vec![step(Some(150), 100.0)];
    open.waiting = 500;
    let found = said(open.clone(), 2950.0);
    assert_eq!(
        percent(&found),
        [(of_limit("iops"), 80.0), (Bottleneck::Reads, 20.0)]
    );
    let short = found.short.unwrap();
    assert_eq!((short.due_per_s, short.done_per_s), (150.0, 100.0));
    assert_eq!(short.wait_s, 5.0);
    // It keeps up: nothing holds it but what is full.
    open.waiting = 100;
    open.time.remove(0);
    assert_eq!(said(open.clone(), 2950.0).by, Some(of_limit("iops")));
    open.io.clear();
    let found = said(open.clone(), 0.0);
    assert_eq!(
        (found.by, found.more_threads, found.short),
        (None, false, None)
    );
    // Nor does what was refused, as nobody served for a time: more threads would not have.
    open.refused = 500;
    let found = said(open, 0.0);
    assert_eq!((found.by, found.more_threads), (None, false));
    assert!(found.short.is_some());
}

#[test]
fn what_events_and_links_hold_is_theirs_where_it_is_felt() {
    let held = |job: &str, waited| JobHeld {
        job: job.to_owned(),
        waited,
    };
    let event = |event, jobs| EventHold { event, jobs };
    let events = [
        event(1, vec![held("shop", 0.3)]),
        event(2, vec![held("other", 0.9)]),
        event(4, vec![held("shop", 0.1)]),
    ];
    let links = [LinkHold {
        link: "wan".to_owned(),
        from_host: "a".to_owned(),
        cause: LinkCause::Bandwidth,
        waited: 0.5,
        jobs: vec![held("shop", 0.5)],
    }];
    let commits = EngineIoTotal {
        in_events: 0.2,
        on_links: 0.4,
        ..io(EngineIoUse::Log, &[("iops", 0.1)])
    };
    let all = total(&[(SpentOn::Commit, 1.0)], vec![commits]);
    let others = OtherWaits {
        links: &links,
        events: &events,
    };
    let found = said_beside(all.clone(), 1000.0, others);
    assert_eq!(
        percent(&found),
        [
            (Bottleneck::Link { place: 0 }, 40.0),
            (Bottleneck::Commit, 30.0),
            (Bottleneck::Event { event: 1 }, 15.0),
            (of_limit("iops"), 10.0),
            (Bottleneck::Event { event: 4 }, 5.0),
        ]
    );
    assert_eq!(found.by, Some(Bottleneck::Link { place: 0 }));
    // What nobody feels is latency.
    let found = said(all, 1000.0);
    assert_eq!(
        percent(&found),
        [(Bottleneck::Commit, 90.0), (of_limit("iops"), 10.0)]
    );
}

/// 65,536 pages of pool and 96 MiB of log.
#[test]
fn a_host_that_stands_still_lacks_no_cores() {
    let found = said(
        total(&[(SpentOn::Pause, 0.9), (SpentOn::Cpu, 0.1)], vec![]),
        0.0,
    );
    assert_eq!(found.by, Some(Bottleneck::Event { event: 1 }));
    assert_eq!(percent(&found)[0].1, 90.0);
}

#[test]
fn what_still_rises_or_moves_has_not_settled() {
    let half = |hit_ratio, peak_dirty_pages, mib: u64| EngineHalf {
        tps: 100.0,
        hit_ratio,
        peak_dirty_pages,
        peak_checkpoint_age: mib << 20,
    };
    let found = |before: EngineHalf, after: EngineHalf| {
        let mut total = total(&[(SpentOn::Cpu, 1.0)], vec![]);
        total.engine = Some(EngineTotal {
            hit_ratio: before.hit_ratio,
            accesses_per_transaction: 4.0,
            reads_per_transaction: 1.0,
            writes_per_transaction: 0.0,
            bytes_per_transaction: 0.0,
            doublewrite_bytes_per_transaction: 0.0,
            log_bytes_per_transaction: 0.0,
            binlog_bytes_per_transaction: 0.0,
            checkpoints: 0,
            peak_dirty_pages: after.peak_dirty_pages,
            peak_checkpoint_age: after.peak_checkpoint_age,
            halves: vec![before, after],
        });
        let unsettled = said(total, 0.0).unsettled.into_iter();
        unsettled
            .map(|it| (it.what, it.before, it.after))
            .collect::<Vec<_>>()
    };
    let settled = half(0.9, 1000, 10);
    assert_eq!(found(settled, settled), []);
    // Less is as well as more; a little more is chance.
    assert_eq!(found(settled, half(0.895, 1090, 5)), []);
    assert_eq!(
        found(settled, half(0.9, 1200, 10)),
        [(Settling::DirtyPages, 1000.0, 1200.0)]
    );
    // So few pages say nothing yet.
    assert_eq!(found(half(0.9, 100, 1), half(0.9, 600, 4)), []);
    let mib = f64::from(1 << 20);
    assert_eq!(
        found(settled, half(0.9, 1000, 20)),
        [(Settling::CheckpointAge, 10.0 * mib, 20.0 * mib)]
    );
    assert_eq!(
        found(settled, half(0.95, 1000, 10)),
        [(Settling::HitRatio, 0.9, 0.95)]
    );
    assert_eq!(found(half(0.9999, 0, 0), half(0.9997, 0, 0)), []);
}
