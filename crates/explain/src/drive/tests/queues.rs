//! This machine's queues, apart from the device.

use proptest::prelude::*;

use super::*;

proptest! {
    /// What adds most to the latency is what it waits for, though a busy machine's device is slower
    /// than the volume is known for.
    #[test]
    fn what_adds_most_is_waited_for(device in 1.0..2.9_f64, queue in 0.0..60.0_f64) {
        let gp3 = gp3();
        let us = usual(&gp3);
        let (queue_us, device_us) = (us * queue, us * device);
        prop_assume!(device + queue > 1.7 && (device - 1.0 - queue).abs() > 0.05);
        // What is next to nothing is blamed for nothing.
        prop_assume!(queue > 0.15 * (device + queue));
        let load = vec![reads(200, queue_us + device_us); SECONDS];
        let queued = queue > device - 1.0;
        let seen = [Parts::Apart { queue_us, device_us }, Parts::Sampled { device_us }];
        for parts in seen {
            let cause = judged(&gp3, load.clone(), parts).cause;
            let said = matches!(cause, Cause::GuestQueue { .. });
            // Below what a sound device takes nothing is held against it.
            prop_assert_eq!(said, queued || device < 1.6, "{:?}", cause);
        }
    }

    /// A device that takes many times as long fills the queues before it.
    #[test]
    fn queues_before_a_degraded_device_are_its_own(
        device in 3.1..50.0_f64, queue in 0.0..200.0_f64,
    ) {
        let gp3 = gp3();
        let us = usual(&gp3);
        let (queue_us, device_us) = (us * queue, us * device);
        let load = vec![reads(200, queue_us + device_us); SECONDS];
        let cause = judged(&gp3, load, Parts::Apart { queue_us, device_us }).cause;
        prop_assert!(matches!(cause, Cause::Degraded { .. }), "{:?}", cause);
    }
}

/// One in three seconds is slow, without a queue: so the queues are not blamed.
#[test]
fn queues_without_a_share_are_not_blamed() {
    let gp3 = gp3();
    let us = usual(&gp3);
    let mut load = vec![reads(200, us); SECONDS];
    load.iter_mut()
        .step_by(3)
        .for_each(|own| *own = reads(200, us * 2.0));
    let device_us = us * 4.0 / 3.0;
    let queue_us = 1.0;
    let seen = [
        Parts::Apart {
            queue_us,
            device_us,
        },
        Parts::Sampled { device_us },
    ];
    for parts in seen {
        let cause = judged(&gp3, load.clone(), parts).cause;
        assert!(matches!(cause, Cause::Degraded { .. }), "{cause:?}");
    }
}
