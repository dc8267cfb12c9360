//! Legs and links that go and return.

use super::*;

fn write(region: u64) -> Request {
    request(Op::Write, region * MIB, 4 * KIB)
}

#[test]
fn a_mirror_goes_on_with_one_leg_and_copies_what_the_other_missed() {
    for lost in [0, 1] {
        let mut watched = Watched::new(&two_hosts(mirror(), link()));
        watched.submit(0, 0, &write(0));
        watched.change(MILLISECOND / 4, Change::Fail { volume: lost });
        watched.submit(2 * MILLISECOND, 1, &write(1));
        watched.submit(3 * MILLISECOND, 2, &request(Op::Read, MIB, KIB));
        watched.settle();
        assert!((0..3).all(|ticket| !watched.end(ticket).failed));
        let status = watched.status(SECOND);
        assert_eq!(status.state, MirrorState::Degraded);
        // Regions 0 and 1, of which the first was under way.
        let lacks = if lost == 1 { 2 * MIB } else { 0 };
        assert_eq!(status.at_risk, lacks);

        watched.change(SECOND, Change::Resume { volume: lost });
        assert_eq!(watched.status(SECOND).state, MirrorState::Resyncing);
        let end = watched.settle();
        let status = watched.status(end);
        assert_eq!((status.state, status.at_risk), (MirrorState::InSync, 0));
        assert_eq!((status.counts.copied, status.counts.resyncs), (2 * MIB, 1));
        assert_eq!(status.counts.resyncing, end - SECOND);
    }
}

#[test]
fn what_is_not_up_to_date_serves_nothing_without_the_other() {
    let mut watched = Watched::new(&two_hosts(mirror(), link()));
    watched.change(0, Change::Fail { volume: 1 });
    watched.submit(0, 0, &write(0));
    watched.settle();
    watched.change(SECOND, Change::Fail { volume: 0 });
    watched.change(SECOND, Change::Resume { volume: 1 });
    watched.submit(SECOND, 1, &write(0));
    watched.submit(SECOND, 2, &request(Op::Read, 8 * MIB, KIB));
    watched.settle();
    assert!(watched.end(1).failed && watched.end(2).failed);
    // Time passes, or a process that asks again at once would stop it.
    assert!(watched.end(1).at > SECOND && watched.end(2).at > SECOND);
    watched.change(2 * SECOND, Change::Resume { volume: 0 });
    let end = watched.settle();
    assert_eq!(watched.status(end).state, MirrorState::InSync);
}

#[test]
fn a_resync_keeps_to_its_rate() {
    let spec = MirrorSpec {
        resync: ResyncSpec {
            rate: core::num::NonZeroU64::new(4 * MIB),
            ..mirror().resync
        },
        ..mirror()
    };
    let mut watched = Watched::new(&two_hosts(spec, link()));
    watched.change(0, Change::Fail { volume: 1 });
    for region in 0..20 {
        watched.submit(0, region as Ticket, &write(region));
    }
    watched.settle();
    watched.change(SECOND, Change::Resume { volume: 1 });
    let took = watched.settle() - SECOND;
    assert!(took.abs_diff(5 * SECOND) < SECOND / 50, "{took}");
}

#[test]
fn a_link_that_is_down_for_long_gives_up_the_leg_behind_it() {
    let mut watched = Watched::new(&two_hosts(mirror(), link()));
    watched.submit(0, 0, &write(0));
    watched.change(
        TRAVEL / 2,
        Change::Cut {
            link: 0,
            from: [true; 2],
        },
    );
    watched.advance(SECOND / 2);
    assert!(watched.ends[&0].is_none(), "the peer may yet answer");
    watched.settle();
    assert_eq!(watched.end(0).at, TRAVEL / 2 + SECOND);
    watched.submit(2 * SECOND, 1, &write(1));
    assert_eq!(watched.end(1).at, 2 * SECOND + DISK);
    watched.change(
        3 * SECOND,
        Change::Cut {
            link: 0,
            from: [false; 2],
        },
    );
    let end = watched.settle();
    let status = watched.status(end);
    assert_eq!(
        (status.state, status.counts.copied),
        (MirrorState::InSync, 2 * MIB)
    );
}

