//! Changes of what a job replicates to: what each brings is what a simulation of the changed
//! scenario shows.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use blockyard_capacity::{Alternatives, Change, GivesUp, Measure, Row, Service, Worth, what_if};
use blockyard_experiment::Threads;
use blockyard_record::result::{RunResult, TransactionTotal};
use blockyard_simulate::Options;

use crate::asking::{asked, given};

pub(crate) const GALERA: &str = "\
name: cluster
as_of: 2026-11-01
duration: 40s
hosts: {a: {instance: m5.xlarge, zone: us-east-1a}, b: {instance: m5.xlarge, zone: us-east-1b}, c: {instance: m5.xlarge, zone: us-east-1c}}
zones: {round_trip: {us-east-1a/us-east-1b: 1ms, us-east-1a/us-east-1c: 1ms, us-east-1b/us-east-1c: 1ms}}
links:
  ab: {between: [a, b], bandwidth: 1Gbit/s}
  ac: {between: [a, c], bandwidth: 1Gbit/s}
  bc: {between: [b, c], bandwidth: 1Gbit/s}
storage:
  data_a: {type: gp3, size: 90GiB, host: a}
  data_b: {type: gp3, size: 90GiB, host: b}
  data_c: {type: gp3, size: 90GiB, host: c}
workload:
  shop:
    kind: oltp
    engine: innodb
    on: data_a
    data_size: 1GiB
    pool: 4MiB
    threads: 8
    rate: 50/s
    transactions: {pay: {pages: 2, changes: 1, log: 1KiB, binlog: 4KiB, cpu: 1ms}}
    galera:
      nodes: {b: {on: data_b}, c: {on: data_c}}
      appliers: 4
";

const SHOP: &str = "\
name: shop
as_of: 2026-11-01
duration: 30s
hosts: {a: {instance: m5.xlarge}, b: {instance: m5.xlarge}, c: {instance: m5.xlarge}}
links:
  ab: {between: [a, b], round_trip: 1ms, bandwidth: 1Gbit/s}
  ac: {between: [a, c], round_trip: 20ms, bandwidth: 1Gbit/s}
  bc: {between: [b, c], round_trip: 20ms, bandwidth: 1Gbit/s}
storage:
  data_a: {type: gp3, size: 90GiB, host: a}
  data_b: {type: gp3, size: 90GiB, host: b}
  data_c: {type: gp3, size: 90GiB, host: c}
workload:
  shop:
    kind: oltp
    engine: postgres
    on: data_a
    data_size: 1GiB
    pool: 4MiB
    threads: 8
    rate: 50/s
    transactions: {pay: {pages: 2, changes: 1, log: 1KiB, binlog: 1KiB, cpu: 1ms}}
    standbys:
      nodes: {b: {on: data_b}, c: {on: data_c}}
";

const MIRROR: &str = "\
name: mirror
as_of: 2026-11-01
duration: 20s
hosts: {a: {instance: m5.xlarge}, b: {instance: m5.xlarge}}
links: {ab: {between: [a, b], round_trip: 1ms, bandwidth: 1Gbit/s}}
storage:
  data:
    mirror:
      legs: {near: {type: gp3, size: 90GiB, host: a}, far: {type: gp3, size: 90GiB, host: b}}
      link: ab
workload:
  writers: {kind: access_spec, on: data, file_size: 1GiB, pattern: {size: 4KiB, read: 0%, random: 100%}, rate: 500/s}
";

/// What is found with one seed of each change, of which those of replication come first.
pub(crate) fn tried(text: &str, sets: &[&str]) -> Alternatives {
    let asked = asked(given(text, sets), 700_000);
    let found = what_if(&asked, &Threads::of(2), &mut ()).unwrap().unwrap();
    let before = simulated(text, sets, &[]);
    for row in of_replication(&found) {
        let after = simulated(text, sets, &row.sets);
        is_as_simulated([&before, &after], &found, row);
    }
    found
}

/// The changes of replication that were made alone.
pub(crate) fn of_replication(found: &Alternatives) -> Vec<&Row> {
    let is_own = |change: &Change| matches!(change, Change::Setting { .. } | Change::Node { .. });
    let rows = found.changes.iter();
    rows.filter(|row| is_own(&row.change) && row.also.is_empty())
        .collect()
}

