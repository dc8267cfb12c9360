//! What EBS itself counted of the volumes that were observed.

use blockyard_record::result::{EbsStatistics, Observed, ObservedDevice, RunResult};
use blockyard_record::thresholds::NOTEWORTHY;

use super::phrases::{listed, share};
use crate::text::format::{duration, latency};

/// What EBS counted of a volume: which limits were asked for more than they have, and for how long.
pub(crate) fn by_ebs(device: &ObservedDevice) -> Option<String> {
    let counted = device.ebs.as_ref()?;
    let exceeded = exceeded(counted).map(|(limit, s)| format!("{limit} for {}", duration(s)));
    let exceeded: Vec<_> = exceeded.collect();
    let limits = match exceeded.is_empty() {
        true => "demand was never above a limit".to_owned(),
        false => format!("demand was above {}", listed(&exceeded)),
    };
    let ops = counted.ops.iter().map(|op| {
        let within = [op.p50_within_us, op.p99_within_us].map(|us| latency(us as f64));
        let [half, most] = within;
        format!(
            "; half of its {}s took up to {half}, 99% up to {most}",
            op.op
        )
    });
    let ops: String = ops.collect();
    Some(format!("EBS counted of {}: {limits}{ops}", device.name))
}

/// The limits of which EBS counted more demand than they have, with the seconds.
fn exceeded(counted: &EbsStatistics) -> impl Iterator<Item = (&'static str, f64)> {
    let all = [
        ("the volume's IOPS", counted.volume_iops_exceeded_s),
        (
            "the volume's throughput",
            counted.volume_throughput_exceeded_s,
        ),
        ("the instance's IOPS", counted.instance_iops_exceeded_s),
        (
            "the instance's throughput",
            counted.instance_throughput_exceeded_s,
        ),
    ];
    all.into_iter().filter(|(_, seconds)| *seconds > 0.0)
}

/// The limit that was exceeded longest, of any volume, if for a noteworthy part of the time.
pub(crate) fn held(result: &RunResult, observed: &Observed) -> Option<String> {
    let counted = observed.devices.iter().filter_map(|device| {
        let (limit, s) = exceeded(device.ebs.as_ref()?).max_by(|a, b| a.1.total_cmp(&b.1))?;
        Some((device, limit, s))
    });
    let (device, limit, s) = counted.max_by(|a, b| a.2.total_cmp(&b.2))?;
    let part = s / result.duration_s;
    (part >= NOTEWORTHY).then(|| {
        let (name, part) = (&device.name, share(part));
        format!("; by EBS, demand on {name} was above {limit} {part} of the time")
    })
}

#[cfg(test)]
mod tests {
    use blockyard_record::result::EbsOp;

    use super::*;

    fn volume(seconds: [f64; 4]) -> ObservedDevice {
        let [
            volume_iops,
            volume_throughput,
            instance_iops,
            instance_throughput,
        ] = seconds;
        ObservedDevice {
            name: "nvme1n1".into(),
            utilisation: 1.0,
            busy_s: 60.0,
            queue_depth: 8.0,
            in_driver: None,
            ops: Vec::new(),
            load: None,
            ebs: Some(EbsStatistics {
                volume_iops_exceeded_s: volume_iops,
                volume_throughput_exceeded_s: volume_throughput,
                instance_iops_exceeded_s: instance_iops,
                instance_throughput_exceeded_s: instance_throughput,
                ops: vec![EbsOp {
                    op: "read".into(),
                    ios: 180_000,
                    p50_within_us: 512,
                    p99_within_us: 4096,
                }],
            }),
        }
    }

    #[test]
    fn the_limits_that_were_exceeded_are_told() {
        let told = [[0.0; 4], [42.0, 0.0, 0.0, 0.0], [42.0, 0.0, 0.0, 1.5]];
        let told = told.map(|seconds| by_ebs(&volume(seconds)).unwrap());
        let ops = "; half of its reads took up to 0.51 ms, 99% up to 4.10 ms";
        let iops = "demand was above the volume's IOPS for 42 s";
        assert_eq!(
            told,
            [
                format!("EBS counted of nvme1n1: demand was never above a limit{ops}"),
                format!("EBS counted of nvme1n1: {iops}{ops}"),
                format!(
                    "EBS counted of nvme1n1: {iops} and the instance's throughput for 1.5 s{ops}"
                ),
            ]
        );
        let mut other = volume([0.0; 4]);
        other.ebs = None;
        assert_eq!(by_ebs(&other), None);
    }
}
