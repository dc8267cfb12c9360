//! Hosts that lose each other: who serves, what is lost by it, and what becomes of two histories.

use super::*;
use crate::spec::{AfterSplitBrain, Fencing};

const FAILOVER: Nanos = 3 * SECOND;

fn write(region: u64) -> Request {
    request(Op::Write, region * MIB, 4 * KIB)
}

/// A mirror whose other host takes over after three seconds, with a log as DRBD has one.
fn cluster(acknowledge: Acknowledge, partition: PartitionSpec) -> MirrorSpec {
    MirrorSpec {
        acknowledge,
        log: Some(LogSpec {
            on: [false, false],
            block: 4 * KIB,
            extent: MIB,
            clean_after: NEVER,
            active: 2,
        }),
        partition: PartitionSpec {
            failover: Some(FAILOVER),
            ..partition
        },
        ..mirror()
    }
}

fn clustered(acknowledge: Acknowledge, partition: PartitionSpec) -> Watched {
    Watched {
        loss: None,
        ..Watched::new(&two_hosts(cluster(acknowledge, partition), link()))
    }
}

/// What happens if all of a host goes, as in an outage of its zone.
fn outage(host: usize) -> [Change; 3] {
    [
        Change::HostDown { host },
        Change::Cut {
            link: 0,
            from: [true; 2],
        },
        Change::Fail { volume: host },
    ]
}

impl Watched {
    /// All of a host goes, or returns.
    fn host(&mut self, now: Nanos, host: usize, down: bool) {
        let changes = match down {
            true => outage(host),
            false => [
                Change::Resume { volume: host },
                Change::HostUp { host },
                Change::Cut {
                    link: 0,
                    from: [false; 2],
                },
            ],
        };
        changes.into_iter().for_each(|it| self.change(now, it));
    }

    pub(super) fn transitions(&self) -> Vec<(Nanos, MirrorTransition)> {
        let mut all = self.storage.mirror_transitions();
        all.next().map_or(Vec::new(), |(_, own)| own.to_vec())
    }
}

/// The other host serves what was acknowledged under C, and nothing else is copied back than what
/// the log named and what was written since.
#[test]
fn the_other_host_takes_over_and_the_first_is_brought_up_to_date() {
    let mut watched = clustered(Acknowledge::C, PartitionSpec::default());
    watched.submit(0, 0, &write(0));
    watched.submit(SECOND - MICROSECOND, 1, &write(1));
    watched.host(SECOND, 0, true);
    assert!(watched.end(1).failed, "its client is gone");
    watched.submit(2 * SECOND, 2, &write(2));
    assert_eq!(watched.status(2 * SECOND).state, MirrorState::Frozen);
    watched.settle();
    assert_eq!(watched.end(2).at, SECOND + FAILOVER + DISK);
    let status = watched.status(5 * SECOND);
    assert_eq!((status.counts.takeovers, status.counts.lost), (1, 0));
    assert_eq!(status.counts.frozen, FAILOVER);
    watched.submit(5 * SECOND, 3, &request(Op::Read, 0, 4 * KIB));
    assert_eq!(watched.end(3).at, 5 * SECOND + DISK, "it is local there");

    watched.host(6 * SECOND, 0, false);
    let end = watched.settle();
    let status = watched.status(end);
    assert_eq!(
        (status.state, status.counts.copied),
        (MirrorState::InSync, 3 * MIB)
    );
    let copied = watched.storage.link(0, end).map(|counts| counts.copied);
    assert_eq!(copied, [0, 3 * MIB], "of the link's bytes");
    assert_eq!(status.counts.split_brains, 0);
}

/// Two mirrors that share nothing.
fn beside_another(spec: MirrorSpec) -> StorageSpec {
    let mut storage = two_hosts(spec, link());
    let leg = |volume, link| LegSpec {
        layout: Layout::Volume(volume),
        link,
    };
    let other = MirrorSpec {
        legs: [leg(2, None), leg(3, Some((1, 0)))],
        ..mirror()
    };
    let other = DeviceSpec {
        name: "other".into(),
        layout: Layout::Mirror(Box::new(other)),
        ..storage.devices[0].clone()
    };
    storage.devices.push(other);
    storage
        .volumes
        .extend([volume("c", DISK), volume("d", DISK)]);
    storage.links.push(LinkSpec {
        ends: [2, 3],
        ..link()
    });
    storage
}

