//! What is found out about a run when it is made.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io;

use crate::common::base;
use blockyard_experiment::advice::Untried;
use blockyard_experiment::{Answered, Error, Executor, Findings, Inline, Variant, Watch};
use blockyard_explain::{Entries, Names, VolumeTable};
use blockyard_simulate::Options;

const FULL: &str = "
{name: full, duration: 2s, storage: {data: {type: gp3, size: 100GiB}},
 workload: {readers: {kind: ranread, on: data, file_size: 10GiB, processes: 32}}}
";

fn no_table() -> VolumeTable {
    fn none<T>() -> Entries<T> {
        Entries {
            row: Vec::new(),
            limit: Names::default(),
            value: Vec::new(),
        }
    }
    VolumeTable {
        t_s: Vec::new(),
        volume: Names::default(),
        ios: Vec::new(),
        bytes: Vec::new(),
        waits_us: none(),
        rates: none(),
    }
}

/// Can simulate nothing.
#[derive(Debug)]
struct Broken;

impl Executor for Broken {
    fn width(&self) -> usize {
        1
    }

    fn run(&self, _: &[Variant], _: &mut dyn FnMut() -> bool) -> Result<Vec<Answered>, Error> {
        Err(Error::Run(io::Error::other("no threads")))
    }
}

struct Impatient;

impl Watch for Impatient {
    fn stopped(&mut self) -> bool {
        true
    }
}

/// The run is whole, whatever becomes of what is tried of it.
#[test]
fn what_cannot_be_tried_costs_no_findings() {
    let base = base(FULL, &[]);
    let opened = Variant::of(&base).open().unwrap();
    let result = opened.simulate(Options::default(), &mut ()).unwrap();
    let found = Findings::of(&base, &result, &no_table()).unwrap();
    assert!(found.bill.is_some() && found.advice.is_none());
    let advised = |executor: &dyn Executor, watch: &mut dyn Watch| {
        let advised = found.clone().advised(&base, &result, executor, watch);
        assert_eq!(advised.facts, found.facts);
        advised.advice.unwrap()
    };
    let tried = advised(&Inline, &mut ());
    assert_eq!((tried.raised.is_empty(), tried.untried), (false, None));
    let broken = advised(&Broken, &mut ());
    let reason = "no threads".to_owned();
    assert!(broken.raised.is_empty());
    assert_eq!(broken.untried, Some(Untried::Failed { reason }));
    let stopped = advised(&Inline, &mut Impatient);
    assert_eq!(
        (stopped.raised.len(), stopped.untried),
        (0, Some(Untried::Stopped))
    );
}
