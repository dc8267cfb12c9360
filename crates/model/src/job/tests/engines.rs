//! Random `oltp` jobs.

use alloc::format;
use alloc::vec::Vec;

use proptest::prelude::*;

use super::specs::{region, steps};
use crate::spec::{Contact, LinkSpec, ProcessorCost};
use crate::units::{Bytes, KIB, MICROSECOND, MILLISECOND, Nanos, SECOND};
use crate::workload::spec::Region;
use crate::workload::spec::{
    Arrivals, Connections, Draw, Fallback, Flushing, GroupNode, GroupSpec, JobSpec, LogSpec,
    Membership, NuRand, OltpSpec, OnError, Pace, PageUse, Preference, Rejoin, RelayLog,
    SendWindows, Shipped, Shipping, Start, TableSpec, TransactionLoad, TransactionSpec, Wait,
    Which, Wire,
};

fn kinds() -> impl Strategy<Value = Vec<TransactionSpec>> {
    let kind = (1_u32..9, 1_u32..30, 0_u32..10, 1_u64..3000);
    let kinds = prop::collection::vec(kind, 1..4);
    kinds.prop_map(|kinds| {
        let named = (0..).zip(kinds);
        let kind = |(number, (weight, accesses, changes, time)): (u32, (u32, u32, u32, u64))| {
            let changes = changes.min(accesses);
            TransactionSpec {
                name: format!("kind{number}"),
                weight,
                accesses,
                changes,
                tables: split(accesses, changes),
                log: 700,
                binlog: 300,
                processor: time * MICROSECOND,
            }
        };
        named.map(kind).collect()
    })
}

/// Accesses to the second table, if it has any, are half of them.
fn split(accesses: u32, changes: u32) -> Vec<PageUse> {
    let second = (accesses / 2, changes / 2);
    let parts = [(accesses - second.0, changes - second.1), second];
    let of = |(table, (accesses, changes))| PageUse {
        table,
        accesses,
        changes,
    };
    let parts = (0..).zip(parts).map(of);
    parts.filter(|it| it.accesses > 0).collect()
}

/// Two tables that have pages in common.
fn tables(pages: u64) -> impl Strategy<Value = Vec<TableSpec>> {
    let even = Draw::Preferred(Preference::None);
    let law = NuRand {
        a: 63,
        of: 300,
        rows: 7,
    };
    let draw = prop::sample::select(alloc::vec![
        even,
        Draw::Preferred(Preference::Zipf { permille: 900 }),
        Draw::NuRand(law),
    ]);
    (0..pages, draw).prop_map(move |(first, draw)| {
        let second = TableSpec {
            first,
            pages: pages - first,
            draw,
        };
        let all = TableSpec {
            first: 0,
            pages,
            draw: even,
        };
        alloc::vec![all, second]
    })
}

fn loads() -> impl Strategy<Value = TransactionLoad> {
    let closed = (prop::collection::vec(0_u32..9, 1..5), 0..20 * MILLISECOND);
    let closed = closed.prop_map(|(threads, think)| TransactionLoad::Closed {
        steps: steps(threads),
        think,
    });
    let open = (prop::collection::vec(0_u64..500, 1..5), 1_u32..9);
    let open = open.prop_map(|(rates, threads)| TransactionLoad::Open {
        steps: steps(rates),
        arrivals: Arrivals::Poisson,
        threads,
    });
    prop_oneof![closed, open]
}

fn paces() -> impl Strategy<Value = Pace> {
    let adaptive = (0_u64..500, 0_u64..500, 0_u32..500, 0_u32..500);
    let adaptive = adaptive.prop_map(|(rate, more, low, span)| Pace::Adaptive {
        rate,
        most: rate + more,
        low,
        high: low + span,
    });
    let checkpoints = (1..3 * SECOND, 0_u32..=1000);
    let checkpoints = checkpoints.prop_map(|(every, spread)| Pace::Checkpoints { every, spread });
    prop_oneof![adaptive, checkpoints]
}