/// No IO tells of the takeover, and IO of another mirror ends a little later: the storage stops in
/// between, so that what runs there is started at that time.
#[test]
fn the_storage_stops_at_a_takeover_of_which_no_io_tells() {
    let spec = beside_another(cluster(Acknowledge::C, PartitionSpec::default()));
    let mut storage = Storage::new(&spec, 1);
    let turned = |storage: &mut Storage| -> Vec<_> {
        let all = storage.take_turned().map(|(at, change)| match change {
            Change::Runs { device, on } => (at, device, on),
            other => panic!("{other:?}"),
        });
        all.collect()
    };
    for change in outage(0) {
        storage.change(SECOND, change, &mut |_, _| {});
    }
    assert_eq!(turned(&mut storage), [(SECOND, 0, None)]);

    let over = SECOND + FAILOVER;
    storage.advance(over - MICROSECOND, &mut |_, _| {});
    let other = Request {
        device: 1,
        ..write(0)
    };
    assert_eq!(storage.submit(over - MICROSECOND, 7, &other), None);
    let mut told = Vec::new();
    storage.advance_until_told(over + SECOND, &mut |ticket, _| told.push(ticket));
    assert_eq!(turned(&mut storage), [(over, 0, Some(1))]);
    assert_eq!(told, [], "what ends later is told later");
    storage.advance_until_told(over + SECOND, &mut |ticket, _| told.push(ticket));
    assert_eq!(told, [7]);
}

/// Without a log nobody knows where legs may differ after a crash.
#[test]
fn without_a_log_all_is_copied_after_a_crash() {
    let spec = MirrorSpec {
        partition: PartitionSpec {
            failover: Some(FAILOVER),
            ..PartitionSpec::default()
        },
        ..mirror()
    };
    let mut watched = Watched {
        loss: None,
        ..Watched::new(&two_hosts(spec, link()))
    };
    watched.submit(0, 0, &write(0));
    watched.host(SECOND, 0, true);
    watched.host(9 * SECOND, 0, false);
    let end = watched.settle();
    assert_eq!(watched.status(end).counts.copied, 64 * MIB);
}

/// And without a map of what a leg has missed all is copied whenever it has missed anything.
#[test]
fn without_a_map_all_is_copied_after_an_outage() {
    for (full, copied) in [(false, MIB), (true, 64 * MIB)] {
        let mut spec = mirror();
        spec.resync.full = full;
        let mut watched = Watched::new(&two_hosts(spec, link()));
        watched.change(0, Change::Fail { volume: 1 });
        watched.submit(0, 0, &write(5));
        watched.change(SECOND, Change::Resume { volume: 1 });
        let end = watched.settle();
        assert_eq!(watched.status(end).counts.copied, copied);
    }
}

/// A host with a slow disk, a millisecond away, that takes over from one lost at `at`. Its disk
/// fails for a moment at `fails`.
fn heir(acknowledge: Acknowledge, at: Nanos, fails: Option<Nanos>) -> (Bytes, Bytes) {
    let spec = MirrorSpec {
        acknowledge,
        partition: PartitionSpec {
            failover: Some(FAILOVER),
            ..PartitionSpec::default()
        },
        ..mirror()
    };
    let mut storage = two_hosts(spec, link());
    storage.links[0].delay = [MILLISECOND; 2];
    storage.volumes[1] = volume("b", 6 * SECOND);
    let mut watched = Watched {
        loss: None,
        ..Watched::new(&storage)
    };
    watched.submit(0, 0, &write(0));
    watched.advance(at);
    watched.host(at, 0, true);
    if let Some(fails) = fails {
        watched.advance(fails);
        watched.change(fails, Change::Fail { volume: 1 });
        watched.change(fails, Change::Resume { volume: 1 });
    }
    let end = watched.settle();
    let taken = watched.transitions().pop();
    let Some((_, MirrorTransition::TakenOver { lacks, .. })) = taken else {
        panic!("it takes over, not {taken:?}");
    };
    (lacks, watched.status(end).counts.lost)
}

