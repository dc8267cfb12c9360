//! Empty writes, which ask for a flush: the kernel counts them, no volume does.

use super::*;

/// A second of commits: as many writes with data as empty ones, and reads.
fn commits(reads_: u64, commits: u64, bytes: u64, flushes: u64, us: (f64, f64)) -> SeenInterval {
    let moved = |ios: u64, bytes, mean: f64| Moved {
        ios,
        bytes,
        us: ios as f64 * mean,
    };
    SeenInterval {
        reads: moved(reads_, reads_ * SIZE, us.0),
        writes: moved(2 * commits, commits * bytes, us.1),
        flushes: moved(flushes, 0, 500.0),
        counted: None,
    }
}

fn parts(device_us: f64) -> Parts {
    Parts::Apart {
        queue_us: 3.0,
        device_us,
    }
}

/// PostgreSQL at 32 commits a second, as it was seen: 64 writes, a third of all that was counted.
#[test]
fn empty_writes_do_not_lift_a_load_above_its_baseline() {
    let gp2 = storage("data: {type: gp2, size: 33GiB}");
    let us = usual(&gp2) * 50.0;
    let own = commits(68, 33, 14 << 10, 33, (us, us / 30.0));
    let exact = SeenInterval {
        counted: Some(101),
        ..own
    };
    for (own, parts) in [
        (own, Parts::Together),
        (own, Parts::Sampled { device_us: us }),
        (exact, parts(us)),
    ] {
        let cause = judged(&gp2, vec![own; SECONDS], parts).cause;
        assert!(matches!(cause, Cause::Credits { .. }), "{cause:?}");
    }
}

proptest! {
    /// Commits that each wait for their own small write and flush wait for nothing else.
    #[test]
    fn commits_of_a_sound_volume_are_not_slow(
        per_s in 20_u64..400, sectors in 1_u64..32, slower in 0.8..1.3_f64, exact in any::<bool>(),
    ) {
        let gp3 = gp3();
        let us = usual(&gp3) * slower;
        // An empty one takes next to nothing.
        let mut own = commits(0, per_s, sectors * 512, per_s, (us, us / 2.0));
        own.counted = exact.then_some(per_s);
        let cause = judged(&gp3, vec![own; SECONDS], parts(us)).cause;
        prop_assert_eq!(cause, Cause::NotStorage);
    }

    /// However many writes with data ask for a flush: none of them is taken for empty.
    #[test]
    fn as_many_flushes_as_writes_are_those_of_data(per_s in 20_u64..400, slower in 0.8..1.3_f64) {
        let gp3 = gp3();
        let us = usual(&gp3) * slower;
        let mut own = reads(0, 0.0);
        own.writes = Moved { ios: per_s, bytes: per_s * SIZE, us: us * per_s as f64 };
        own.flushes = Moved { ios: per_s, bytes: 0, us: 300.0 };
        let cause = judged(&gp3, vec![own; SECONDS], Parts::Together).cause;
        prop_assert_eq!(cause, Cause::NotStorage);
    }
}
