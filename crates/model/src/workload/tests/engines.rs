//! Random `oltp` jobs.

use alloc::format;
use alloc::vec::Vec;

use proptest::prelude::*;

use super::specs::{region, steps};
use crate::units::{KIB, MICROSECOND, MILLISECOND, SECOND};
use crate::workload::spec::{
    Arrivals, Flushing, JobSpec, LogSpec, OltpSpec, Pace, Skew, TransactionLoad, TransactionSpec,
};

fn kinds() -> impl Strategy<Value = Vec<TransactionSpec>> {
    let kind = (1_u32..9, 1_u32..30, 0_u32..10, 1_u64..3000);
    let kinds = prop::collection::vec(kind, 1..4);
    kinds.prop_map(|kinds| {
        let named = (0..).zip(kinds);
        let kind = |(number, (weight, accesses, changes, time)): (u32, (u32, u32, u32, u64))| {
            TransactionSpec {
                name: format!("kind{number}"),
                weight,
                accesses,
                changes: changes.min(accesses),
                log: 700,
                binlog: 300,
                processor: time * MICROSECOND,
            }
        };
        named.map(kind).collect()
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

/// Any `oltp` job.
pub(in crate::workload) fn oltp() -> impl Strategy<Value = JobSpec> {
    let files = (
        region(0, 16 * KIB, 5000),
        region(1, 4 * KIB, 50),
        prop::option::of(region(2, 4 * KIB, 50)),
        prop::option::of(region(3, 4 * KIB, 500)),
    );
    let log = (1_u64..200, any::<bool>(), any::<bool>());
    let flushing = (paces(), 1_u32..9, 1_u32..4, 1_u64..20);
    let rest = (1_u64..1000, 1_u32..5, 0..3 * MILLISECOND);
    (files, kinds(), loads(), log, flushing, rest).prop_map(
        |((data, log, binlog, doublewrite), kinds, load, own, flushing, rest)| {
            let (pace, batch, cleaners, depth) = flushing;
            let (pool, cores, certification) = rest;
            JobSpec::Oltp(OltpSpec {
                name: "oltp".into(),
                data,
                page: 16 * KIB,
                pool,
                skew: Skew::NONE,
                kinds,
                load,
                cores,
                log: LogSpec {
                    region: log,
                    capacity: own.0 * KIB,
                    durable: own.1,
                    full_pages: own.2,
                },
                binlog,
                doublewrite,
                flushing: Flushing {
                    pace,
                    batch,
                    cleaners,
                    depth,
                },
                certification,
            })
        },
    )
}
