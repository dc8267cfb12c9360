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
    let cases = [(
        "appliers: 3",
        "appliers: 600",
        "workload.shop.galera.appliers: `600` are too many; expected at most 512",
    )];
    assert_refused(&good(), &cases);
}