/// A link from host 0 to that of a node, with nothing that a message could wait for.
fn link(node: usize, delay: [Nanos; 2]) -> LinkSpec {
    LinkSpec {
        name: format!("link{node}"),
        ends: [0, 1 + node],
        delay,
        jitter: 0,
        loss: None,
        overhead: 0,
        bandwidth: 10_000_000_000,
        count: 1,
        payload: 1448,
        headers: 90,
        socket_buffer: None,
        flow_control: None,
        processor: ProcessorCost::default(),
        retry: Some(200 * MILLISECOND),
        timeout: 16 * SECOND,
        contact: Contact::default(),
    }
}

/// A group of up to three nodes.
pub(crate) fn groups() -> impl Strategy<Value = GroupSpec> {
    let delays = prop::array::uniform2(0..2 * MILLISECOND);
    let nodes = prop::collection::vec((delays, 1_u32..4), 1..4);
    let nodes = nodes.prop_map(|nodes| {
        let numbered = (0_usize..).zip(nodes);
        let node = |(number, (delay, cores))| {
            let file = |place, unit, units| Region {
                device: 4 * (1 + number) + place,
                offset: unit,
                size: unit * units,
            };
            GroupNode {
                host: 1 + number,
                link: link(number, delay),
                link_end: (number, 0),
                weight: 1,
                cores,
                data: file(0, 16 * KIB, 500),
                log: file(1, 4 * KIB, 40),
                binlog: Some(file(2, 4 * KIB, 40)),
                doublewrite: Some(file(3, 4 * KIB, 200)),
                relay_log: None,
            }
        };
        numbered.map(node).collect::<Vec<_>>()
    });
    let windows = (1_u64..4, 0_u64..4).prop_map(|(user, more)| SendWindows {
        user,
        all: user + more,
    });
    let drawn = (nodes, 1_u32..5, 0_u64..10, 0_u64..10, windows);
    drawn.prop_map(|(nodes, appliers, lower, more, windows)| GroupSpec {
        between: links_between(&nodes),
        nodes,
        appliers,
        upper: lower + more,
        lower,
        shipping: None,
        log_rooms: Vec::new(),
        membership: Membership {
            suspect: 50 * MILLISECOND,
            check: 5 * MILLISECOND,
            agree: 10 * MILLISECOND,
            time_wait: 50 * MILLISECOND,
            connections: Connections {
                timeout: 20 * MILLISECOND,
                check: 5 * MILLISECOND,
                reconnect: 10 * MILLISECOND,
                keepalive: 10 * MILLISECOND,
            },
            restart: None,
            weight: 1,
            gcache: KIB * KIB,
            blocks_donor: false,
            donor: None,
            windows,
        },
        take_over: None,
    })
}

/// A link between any two of the other nodes.
fn links_between(others: &[GroupNode]) -> Vec<Wire> {
    let nodes = others.len();
    let pairs = (1..=nodes).flat_map(|one| (one + 1..=nodes).map(move |other| [one, other]));
    let wire = |(number, nodes)| Wire {
        link: link(number, others[0].link.delay),
        number,
        nodes,
    };
    (nodes..).zip(pairs).map(wire).collect()
}

/// A primary's standbys, up to three of them.
pub(crate) fn standbys() -> impl Strategy<Value = GroupSpec> {
    const WAITS: [Wait; 4] = [Wait::Nothing, Wait::Received, Wait::Flushed, Wait::Replayed];
    let wait = prop::sample::select(&WAITS);
    let which = prop::sample::select(&[Which::Any, Which::First]);
    let drawn = (groups(), wait, which, any::<prop::sample::Index>());
    drawn.prop_map(|(mut group, wait, which, standbys)| {
        let standbys = 1 + standbys.index(group.nodes.len()) as u32;
        group.nodes.iter_mut().for_each(|node| node.binlog = None);
        GroupSpec {
            appliers: 1,
            upper: u64::MAX,
            lower: u64::MAX,
            shipping: Some(Shipping {
                log: Shipped::Wal,
                wait,
                standbys,
                which,
                timeout: 100 * MILLISECOND,
                fallback: None,
                kept: Bytes::MAX,
                rejoin: Rejoin::Rewind,
                most_lag: Bytes::MAX,
            }),
            ..group
        }
    })
}

