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

/// The hosts' networks that bound a link are raised with it, and engines that replicate get more of
/// their links as mirrors do.
#[test]
fn more_of_a_network_is_what_a_scenario_with_more_gives() {
    let standby = include_str!("../../../../scenarios/examples/standby.yaml");
    let text = |near: &str, a: &str, b: &str| {
        let of = standby.replace("warmup: 5s", "warmup: 1s");
        let of = of.replace("duration: 30s", "duration: 2s");
        let of = of.replace("bandwidth: 2500Mbit/s", near);
        let host = |of: String, name: &str, network: &str| {
            let plain = format!("  {name}: {{instance: m5.2xlarge}}");
            let with = format!("  {name}: {{instance: m5.2xlarge, network: {network}}}");
            assert!(of.contains(&plain));
            of.replace(&plain, &with)
        };
        host(host(of, "a", a), "b", b)
    };
    let raised = |what| {
        vec![Edit::Link(ScaledLink {
            link: "near".into(),
            what,
            factor: 2.0,
        })]
    };
    let near = |bandwidth: &str| text(bandwidth, "1Gbit/s", "1Gbit/s");
    let narrow = near("bandwidth: 20Mbit/s");
    let tried_out = one(&narrow, raised(OfLink::Bandwidth)).unwrap();
    let fresh = one(&near("bandwidth: 40Mbit/s"), vec![]).unwrap();
    assert_eq!(tried_out.transactions, fresh.transactions);
    assert_ne!(
        tried_out.transactions,
        one(&narrow, vec![]).unwrap().transactions
    );
    let full = text("jitter: 0us", "30Mbit/s", "40Mbit/s");
    let tried_out = one(&full, raised(OfLink::Network)).unwrap();
    let fresh = one(&text("jitter: 0us", "60Mbit/s", "80Mbit/s"), vec![]).unwrap();
    assert_eq!(tried_out.transactions, fresh.transactions);
    assert_ne!(
        tried_out.transactions,
        one(&full, vec![]).unwrap().transactions
    );
}