/// Their keys, each with whether it is said to help.
fn keys(found: &Alternatives) -> Vec<(String, bool)> {
    let rows = of_replication(found).into_iter().map(|row| {
        let helps = [Worth::Meets, Worth::Cheaper, Worth::Pays];
        let key = match &row.change {
            Change::Setting { key, to, .. } => {
                format!("{key}={}", to.as_deref().unwrap_or("null"))
            }
            _ => "node".to_owned(),
        };
        (key, helps.contains(&row.worth))
    });
    let mut all: Vec<_> = rows.collect();
    all.sort();
    all
}

fn simulated(text: &str, sets: &[&str], more: &[String]) -> RunResult {
    let given = given(text, sets).with(more.to_vec());
    let opened = given
        .open()
        .unwrap_or_else(|error| panic!("{error} {more:?}"));
    opened.simulate(Options::default(), &mut ()).unwrap()
}

/// The verdict on a change is what simulations of the scenario before and after it say.
fn is_as_simulated([before, after]: [&RunResult; 2], found: &Alternatives, row: &Row) {
    let of_ios = |run: &RunResult| Service {
        outage_s: run.mirrors[0].outage_s.unwrap_or_default(),
        errors: run.totals.iter().map(|total| total.errors).sum(),
        lost: 0,
        lost_bytes: run.mirrors[0].lost_bytes,
    };
    let of_transactions = |total: &TransactionTotal| Service {
        outage_s: total.outage_s,
        errors: total.undone(),
        lost: total.lost,
        lost_bytes: 0,
    };
    let service = |run: &RunResult| match run.transactions.first() {
        Some(total) => {
            let mirror = run.mirrors.first();
            Some(Service {
                lost_bytes: mirror.map_or(0, |it| it.lost_bytes),
                ..of_transactions(total)
            })
        }
        None => Some(of_ios(run)),
    };
    let services = (service(before), service(after));
    assert_eq!(found.now.jobs[0].came.service, services.0);
    let came = row.came.as_ref().unwrap_or_else(|| panic!("{row:#?}"));
    assert_eq!(came.jobs[0].came.service, services.1, "{row:#?}");
    let met = |run: &RunResult| run.goals.iter().filter(|goal| goal.met).count();
    if met(after) > met(before) {
        assert_eq!(row.worth, Worth::Meets, "{row:#?}");
    }
    let (Some(old), Some(new)) = services else {
        return;
    };
    let loses = |one: Service, other: Service| {
        one.lost > 2 * other.lost || one.lost_bytes > 2 * other.lost_bytes
    };
    let worse = new.outage_s > 1.1 * old.outage_s + 1.0 || loses(new, old);
    if worse {
        let is_said = |given: &GivesUp| matches!(given, GivesUp::Service { .. });
        assert!(row.gives_up.iter().any(is_said), "{row:#?}");
        let helps = [Worth::Cheaper, Worth::Trades, Worth::Pays];
        assert!(!helps.contains(&row.worth), "{row:#?}");
    }
    let better = new.outage_s < old.outage_s / 1.1 - 1.0 || loses(old, new);
    assert!(
        !better || row.worth < Worth::Nothing || row.worth == Worth::Mixed,
        "{row:#?}"
    );
}

fn expect(found: &Alternatives, expected: &[(&str, bool)]) {
    let expected = expected
        .iter()
        .map(|(key, helps)| ((*key).to_owned(), *helps));
    assert_eq!(
        keys(found),
        expected.collect::<Vec<_>>(),
        "{:#?}",
        of_replication(found)
    );
}

/// A node that has missed too much gets a copy, for which the node with the load stops.
#[test]
fn a_node_that_was_away_for_long_needs_no_copy_that_blocks_the_load() {
    let sets = [
        "events=[{at: 10s, fail: c, for: 10s}]",
        "workload.shop.galera.gcache=1MiB",
        "workload.shop.galera.restart=5s",
        "workload.shop.galera.failover=6s",
        "goals=[shop.transactions.outage <= 7s]",
    ];
    let found = tried(GALERA, &sets);
    expect(
        &found,
        &[
            ("galera.appliers=16", false),
            ("galera.fc_limit=100", false),
            ("galera.gcache=8MiB", true),
            ("galera.sst_donor=b", true),
            ("galera.sst_method=mariabackup", true),
            ("galera.suspect_timeout=20s", false),
            ("galera.suspect_timeout=3s", false),
            ("node", false),
        ],
    );
    let meets = found.changes.iter().filter(|row| row.worth == Worth::Meets);
    assert!(meets.count() >= 3);
}