/// TCP tries again 0.1 s, 0.3 s, 0.7 s and 1.5 s after the cut, the last after the timeout: the leg
/// is given up though its link has worked for some time, and is up to date soon after that.
#[test]
fn a_leg_that_tcp_does_not_reach_in_time_is_given_up() {
    for (cut, given_up) in [(SECOND / 2, false), (4 * SECOND / 5, true)] {
        let link = LinkSpec {
            retry: Some(SECOND / 10),
            ..link()
        };
        let mut watched = Watched::new(&two_hosts(mirror(), link));
        watched.submit(0, 0, &write(0));
        let turn = |from| Change::Cut { link: 0, from };
        watched.change(TRAVEL / 2, turn([true; 2]));
        watched.change(TRAVEL / 2 + cut, turn([false; 2]));
        let end = watched.settle();
        let status = watched.status(end);
        assert_eq!(status.state, MirrorState::InSync);
        assert_eq!(status.counts.failures, u64::from(given_up));
        let waits = watched.end(0).at - TRAVEL / 2;
        let (from, to) = match given_up {
            true => (SECOND, SECOND),
            false => (7 * SECOND / 10, 71 * SECOND / 100),
        };
        assert!((from..=to).contains(&waits), "{waits}");
    }
}

#[test]
fn a_link_that_is_down_shortly_only_delays() {
    let mut watched = Watched::new(&two_hosts(mirror(), link()));
    watched.submit(0, 0, &write(0));
    watched.change(
        TRAVEL / 2,
        Change::Cut {
            link: 0,
            from: [true; 2],
        },
    );
    watched.change(
        SECOND / 2,
        Change::Cut {
            link: 0,
            from: [false; 2],
        },
    );
    let end = watched.settle();
    let expected = SECOND / 2 + 2 * TRAVEL + DISK;
    assert!(watched.end(0).at.abs_diff(expected) < 10);
    assert_eq!(watched.status(end).counts.failures, 0);
}

/// Nobody is to take over: it is told what there would be without the first disk.
#[test]
fn what_was_acknowledged_and_has_not_reached_the_peer_is_counted_as_lost() {
    let lost = |acknowledge, at| {
        let spec = MirrorSpec {
            acknowledge,
            ..mirror()
        };
        let mut storage = two_hosts(spec, link());
        storage.links[0].delay = [MILLISECOND; 2];
        storage.volumes[1] = volume("b", SECOND);
        let mut watched = Watched::new(&storage);
        for ticket in 0..3 {
            watched.submit(u64::from(ticket), ticket, &write(0));
        }
        watched.change(at, Change::Fail { volume: 0 });
        watched.status(at).counts.lost
    };
    for (acknowledge, on_the_way) in [
        (Acknowledge::A, 12 * KIB),
        (Acknowledge::B, 0),
        (Acknowledge::C, 0),
    ] {
        assert_eq!(lost(acknowledge, DISK + 10), on_the_way);
        assert_eq!(lost(acknowledge, 2 * MILLISECOND + 10), 0);
    }
}

/// What a leg lacks while it is brought up to date is not lost: its host cannot serve, and the
/// other leg returns with it.
#[test]
fn nothing_is_lost_with_a_leg_that_returns() {
    let mut watched = Watched::new(&two_hosts(mirror(), link()));
    watched.change(0, Change::Fail { volume: 1 });
    for region in 0..8 {
        watched.submit(0, region as Ticket, &write(region));
    }
    watched.change(SECOND, Change::Resume { volume: 1 });
    watched.change(SECOND + DISK, Change::Fail { volume: 0 });
    watched.change(2 * SECOND, Change::Resume { volume: 0 });
    let end = watched.settle();
    let status = watched.status(end);
    assert_eq!((status.state, status.counts.lost), (MirrorState::InSync, 0));
}

