use super::*;

const GIB: u64 = 1 << 30;

fn said(reason: Reason) -> String {
    let Said { kind, text } = Said::of(&reason);
    format!("{kind}: {text}")
}

fn burst(after_s: f64, lasts_s: Option<f64>) -> Reason {
    Reason::BurstExhausted {
        limit: "iops_credits".into(),
        owner: "gp2".into(),
        after_s,
        lasts_s,
        baseline: 3_000,
    }
}

#[test]
fn limits_have_their_figures() {
    let reason = Reason::VolumeIops {
        needed: 555_556,
        has: 16_000,
        volumes: 1,
    };
    let expected = "volume IOPS: 555,556 IOPS needed, 16,000 on 1 volume";
    assert_eq!(said(reason), expected);
    let reason = Reason::VolumeThroughput {
        needed: 622_592_001,
        has: GIB,
        volumes: 28,
    };
    let expected = "volume throughput: 593.8 MiB/s needed, 1,024 MiB/s on 28 volumes";
    assert_eq!(said(reason), expected);
    let expected = "burst: iops_credits of gp2 last 30 min 34 s, the load lasts 23 h 33 min";
    assert_eq!(said(burst(1_834.0, Some(84_780.0))), expected);
    let expected = "burst: iops_credits of gp2 last 60 s, the load is sustained";
    assert_eq!(said(burst(60.0, None)), expected);
}

#[test]
fn what_is_wanted_has_its_figures() {
    let reason = Reason::Latency {
        of: "read".into(),
        quantile: "p99".into(),
        goal_us: 950.0,
        estimate_us: 1_100.4,
    };
    let expected = "latency: p99 of read is 1.1 ms without any queue, the goal 0.95 ms";
    assert_eq!(said(reason), expected);
    for (needed, has, expected) in [
        (
            1_537 * GIB - 1,
            16_384 * GIB,
            "1,537 GiB needed, 16,384 GiB at most",
        ),
        (1_536 * GIB, 0, "1,536 GiB needed, 0 GiB at most"),
    ] {
        assert_eq!(
            said(Reason::Size { needed, has }),
            format!("size: {expected}")
        );
    }
    let reason = Reason::Durability {
        allowed: 10,
        expected: None,
    };
    assert_eq!(said(reason), "durability: no durability is published");
    let message = "no price".to_owned();
    let reason = Reason::PriceUnknown { message };
    assert_eq!(said(reason), "price unknown: no price");
}

#[test]
fn preferences_have_their_figures() {
    let volume_type = "io2".to_owned();
    let reason = Reason::Quota {
        volume_type: volume_type.clone(),
        needed: 133_334,
        has: 100_000,
    };
    assert_eq!(
        said(reason),
        "quota: 133,334 provisioned IOPS of io2 needed, the quota is 100,000; \
         `quotas: {io2: …}` states yours"
    );
    let reason = Reason::StorageQuota {
        volume_type,
        needed: 22_530 * GIB,
        has: 20_480 * GIB,
    };
    assert_eq!(
        said(reason),
        "quota: 22,530 GiB of io2 needed, the quota is 20,480 GiB; \
         `storage_quotas: {io2: …}` states yours"
    );
    let reason = Reason::SpareAttachments {
        instance: "r5.large".into(),
        needed: 2,
        has: 1,
    };
    let expected = "attachments: of r5.large 1 stay free, 2 wanted";
    assert_eq!(said(reason), expected);
    let instance = "a1.large".to_owned();
    let expected = "previous generation: a1.large is of a previous generation";
    assert_eq!(said(Reason::PreviousGeneration { instance }), expected);
}

#[test]
fn a_purpose_is_named() {
    for (instance, purpose, expected) in [
        ("gr6f.4xlarge", "GPU", "pays for an accelerator (GPU)"),
        (
            "hpc7g.4xlarge",
            "HPC",
            "is made for high-performance computing",
        ),
    ] {
        let reason = Reason::Purpose {
            instance: instance.into(),
            purpose: purpose.into(),
        };
        assert_eq!(said(reason), format!("purpose: {instance} {expected}"));
    }
}