/// Of three nodes two are lost: no other takes the load, and what starts them again helps.
#[test]
fn two_lost_nodes_have_to_be_started_again() {
    let lost = "events=[{at: 10s, fail: b, for: 10s}, {at: 11s, fail: c, for: 10s}]";
    let found = tried(GALERA, &[lost]);
    expect(
        &found,
        &[
            ("galera.failover=6s", false),
            ("galera.restart=10s", true),
            ("galera.suspect_timeout=3s", false),
            ("node", false),
        ],
    );
}

/// The node with the load is cut off, and refuses what a longer silence lets wait.
#[test]
fn a_short_cut_is_bridged_by_a_longer_silence() {
    let cut = "events=[{at: 10s, cut: ac, for: 8s}, {at: 10s, cut: ab, for: 8s}]";
    let goal = "goals=[shop.transactions.errors <= 0]";
    let found = tried(GALERA, &[cut, goal]);
    expect(
        &found,
        &[
            ("galera.failover=6s", false),
            ("galera.suspect_timeout=20s", true),
            ("galera.suspect_timeout=3s", true),
            // It relays round the cut links.
            ("node", true),
        ],
    );
    let first = &found.changes[0];
    assert_eq!(first.sets, ["workload.shop.galera.suspect_timeout=20s"]);
    assert_eq!((first.worth, first.dollars), (Worth::Meets, Some(0.0)));
}

/// A node that applies one write set at a time on slow storage stops the others.
#[test]
fn a_node_that_is_behind_gets_more_appliers() {
    let slow = "events=[{at: 1s, degrade: data_c, to: 2%}]";
    let found = tried(
        GALERA,
        &[slow, "workload.shop.galera.appliers=1", "duration=20s"],
    );
    let said = keys(&found);
    assert!(
        said.contains(&("galera.appliers=4".to_owned(), true)),
        "{said:?}"
    );
    assert!(
        said.iter().any(|(key, _)| key == "galera.fc_limit=100"),
        "{said:?}"
    );
    assert!(
        said.iter()
            .all(|(key, _)| !key.contains("gcache") && !key.contains("sst"))
    );
}

/// Where nothing happened there is nothing of a cluster to change.
#[test]
fn a_cluster_in_which_nothing_happens_is_left_as_it_is() {
    expect(&tried(GALERA, &["duration=20s"]), &[]);
}

/// A standby over a thin link takes over, and lacks what clients had been told was committed.
#[test]
fn what_a_standby_lacks_is_kept_by_a_stronger_commit() {
    let sets = [
        "links.ac.bandwidth=200kbit/s",
        "workload.shop.standbys.failover=5s",
        "workload.shop.standbys.synchronous_commit=local",
        "goals=[shop.transactions.lost <= 0]",
        "duration=20s",
    ];
    let best = |more: [&str; 2]| {
        let found = tried(SHOP, &[&sets[..], &more[..]].concat());
        let row = &found.changes[0];
        assert_eq!(row.worth, Worth::Meets, "{:#?}", of_replication(&found));
        row.sets.clone()
    };
    let on = "workload.shop.standbys.synchronous_commit=on";
    let one = "workload.shop.standbys.nodes={c: {on: data_c}}";
    assert_eq!(best([one, "events=[{at: 12s, fail: a}]"]), [on]);
    // Where the near one acknowledges and is lost first, the other lacks that, and is not promoted.
    let both = "events=[{at: 10s, fail: b}, {at: 12s, fail: a}]";
    assert_eq!(best(["seed=1", both]), [on]);
    // To go on then, commits have to wait for both.
    let all = "workload.shop.standbys.synchronous=2";
    let goals = "goals=[shop.transactions.lost <= 0, shop.transactions.outage <= 10s]";
    assert_eq!(best([goals, both]), [on, all]);
}

/// The log that is kept for a standby that is away fills the disk of the primary, which stops.
#[test]
fn a_log_that_fills_its_disk_is_kept_no_longer() {
    let sets = [
        "storage.data_a.size=3GiB",
        "workload.shop.log={file_size: 64MiB}",
        "workload.shop.data_size=2GiB",
        "workload.shop.transactions.pay.log=2MiB",
        "workload.shop.standbys.restart=5s",
        "events=[{at: 3s, fail: b, for: 20s}]",
        "goals=[shop.transactions.outage <= 5s]",
        "duration=25s",
    ];
    let found = tried(SHOP, &sets);
    let row = &found.changes[0];
    assert_eq!(row.worth, Worth::Meets, "{:#?}", of_replication(&found));
    let half = "workload.shop.standbys.max_slot_wal_keep_size=512MiB";
    assert_eq!(row.sets, [half]);
    // Where a base backup was needed as less was kept, all may be.
    let small = "workload.shop.standbys.max_slot_wal_keep_size=10MiB";
    let sets = [&sets[1..3], &sets[4..6], &[small, "duration=40s"]].concat();
    let all = "standbys.max_slot_wal_keep_size=null".to_owned();
    let tried = keys(&tried(SHOP, &sets));
    assert!(tried.iter().any(|(key, _)| *key == all), "{tried:?}");
}

