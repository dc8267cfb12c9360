//! Devices that have no IO for a part of the time.

use proptest::prelude::*;

use super::*;

fn busy(share: f64, intervals: Vec<SeenInterval>, parts: Parts) -> SeenDevice {
    SeenDevice {
        busy: Some(Busy { share, full_s: 0.0 }),
        parts,
        ..device("data", intervals)
    }
}

#[test]
fn bursts_at_a_limit_are_told_by_the_time_in_which_the_device_was_busy() {
    let gp3 = gp3();
    let load = vec![reads(1800, usual(&gp3) * 20.0); SECONDS];
    let own = busy(0.6, load, Parts::Together);
    let cause = was_it_the_drive(&seen(vec![own]), Some(&gp3)).cause;
    assert!(matches!(cause, Cause::VolumeLimit { .. }), "{cause:?}");
}

proptest! {
    /// What a pause leaves of the baseline is there for the IO after it, so the whole time counts.
    #[test]
    fn a_volume_without_credits_may_pause(
        share in 0.5..1.0_f64, of_baseline in 0.9..1.1_f64, slower in 5.0..80.0_f64,
        apart in any::<bool>(),
    ) {
        let gp2 = storage("data: {type: gp2, size: 100GiB}");
        let us = usual(&gp2) * slower;
        let parts = match apart {
            true => Parts::Apart { queue_us: 3.0, device_us: us },
            false => Parts::Sampled { device_us: us },
        };
        let load = vec![reads((300.0 * of_baseline) as u64, us); SECONDS];
        let cause = was_it_the_drive(&seen(vec![busy(share, load, parts)]), Some(&gp2)).cause;
        prop_assert!(matches!(cause, Cause::Credits { .. }), "{:?}", cause);
    }

    /// What moves more than the baseline has credits: if it is slow, then not for want of them.
    #[test]
    fn a_volume_with_credits_does_not_wait_for_them(
        share in 0.5..1.0_f64, of_baseline in 1.25..5.0_f64, slower in 5.0..80.0_f64,
    ) {
        let gp2 = storage("data: {type: gp2, size: 100GiB}");
        let us = usual(&gp2) * slower;
        let parts = Parts::Apart { queue_us: 3.0, device_us: us };
        let load = vec![reads((300.0 * of_baseline) as u64, us); SECONDS];
        let cause = was_it_the_drive(&seen(vec![busy(share, load, parts)]), Some(&gp2)).cause;
        prop_assert!(!matches!(cause, Cause::Credits { .. }), "{:?}", cause);
    }
}
