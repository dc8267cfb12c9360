//! More of a link, and mirrors that work in another way, are what scenarios with them give.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common::runs::{BUFFER, mirrored as text};
use crate::common::tried;
use blockyard_experiment::{Edit, OfLink, OtherMirror, Protocol, Reads, ScaledLink};
use blockyard_record::result::RunResult;

fn one(text: &str, edits: Vec<Edit>) -> Result<RunResult, String> {
    Ok(tried(text, &[edits], 1)?.remove(0))
}

#[test]
fn more_of_a_link_is_what_a_scenario_with_more_gives() {
    let raised = |what, factor| {
        vec![Edit::Link(ScaledLink {
            link: "wan".into(),
            what,
            factor,
        })]
    };
    let before = format!("{BUFFER}, high_water: 200, low_water: 100, cpu: {{per_packet: 8us}}");
    let after = |from: &str, to: &str| before.replace(from, to);
    let cases = [
        (OfLink::SocketBuffer, after("128KiB", "256KiB")),
        (
            OfLink::FlowControl,
            after("200, low_water: 100", "400, low_water: 200"),
        ),
        (OfLink::Processor, after("8us", "4us")),
    ];
    for (what, more) in cases {
        let tried_out = one(&text('C', "local", &before), raised(what, 2.0)).unwrap();
        let fresh = one(&text('C', "local", &more), vec![]).unwrap();
        assert_eq!(tried_out.totals, fresh.totals, "{what:?}");
    }
    // Both less than the network of the hosts.
    let narrow = text('C', "local", &before).replace("10Gbit/s", "4Gbit/s");
    let wider = narrow.replace("4Gbit/s", "8Gbit/s");
    let tried_out = one(&narrow, raised(OfLink::Bandwidth, 2.0)).unwrap();
    assert_eq!(tried_out.totals, one(&wider, vec![]).unwrap().totals);
}

#[test]
fn another_mirror_is_what_a_scenario_with_it_gives() {
    let before = text('C', "round_robin", BUFFER);
    let other = |acknowledge, read| {
        vec![Edit::Mirror(OtherMirror {
            device: "data".into(),
            read,
            acknowledge,
        })]
    };
    let memory = one(&before, other(Some(Protocol::B), None)).unwrap();
    let fresh = one(&text('B', "round_robin", BUFFER), vec![]).unwrap();
    assert_eq!(memory.totals, fresh.totals);
    let local = one(&before, other(None, Some(Reads::Local))).unwrap();
    let fresh = one(&text('C', "local", BUFFER), vec![]).unwrap();
    assert_eq!(local.totals, fresh.totals);
}

#[test]
fn what_there_is_not_is_refused() {
    let raised = |link: &str, what, factor| {
        vec![Edit::Link(ScaledLink {
            link: link.into(),
            what,
            factor,
        })]
    };
    let plain = text('C', "local", "high_water: 200");
    let refused = |changes| one(&plain, changes).unwrap_err();
    assert_eq!(
        refused(raised("lan", OfLink::Bandwidth, 2.0)),
        "no link is called `lan`"
    );
    assert_eq!(
        refused(raised("wan", OfLink::SocketBuffer, 2.0)),
        "wan has no such bound"
    );
    assert!(refused(raised("wan", OfLink::Bandwidth, 0.0)).starts_with("factor: `0`"));
    let other = OtherMirror {
        device: "log".into(),
        read: None,
        acknowledge: None,
    };
    assert_eq!(
        refused(vec![Edit::Mirror(other)]),
        "no mirror is called `log`"
    );
}