/// What is in the memory of the other host is written, as long as its disk works: before it takes
/// over, or after.
#[test]
fn what_the_other_host_has_not_received_is_told_when_it_takes_over() {
    let lost = 4 * KIB;
    let (early, late) = (DISK + 10, 2 * MILLISECOND + 10);
    assert_eq!(heir(Acknowledge::A, early, None), (lost, lost));
    assert_eq!(heir(Acknowledge::A, late, None), (0, 0));
    assert_eq!(
        heir(Acknowledge::B, early, None),
        (0, 0),
        "not acknowledged"
    );
    assert_eq!(heir(Acknowledge::B, late, None), (0, 0));
    assert_eq!(heir(Acknowledge::B, late, Some(SECOND)), (lost, lost));
    assert_eq!(heir(Acknowledge::B, late, Some(5 * SECOND)), (0, lost));
    assert_eq!(heir(Acknowledge::C, late, None), (0, 0));
}

/// A cut of 10 s, with writes on both sides of the time at which the other host takes over.
fn cut(partition: PartitionSpec) -> Watched {
    let mut watched = clustered(Acknowledge::C, partition);
    watched.submit(0, 0, &write(0));
    watched.change(
        SECOND,
        Change::Cut {
            link: 0,
            from: [true; 2],
        },
    );
    // After the link was given up, and before the other host takes over.
    watched.submit(3 * SECOND, 1, &write(1));
    watched.submit(7 * SECOND, 2, &write(2));
    watched.change(
        11 * SECOND,
        Change::Cut {
            link: 0,
            from: [false; 2],
        },
    );
    watched
}

/// Whichever policy of after-sb is the default, DRBD's is to disconnect.
#[test]
fn both_sides_of_a_cut_have_written_and_stay_apart_until_told() {
    let mut watched = cut(PartitionSpec::default());
    let end = watched.settle().max(20 * SECOND);
    assert!((0..3).all(|ticket| !watched.end(ticket).failed));
    let status = watched.status(end);
    assert_eq!(status.state, MirrorState::SplitBrain);
    assert_eq!(
        (status.counts.takeovers, status.counts.split_brains),
        (1, 1)
    );
    assert_eq!((status.counts.lost, status.counts.copied), (MIB, 0));
    let taken = MirrorTransition::TakenOver { leg: 1, lacks: MIB };
    let split = MirrorTransition::SplitBrain { leg: 0, alone: MIB };
    let gone = MirrorTransition::GivenUp { leg: 1 };
    let said = [(2, gone), (4, taken), (11, split)].map(|(at, it)| (at * SECOND, it));
    assert_eq!(watched.transitions(), said);

    // It serves on, alone, and another cut changes nothing.
    watched.submit(end, 3, &write(3));
    watched.change(
        end + SECOND,
        Change::Cut {
            link: 0,
            from: [true; 2],
        },
    );
    watched.change(
        end + 2 * SECOND,
        Change::Cut {
            link: 0,
            from: [false; 2],
        },
    );
    watched.change(end + 3 * SECOND, Change::Reconnect { volume: 0 });
    let end = watched.settle();
    let status = watched.status(end);
    assert_eq!((status.state, status.at_risk), (MirrorState::InSync, 0));
    assert_eq!(
        (status.counts.discarded, status.counts.copied),
        (MIB, 3 * MIB)
    );
    let last = watched
        .transitions()
        .into_iter()
        .rev()
        .map(|(_, what)| what);
    let [synced, resyncs, discarded] = last.take(3).collect::<Vec<_>>()[..] else {
        panic!("three at least");
    };
    let told = MirrorTransition::Discarded { leg: 0 };
    let bytes = 3 * MIB;
    assert_eq!(
        [discarded, resyncs],
        [told, MirrorTransition::Resyncs { leg: 0, bytes }]
    );
    assert!(matches!(synced, MirrorTransition::InSync { leg: 0, .. }));
}

#[test]
fn a_policy_to_discard_heals_by_itself_and_says_what_it_discards() {
    let after_split_brain = AfterSplitBrain::DiscardSecondary;
    let mut watched = cut(PartitionSpec {
        after_split_brain,
        ..PartitionSpec::default()
    });
    let end = watched.settle();
    let status = watched.status(end);
    assert_eq!(status.state, MirrorState::InSync);
    assert_eq!(
        (status.counts.split_brains, status.counts.discarded),
        (1, MIB)
    );
}