/// An engine with a binary log, and its replicas.
pub(crate) fn replicated() -> impl Strategy<Value = (OltpSpec, GroupSpec)> {
    let timeout = prop_oneof![Just(0), MILLISECOND..300 * MILLISECOND];
    let fallback = (timeout, any::<bool>()).prop_map(|(timeout, wait_no_replica)| Fallback {
        timeout,
        wait_no_replica,
    });
    let fallback = prop::option::weighted(0.8, fallback);
    let log = region(2, 4 * KIB, 50);
    let drawn = (engines(), groups(), log, fallback, any::<bool>());
    let drawn = (drawn, any::<prop::sample::Index>());
    drawn.prop_map(|((engine, mut group, log, fallback, durable), replicas)| {
        group.nodes.iter_mut().for_each(|node| {
            let region = Region {
                device: node.data.device + 20,
                ..log
            };
            node.relay_log = Some(RelayLog { region, durable });
        });
        let shipping = Shipping {
            log: Shipped::Binlog,
            wait: fallback.map_or(Wait::Nothing, |_| Wait::Flushed),
            standbys: 1 + replicas.index(group.nodes.len()) as u32,
            which: Which::Any,
            timeout: Nanos::MAX,
            fallback,
            kept: Bytes::MAX,
            rejoin: Rejoin::Never,
            most_lag: Bytes::MAX,
        };
        let group = GroupSpec {
            upper: u64::MAX,
            lower: u64::MAX,
            shipping: Some(shipping),
            ..group
        };
        let engine = OltpSpec {
            binlog: Some(log),
            certification: 0,
            ..engine
        };
        (engine, group)
    })
}

/// Any `oltp` job, alone or in a group.
pub(crate) fn oltp() -> impl Strategy<Value = JobSpec> {
    let group = prop_oneof![groups(), standbys()];
    let group = prop::option::weighted(0.4, group);
    let any = (engines(), group).prop_map(|(engine, group)| OltpSpec { group, ..engine });
    let replicated = replicated().prop_map(|(engine, group)| OltpSpec {
        group: Some(group),
        ..engine
    });
    prop_oneof![4 => any, 1 => replicated].prop_map(JobSpec::Oltp)
}

/// Any engine that is alone.
pub(crate) fn engines() -> impl Strategy<Value = OltpSpec> {
    let files = (
        region(0, 16 * KIB, 5000),
        region(1, 4 * KIB, 50),
        prop::option::of(region(2, 4 * KIB, 50)),
        prop::option::of(region(3, 4 * KIB, 500)),
    );
    let log = (1_u64..200, any::<bool>(), any::<bool>());
    let flushing = (paces(), 1_u32..9, 1_u32..4, 1_u64..20);
    let rest = (1_u64..1000, 1_u32..5, 0..3 * MILLISECOND);
    let on_error = prop::sample::select(&[OnError::Stop, OnError::Abort]);
    let start = prop::sample::select(&[Start::Warm, Start::Cold]);
    let files = files.prop_flat_map(|files| {
        let pages = files.0.size / (16 * KIB);
        (Just(files), tables(pages))
    });
    let rest = (rest, on_error, start);
    (files, kinds(), loads(), log, flushing, rest).prop_map(
        |(((data, log, binlog, doublewrite), tables), kinds, load, own, flushing, rest)| {
            let (pace, batch, cleaners, depth) = flushing;
            let ((pool, cores, certification), on_error, start) = rest;
            OltpSpec {
                name: "oltp".into(),
                data,
                page: 16 * KIB,
                pool,
                start,
                tables,
                kinds,
                load,
                host: 0,
                cores,
                log: LogSpec {
                    region: log,
                    capacity: own.0 * KIB,
                    durable: own.1,
                    full_pages: own.2,
                },
                binlog,
                doublewrite,
                relay_log: None,
                flushing: Flushing {
                    pace,
                    batch,
                    cleaners,
                    depth,
                },
                on_error,
                moves_with: None,
                certification,
                group: None,
            }
        },
    )
}
