#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::resolve::workload::cluster::tests::{assert_refused, on_three_hosts, resolve};

fn good() -> String {
    on_three_hosts("innodb", "galera") + "      appliers: 3\n"
}

#[test]
fn flow_control_has_the_limits_of_the_product() {
    let group = resolve(&good()).unwrap();
    // 16 x sqrt(3), and all of that.
    assert_eq!((group.appliers, group.upper, group.lower), (3, 28, 28));
    let flow = "      fc_limit: 100\n      fc_factor: 50%\n      fc_master_slave: true\n";
    let group = resolve(&(good() + flow)).unwrap();
    assert_eq!((group.upper, group.lower), (100, 50));
}

#[test]
fn what_is_no_cluster_is_refused() {
    let cases = [
        (
            "appliers: 3",
            "appliers: 600",
            "workload.shop.galera.appliers: `600` are too many; expected at most 512",
        ),
        (
            "appliers: 3",
            "failover: 0s",
            "workload.shop.galera.failover: `0s`; expected 100ms to 1h",
        ),
        (
            "appliers: 3",
            "sst_donor: x",
            "workload.shop.galera.sst_donor: no other node is on `x`; did you mean `b`?",
        ),
    ];
    assert_refused(&good(), &cases);
}

#[test]
fn a_cluster_has_the_links_between_the_others() {
    let text = good() + "      failover: 6s\n";
    let text = text.replace("between: [b, c]", "between: [c, b]");
    let group = resolve(&text).unwrap();
    assert_eq!(group.take_over.unwrap().after, 6_000_000_000);
    let [wire] = &group.between[..] else {
        panic!("{:?}", group.between);
    };
    // The link's first end is at c, the second of the other nodes.
    assert_eq!((wire.number, wire.nodes), (2, [2, 1]));
    assert_eq!(group.nodes[0].link_end, (0, 1));
}