/// A weaker commit is faster, and what that gives up is said though nothing was lost here.
#[test]
fn a_weaker_commit_says_what_it_gives_up() {
    let found = tried(
        SHOP,
        &["workload.shop.standbys.synchronous=2", "duration=10s"],
    );
    expect(
        &found,
        &[
            ("standbys.synchronous=1", true),
            ("standbys.synchronous_commit=local", true),
        ],
    );
    for row in of_replication(&found) {
        let job = "shop".to_owned();
        assert_eq!(row.gives_up, [GivesUp::Promise { job }]);
        assert_eq!(row.worth, Worth::Pays);
    }
}

/// Both replicas are cut off: commits wait for the timeout, then what a failover loses grows.
#[test]
fn a_timeout_of_semi_synchronous_replication_trades_losses_for_waiting() {
    let sets = [
        "workload.shop.engine=innodb",
        "workload.shop.binlog=1GiB",
        "workload.shop.standbys.failover=5s",
        "workload.shop.standbys.semi_sync={timeout: 1s}",
        "events=[{at: 10s, cut: ab, for: 12s}, {at: 10s, cut: ac, for: 12s}, {at: 15s, fail: a}]",
        "goals=[shop.transactions.lost <= 0]",
    ];
    let found = tried(SHOP, &sets);
    expect(
        &found,
        &[
            ("node", true),
            ("standbys.semi_sync.timeout=1h", true),
            // As many are lost, and no commit waits for a replica before.
            ("standbys.semi_sync=null", true),
        ],
    );
    let longer = &found.changes[0];
    assert_eq!(longer.worth, Worth::Meets);
    let waits = |given: &GivesUp| matches!(given, GivesUp::Service { .. });
    assert!(longer.gives_up.iter().any(waits), "{longer:#?}");
}

/// A source that has come back as a replica can take over in turn, and a standby is promoted though
/// it lacks more than it may.
#[test]
fn who_may_serve_is_tried_where_nobody_did() {
    let twice = [
        "workload.shop.engine=innodb",
        "workload.shop.binlog=1GiB",
        "workload.shop.standbys={nodes: {b: {on: data_b}}, failover: 2s, restart: 2s}",
        "events=[{at: 3s, fail: a, for: 3s}, {at: 15s, fail: b}]",
        "goals=[shop.transactions.outage <= 5s]",
        "duration=22s",
    ];
    let behind = [
        "links.ac.bandwidth=200kbit/s",
        "workload.shop.standbys={nodes: {c: {on: data_c}}, failover: 2s, \
         synchronous_commit: local, maximum_lag_on_failover: 4KiB}",
        "events=[{at: 12s, fail: a}]",
        "goals=[shop.transactions.outage <= 5s]",
        "duration=22s",
    ];
    for (sets, key) in [
        (&twice[..], "standbys.rejoin=clone"),
        (&behind, "standbys.maximum_lag_on_failover=null"),
    ] {
        let tried = keys(&tried(SHOP, sets));
        assert!(tried.contains(&(key.to_owned(), true)), "{tried:?}");
    }
}

/// A write that waits for less is faster, and what that gives up is said.
#[test]
fn a_mirror_that_acknowledges_earlier_says_what_it_gives_up() {
    let found = tried(MIRROR, &[]);
    expect(
        &found,
        &[
            ("mirror.acknowledge=A", true),
            ("mirror.acknowledge=B", true),
        ],
    );
    for row in of_replication(&found) {
        let job = "data".to_owned();
        assert_eq!(row.gives_up, [GivesUp::Promise { job }]);
    }
    // What is fenced must have what was acknowledged.
    let fenced = "storage.data.mirror.fencing=resource_and_stonith";
    expect(&tried(MIRROR, &[fenced]), &[("mirror.acknowledge=B", true)]);
}