/// With fencing the other side of the cut never serves: the first goes on, with
/// resource-and-stonith after the time that fencing takes.
#[test]
fn a_leg_that_is_fenced_does_not_take_over() {
    for (fencing, waits) in [
        (Fencing::ResourceOnly, 0),
        (Fencing::ResourceAndStonith(5 * SECOND), 4 * SECOND),
    ] {
        let mut watched = cut(PartitionSpec {
            fencing,
            ..PartitionSpec::default()
        });
        let end = watched.settle();
        assert_eq!(watched.end(1).at, 3 * SECOND + waits + DISK);
        let status = watched.status(end);
        assert_eq!(status.state, MirrorState::InSync);
        assert_eq!(
            (status.counts.takeovers, status.counts.copied),
            (0, 2 * MIB)
        );
        assert_eq!(status.counts.split_brains, 0);
        let frozen = if waits == 0 { 0 } else { 5 * SECOND };
        assert_eq!(status.counts.frozen, frozen);

        // Nor once the first has written alone and is lost.
        watched.change(
            end,
            Change::Cut {
                link: 0,
                from: [true; 2],
            },
        );
        watched.submit(end + 7 * SECOND, 3, &write(3));
        watched.host(end + 8 * SECOND, 0, true);
        watched.submit(end + 9 * SECOND, 4, &request(Op::Read, 3 * MIB, KIB));
        watched.advance(end + 30 * SECOND);
        assert!(
            watched.ends[&4].is_none(),
            "nobody has what was acknowledged"
        );
        watched.host(end + 30 * SECOND, 0, false);
        watched.settle();
        assert!(!watched.end(4).failed);
    }
}

/// What waited for buffers there while the other leg is fenced has gone with the link.
#[test]
fn what_was_left_unread_goes_with_the_link() {
    let mut storage = two_hosts(mirror(), link());
    let Layout::Mirror(spec) = &mut storage.devices[0].layout else {
        panic!("the device is a mirror");
    };
    spec.max_buffers = 1;
    spec.partition = PartitionSpec {
        failover: Some(FAILOVER),
        fencing: Fencing::ResourceAndStonith(5 * SECOND),
        ..PartitionSpec::default()
    };
    storage.volumes[1] = volume("b", 2 * SECOND);
    storage.links[0].socket_buffer = Some(8 * KIB);
    let mut watched = Watched::new(&storage);
    for ticket in 0..2 {
        watched.submit(0, ticket, &write(ticket.into()));
    }
    watched.change(
        SECOND / 2,
        Change::Cut {
            link: 0,
            from: [true; 2],
        },
    );
    watched.advance(8 * SECOND);
    watched.change(
        8 * SECOND,
        Change::Cut {
            link: 0,
            from: [false; 2],
        },
    );
    let end = watched.settle();
    let status = watched.status(end);
    assert_eq!((status.state, status.at_risk), (MirrorState::InSync, 0));
    assert_eq!(status.counts.copied, 2 * MIB);
}

/// What is being copied mixes old and new, so that its host cannot serve.
#[test]
fn a_leg_under_copy_does_not_take_over() {
    let mut watched = clustered(Acknowledge::C, PartitionSpec::default());
    watched.change(0, Change::Fail { volume: 1 });
    for region in 0..8 {
        watched.submit(0, region as Ticket, &write(region));
    }
    watched.change(SECOND, Change::Resume { volume: 1 });
    watched.host(SECOND + DISK, 0, true);
    watched.advance(20 * SECOND);
    assert_eq!(watched.status(20 * SECOND).state, MirrorState::Frozen);
    watched.host(20 * SECOND, 0, false);
    let end = watched.settle();
    let status = watched.status(end);
    assert_eq!(
        (status.state, status.counts.takeovers),
        (MirrorState::InSync, 0)
    );
}