#[test]
fn what_only_the_peers_memory_has_is_not_enough_without_the_first_leg() {
    for second_fails in [false, true] {
        let mut spec = two_hosts(
            MirrorSpec {
                acknowledge: Acknowledge::B,
                ..mirror()
            },
            link(),
        );
        spec.volumes = vec![volume("a", 10 * DISK), volume("b", 5 * DISK)];
        let mut watched = Watched::new(&spec);
        watched.submit(0, 0, &write(0));
        // The peer has received both, and has answered the first of them.
        watched.submit(DISK, 1, &write(0));
        watched.change(DISK + 2 * TRAVEL - 10, Change::Fail { volume: 0 });
        assert!(watched.ends[&0].is_none() && watched.ends[&1].is_none());
        if second_fails {
            watched.change(2 * DISK, Change::Fail { volume: 1 });
        }
        watched.settle();
        for (ticket, sent) in [(0, 0), (1, DISK)] {
            let end = watched.end(ticket);
            assert_eq!(end.failed, second_fails);
            assert!(second_fails || end.at >= sent + TRAVEL + 5 * DISK);
        }
    }
}

/// The peer has what was written in memory and says so; before that is heard its disk fails,
/// and then the first leg. What was heard of the memory does not make up for the disk.
#[test]
fn an_answer_from_memory_counts_for_nothing_once_the_disk_has_failed() {
    let mut spec = two_hosts(
        MirrorSpec {
            acknowledge: Acknowledge::B,
            ..mirror()
        },
        link(),
    );
    spec.volumes = vec![volume("a", 10 * DISK), volume("b", 5 * DISK)];
    let mut watched = Watched::new(&spec);
    watched.submit(0, 0, &write(0));
    watched.change(TRAVEL + 10, Change::Fail { volume: 1 });
    watched.change(2 * TRAVEL + 10, Change::Fail { volume: 0 });
    assert!(watched.end(0).failed);
    for volume in [0, 1] {
        watched.change(SECOND, Change::Resume { volume });
    }
    let end = watched.settle();
    assert_eq!(watched.status(end).state, MirrorState::InSync);
}

/// A volume behind a link that is down fails and returns before that is heard of: what was
/// being copied from it, or to it, is copied again.
#[test]
fn a_copy_that_fails_unheard_of_is_made_again() {
    for stale in [0, 1] {
        let mut spec = two_hosts(mirror(), link());
        spec.volumes = vec![volume("a", DISK), volume("b", DISK)];
        let mut watched = Watched::new(&spec);
        watched.change(0, Change::Fail { volume: stale });
        watched.submit(0, 0, &write(0));
        watched.settle();
        watched.change(SECOND, Change::Resume { volume: stale });
        // The far disk is reading, or, after the near one has, writing.
        let at = SECOND + TRAVEL + if stale == 0 { 0 } else { DISK } + DISK / 2;
        watched.change(
            at,
            Change::Cut {
                link: 0,
                from: [true; 2],
            },
        );
        watched.change(at, Change::Fail { volume: 1 });
        watched.change(at + 1, Change::Resume { volume: 1 });
        watched.change(
            at + 2,
            Change::Cut {
                link: 0,
                from: [false; 2],
            },
        );
        let end = watched.settle();
        let status = watched.status(end);
        assert_eq!((status.state, status.at_risk), (MirrorState::InSync, 0));
        assert_eq!((status.counts.copied, status.counts.resyncs), (MIB, 1));
    }
}

#[test]
fn a_write_whose_log_and_data_fail_one_after_the_other_ends() {
    let mut of = MirrorSpec {
        acknowledge: Acknowledge::A,
        log: Some(LogSpec {
            on: [true, true],
            block: 4 * KIB,
            extent: MIB,
            clean_after: 3 * MILLISECOND,
            active: 1,
        }),
        ..mirror()
    };
    of.resync.depth = 1;
    of.legs[1].link = None;
    let mut spec = two_hosts(of, link());
    spec.volumes = vec![volume("a", 1), volume("b", 273_644)];
    let mut watched = Watched::new(&spec);
    watched.change(0, Change::Pause { volume: 0 });
    watched.submit(0, 0, &request(Op::Zero, 0, 1024));
    for change in [
        Change::Fail { volume: 1 },
        Change::Resume { volume: 1 },
        Change::Pause { volume: 1 },
        Change::Fail { volume: 0 },
        Change::Fail { volume: 1 },
    ] {
        watched.change(0, change);
    }
    watched.change(SECOND, Change::Resume { volume: 0 });
    watched.change(SECOND, Change::Resume { volume: 1 });
    watched.settle();
    assert!(watched.ends[&0].is_some());
}