/// Under A a takeover loses what was under way; under B and C it does not.
#[test]
fn a_mirror_that_lost_writes_may_acknowledge_later() {
    let sets = [
        "links.ab.round_trip=40ms",
        "storage.data.mirror.acknowledge=A",
        "storage.data.mirror.failover=16s",
        "duration=30s",
        "events=[{at: 10s, fail: a}]",
        "goals=[writers.lost_bytes <= 0]",
    ];
    let found = tried(MIRROR, &sets);
    expect(
        &found,
        &[
            ("mirror.acknowledge=B", true),
            ("mirror.acknowledge=C", true),
            ("timeout=8s", false),
        ],
    );
    for row in of_replication(&found) {
        let keeps =
            matches!(&row.change, Change::Setting { key, .. } if key.ends_with("knowledge"));
        assert_eq!(row.worth == Worth::Meets, keeps, "{row:#?}");
    }
    // It takes over as soon as the link's timeout lets it.
    let mut both = found.changes.iter().filter(|row| !row.also.is_empty());
    let sooner = both.any(|row| {
        row.sets
            .iter()
            .any(|set| set == "storage.data.mirror.failover=8s")
    });
    assert!(sooner, "{:#?}", found.changes);
}

/// A host that is lost is taken over from, and a peer that does not answer is given up, as early
/// as is said.
#[test]
fn a_mirror_that_stood_still_may_go_on_earlier() {
    let lost = ["links.ab.timeout=4s", "events=[{at: 5s, fail: a}]"];
    let failover = ("mirror.failover=4s", true);
    let found = tried(MIRROR, &lost);
    expect(
        &found,
        &[
            ("mirror.acknowledge=A", true),
            ("mirror.acknowledge=B", true),
            failover,
            ("timeout=2s", false),
        ],
    );
    // After a cut both hosts would serve. That what failed takes 4 s instead is nothing given up.
    let promise = GivesUp::Promise {
        job: "data".to_owned(),
    };
    let of_failover = |row: &&&Row| matches!(&row.change, Change::Setting { key, .. } if key == "mirror.failover");
    let own = of_replication(&found);
    assert_eq!(own.iter().find(of_failover).unwrap().gives_up, [promise]);
    let silent = ["links.ab.timeout=4s", "events=[{at: 5s, fail: b}]"];
    let found = tried(MIRROR, &silent);
    assert!(keys(&found).contains(&("timeout=2s".to_owned(), true)));
}

/// Both hosts write after a cut, and one loses what it has. Fencing keeps it, and takes time.
#[test]
fn a_mirror_that_parted_may_be_fenced() {
    let sets = [
        "links.ab.timeout=2s",
        "storage.data.mirror.failover=5s",
        "events=[{at: 4s, cut: ab, for: 8s}, {at: 14s, reconnect: data}]",
    ];
    let goal = "goals=[writers.lost_bytes <= 0]";
    let fenced = ["storage.data.mirror.fencing=resource_and_stonith"];
    let by = |row: &&&Row| row.sets == fenced;
    let found = tried(MIRROR, &sets);
    let own = of_replication(&found);
    assert_eq!(own.iter().find(by).unwrap().worth, Worth::Mixed, "{own:#?}");
    let found = tried(MIRROR, &[&sets[..], &[goal]].concat());
    assert_eq!(found.changes[0].worth, Worth::Meets);
    assert_eq!(found.changes[0].sets, fenced);
}

/// No IO is due of a database that is gone with its host: it goes without all the same.
#[test]
fn a_database_on_a_mirror_may_be_taken_over_earlier() {
    let database = "workload={shop: {kind: oltp, engine: postgres, on: data, data_size: 1GiB,
        pool: 64MiB, threads: 8, rate: 20/s, transactions: {pay: {pages: 4, changes: 2,
        log: 4KiB, cpu: 1ms}}}}";
    let sets = [
        database,
        "links.ab.timeout=2s",
        "storage.data.mirror.failover=8s",
        "events=[{at: 5s, fail: a}]",
    ];
    let tried = keys(&tried(MIRROR, &sets));
    let earlier = ("mirror.failover=2s".to_owned(), true);
    assert!(tried.contains(&earlier), "{tried:?}");
}

/// Nothing is served while replication is cut, so what was due then is many times that: which is no
/// reason to ask limits for millions of IOPS.
#[test]
fn what_a_cut_held_up_asks_for_no_millions_of_iops() {
    let text = include_str!("../../../../scenarios/examples/drbd-split-brain.yaml");
    let found = tried(text, &[]);
    // It falls behind, and makes up for all of it.
    assert!(!found.facts.behind.is_empty());
    assert_eq!(found.now.jobs[0].measure, Measure::P99);
    for row in &found.changes {
        assert!(row.refused.is_none(), "{row:#?}");
    }
}