/// A write of which nobody has been told that it is done is not lost at a takeover: the first goes
/// on alone, and its slow disk has the write when the other takes over.
#[test]
fn what_is_acknowledged_later_is_not_lost() {
    let spec = MirrorSpec {
        partition: PartitionSpec {
            failover: Some(FAILOVER),
            ..PartitionSpec::default()
        },
        ..mirror()
    };
    let mut storage = two_hosts(spec, link());
    storage.volumes[0] = volume("a", 6 * SECOND);
    for (submitted, lacks) in [(3 * SECOND, 0), (SECOND, 0)] {
        let mut watched = Watched {
            loss: None,
            ..Watched::new(&storage)
        };
        let cut = Change::Cut {
            link: 0,
            from: [true; 2],
        };
        watched.change(SECOND, cut);
        watched.submit(submitted, 0, &write(0));
        watched.advance(5 * SECOND);
        assert_eq!(
            watched.transitions(),
            [
                (2 * SECOND, MirrorTransition::GivenUp { leg: 1 }),
                (4 * SECOND, MirrorTransition::TakenOver { leg: 1, lacks })
            ]
        );
        assert!(watched.end(0).failed);
    }
}

/// What fences stands still with its host, so the other is not fenced: it takes over, if it is to.
#[test]
fn a_host_that_is_paused_while_it_fences_is_taken_over() {
    let fencing = Fencing::ResourceAndStonith(FAILOVER);
    for failover in [None, Some(FAILOVER)] {
        let partition = PartitionSpec {
            fencing,
            ..PartitionSpec::default()
        };
        let mut watched = clustered(Acknowledge::C, partition);
        let Some(mirrors) = watched.storage.mirrors.as_deref_mut() else {
            panic!("the device is a mirror");
        };
        mirrors.mirrors[0].spec.partition.failover = failover;
        let cut = Change::Cut {
            link: 0,
            from: [true; 2],
        };
        watched.change(SECOND, cut);
        watched.advance(5 * SECOND / 2);
        watched.change(5 * SECOND / 2, Change::HostSpeed { host: 0, speed: 0 });
        watched.advance(9 * SECOND);
        let fences = (2 * SECOND, MirrorTransition::Fences);
        let taken = (4 * SECOND, MirrorTransition::TakenOver { leg: 1, lacks: 0 });
        let said = watched.transitions();
        let said: Vec<_> = said
            .into_iter()
            .filter(|(_, it)| !matches!(it, MirrorTransition::GivenUp { .. }))
            .collect();
        match failover {
            None => assert_eq!(said, [fences]),
            Some(_) => assert_eq!(said, [fences, taken]),
        }
    }
}

/// A host that stands still fences nobody and acknowledges nothing: the other takes over, whatever
/// the fencing, and the first goes on if it is back before that.
#[test]
fn a_paused_host_does_nothing_until_it_goes_on() {
    for fencing in [
        Fencing::DontCare,
        Fencing::ResourceOnly,
        Fencing::ResourceAndStonith(SECOND / 2),
    ] {
        for (pause, taken_over) in [(2 * SECOND, false), (9 * SECOND, true)] {
            let mut watched = clustered(
                Acknowledge::C,
                PartitionSpec {
                    fencing,
                    ..PartitionSpec::default()
                },
            );
            let cut = |from| Change::Cut {
                link: 0,
                from: [from; 2],
            };
            let runs = |speed| Change::HostSpeed { host: 0, speed };
            watched.submit(SECOND - DISK / 2, 0, &write(0));
            watched.change(SECOND, runs(0));
            watched.change(SECOND, cut(true));
            watched.advance(SECOND + pause - 1);
            let transitions = watched.transitions();
            let taken = MirrorTransition::TakenOver { leg: 1, lacks: 0 };
            match taken_over {
                true => assert_eq!(transitions, [(SECOND + FAILOVER, taken)]),
                false => {
                    assert_eq!(transitions, []);
                    let is_past =
                        |end: &Option<Reply>| end.is_some_and(|end| end.at < SECOND + pause);
                    assert!(!is_past(&watched.ends[&0]), "a paused host acknowledges");
                }
            }
            watched.change(SECOND + pause, cut(false));
            watched.change(SECOND + pause, runs(1000));
            let end = watched.settle();
            assert_eq!(watched.end(0).failed, taken_over);
            let status = watched.status(end);
            assert_eq!(
                (status.state, status.counts.split_brains),
                (MirrorState::InSync, 0)
            );
        }
    }
}
