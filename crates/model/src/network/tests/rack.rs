//! When TCP sends lost packets again, by the RFC's rules.

use super::*;
use crate::network::rack::{Pace, Rack};
use crate::units::MILLISECOND as MS;

/// A round trip of 10 ms.
const PACE: Pace = Pace {
    delay: 5 * MS,
    back: 5 * MS,
    timeout: 210 * MS,
};

/// When the packets that are sent at these times are there that are lost, so often each.
fn repaired(packets: &[(Nanos, u32)]) -> Vec<(u64, Nanos)> {
    let (mut rack, mut all) = (Rack::default(), Vec::new());
    for (number, &(at, lost)) in (0..).zip(packets) {
        rack.advance(at, PACE, |number, at| all.push((number, at)));
        match lost {
            0 => rack.arrives(at, at + 10 * MS, PACE),
            lost => rack.is_lost(number, at, lost),
        }
    }
    rack.advance(NEVER - 1, PACE, |number, at| all.push((number, at)));
    all
}

#[test]
fn one_later_packet_tells_of_a_loss_after_a_quarter_of_a_round_trip() {
    // Sent long after it, the acknowledgement is enough; else 10 + 2.5 ms, and the timer's 2.
    assert_eq!(repaired(&[(0, 1), (4 * MS, 0)]), [(0, 19 * MS)]);
    assert_eq!(repaired(&[(0, 1), (MS, 0)]), [(0, 19 * MS + MS / 2)]);
    // Three need no window.
    let behind = |count| [&[(0, 1)][..], &vec![(0, 0); count]].concat();
    assert_eq!(repaired(&behind(2)), [(0, 19 * MS + MS / 2)]);
    assert_eq!(repaired(&behind(3)), [(0, 15 * MS)]);
}

#[test]
fn a_packet_that_is_lost_again_is_told_of_by_later_ones_or_waits_for_the_timeout() {
    // Sent again at 14 ms; what is sent at 15 is acknowledged at 25.
    assert_eq!(
        repaired(&[(0, 2), (4 * MS, 0), (15 * MS, 0)]),
        [(0, 30 * MS)]
    );
    // Its timeout begins when it is sent again.
    assert_eq!(repaired(&[(0, 2), (4 * MS, 0)]), [(0, 229 * MS)]);
    // The second timeout is twice as long.
    assert_eq!(repaired(&[(0, 3), (4 * MS, 0)]), [(0, 649 * MS)]);
}

#[test]
fn a_probe_finds_a_lost_tail_of_two_but_one_packet_waits_for_the_timeout() {
    // The probe at 22 ms is acknowledged at 32.
    assert_eq!(repaired(&[(0, 1), (0, 1)]), [(1, 27 * MS), (0, 37 * MS)]);
    assert_eq!(repaired(&[(0, 1)]), [(0, 215 * MS)]);
    // The acknowledgement at 10 ms starts the timer anew.
    assert_eq!(repaired(&[(0, 0), (0, 1)]), [(1, 225 * MS)]);
    // A probe is not sent twice.
    assert_eq!(repaired(&[(0, 1), (0, 2)]), [(0, 215 * MS), (1, 225 * MS)]);
}
