//! The Terraform configuration of scenarios as people write them.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use blockyard_provision::{Asked, Layout, terraform};

const WITH_INSTANCE: Asked<'static> = Asked {
    host: None,
    with_instance: true,
};

fn written(scenario: &str, asked: Asked<'_>) -> Result<String, String> {
    let loaded = blockyard_scenario::load(scenario, "s.yaml", &[]).unwrap();
    let layout = Layout::of(&loaded, &loaded.resolve().unwrap());
    terraform(&layout, asked).map_err(|refused| refused.to_string())
}

fn of_host(host: &str) -> Asked<'_> {
    Asked {
        host: Some(host),
        with_instance: true,
    }
}

const STRIPE: &str = "{name: s, storage: {d: {stripe: {chunk: 64KiB, width: 2}, \
                      of: {type: gp3, size: 1GiB}}}}";

const SHARED: &str = "
name: shared
hosts: {a: {instance: m5.large}, b: {instance: m5.large}}
clusters: {pair: {nodes: [a, b], disks: [data]}}
storage: {data: {type: io2, size: 10GiB, iops: 500, host: a}}
";

#[test]
fn each_volume_is_bought_and_attached() {
    let text = written(STRIPE, Asked::default()).unwrap();
    for line in [
        r#"    "d.0" = { device = "d", index = 0, role = "data", host = "host", type = "gp3", size = 1, iops = 3000, throughput = 125 }"#,
        r#"    "d.1" = { volume = "d.1", host = "host", device_name = "/dev/sdg" }"#,
    ] {
        assert!(text.contains(&format!("\n{line}\n")), "{text}");
    }
    assert!(text.starts_with("# 2 volumes of s, for an instance that exists.\n"));
}

#[test]
fn what_has_no_form_is_refused_at_its_place() {
    let of_rds =
        "{name: s, host: {instance: db.r6i.large}, storage: {d: {type: gp3, size: 20GiB}}}";
    let for_tests = "{name: s, storage: {d: {type: unlimited, size: 1GiB}}}";
    let apart = "{name: s, hosts: {a: {instance: m5.large, zone: us-east-1a}, \
                 b: {instance: m5.large, zone: us-west-2-lax-1a}}, storage: \
                 {x: {type: gp3, size: 1GiB, host: a}, y: {type: gp3, size: 1GiB, host: b}}}";
    for (scenario, asked, reason) in [
        (
            of_rds,
            Asked::default(),
            "host.instance: db.r6i.large is of RDS",
        ),
        (
            for_tests,
            Asked::default(),
            "storage.d: `unlimited` is only for tests",
        ),
        (
            apart,
            Asked::default(),
            "hosts: a in us-east-1 and b in us-west-2; expected one",
        ),
        (
            STRIPE,
            WITH_INSTANCE,
            "host: which instance is made? Expected `host: ",
        ),
    ] {
        let refused = written(scenario, asked).unwrap_err();
        assert!(refused.starts_with(reason), "{refused}");
    }
}

#[test]
fn what_a_cluster_attaches_makes_no_instance() {
    let text = written(SHARED, of_host("a")).unwrap();
    assert!(!text.contains("aws_volume_attachment"));
    let refused = written(SHARED, of_host("b")).unwrap_err();
    assert!(
        refused.starts_with("storage: nothing to buy for b"),
        "{refused}"
    );
}
