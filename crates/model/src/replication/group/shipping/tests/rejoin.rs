//! Random losses of nodes that come back: what was acknowledged is there or told to be lost, and in
//! the end all nodes have all of the log.

use core::cell::Cell;

use super::*;
use crate::job::tests::engines::replicated;
use crate::replication::group::shipping::standby::Needs;
use crate::replication::group::standing::{Host, Standing, Sync};
use crate::replication::group::tests::{BOTH, ways_cut};
use crate::spec::{Rejoin, TakeOver};
use crate::units::KIB;
use crate::workload::spec::RelayLog;

/// Nodes that are lost, or links that are cut, from when and for how long.
type Losses = Vec<(usize, Nanos, Nanos)>;

/// What is done at a time: a host or a link goes down, or is back.
#[derive(Clone, Copy, Debug)]
enum Turn {
    Host(usize, bool),
    Link(usize, [bool; 2]),
    /// The host of a node is paused, or goes on.
    Pause(usize, bool),
}

fn turns([losses, cuts, pauses]: [&Losses; 3], group: &Group) -> Vec<(Nanos, Turn)> {
    let hosts = losses.iter().flat_map(|&(node, at, lasts)| {
        let host = group.members[node % group.members.len()].host;
        [
            (at, Turn::Host(host, false)),
            (at + lasts, Turn::Host(host, true)),
        ]
    });
    let cuts = cuts.iter().map(|&(path, at, lasts)| {
        let link = group.paths[path % group.paths.len()].number;
        // Whole, or one way.
        let ways = [BOTH, [true, false], [false, true]][(at % 3) as usize];
        (link, at, lasts, ways)
    });
    let links = ways_cut(&cuts.collect::<Vec<_>>());
    let links = links
        .into_iter()
        .map(|(at, link, cut)| (at, Turn::Link(link, cut)));
    let pauses = pauses.iter().flat_map(|&(node, at, lasts)| {
        let host = group.members[node % group.members.len()].host;
        [
            (at, Turn::Pause(host, true)),
            (at + lasts, Turn::Pause(host, false)),
        ]
    });
    let mut all: Vec<_> = hosts.chain(links).chain(pauses).collect();
    all.sort_by_key(|it| Reverse(it.0));
    all
}

fn spells(most: usize) -> impl Strategy<Value = Losses> {
    let lasts = prop_oneof![1..300 * MILLISECOND, SECOND..3 * SECOND];
    let spell = (0..4_usize, 1..STOP_AT, lasts);
    prop::collection::vec(spell, 0..=most).prop_map(|mut all| {
        // A host, or a link, is lost once at a time.
        all.sort_by_key(|it| it.0);
        all.dedup_by_key(|it| it.0);
        all
    })
}

/// A primary and its standbys, or a source and its replicas, and how one that was replaced comes
/// back.
fn any_jobs() -> impl Strategy<Value = (OltpSpec, GroupSpec)> {
    let with = |rejoin: Rejoin, engine: OltpSpec, mut group: GroupSpec| {
        group.shipping = group.shipping.map(|it| Shipping { rejoin, ..it });
        (engine, group)
    };
    let standbys = prop::sample::select(&[Rejoin::Rewind, Rejoin::Copy]);
    let standbys =
        (jobs(), standbys).prop_map(move |((engine, group), it)| with(it, engine, group));
    let sources = prop::sample::select(&[Rejoin::Copy, Rejoin::Incremental, Rejoin::Never]);
    let sources = (replicated(), sources, 1_u32..12, any::<bool>());
    let sources = sources.prop_map(move |((mut engine, group), rejoin, threads, durable)| {
        let steps = vec![(0, threads), (STOP_AT, 0)];
        engine.load = TransactionLoad::Closed { steps, think: 0 };
        engine.relay_log = engine.binlog.map(|region| RelayLog { region, durable });
        with(rejoin, engine, group)
    });
    prop_oneof![standbys, sources]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(160))]

    #[test]
    fn who_comes_back_has_all_in_the_end(
        (engine, group) in any_jobs(),
        losses in spells(3),
        cuts in spells(4),
        pauses in spells(1),
        restart in 1..50 * MILLISECOND,
        after in prop::option::of(1..100 * MILLISECOND),
        kept in prop_oneof![Just(Bytes::MAX), KIB..64 * KIB],
        longest in 1..20 * MILLISECOND,
        gone in prop::option::of(1..STOP_AT),
    ) {
        let mut group = group;
        // The first primary may never come back, where another can take over.
        let gone = gone.filter(|_| after.is_some());
        let mut losses = losses;
        if let Some(at) = gone {
            losses.retain(|it| it.0 != 0 && it.0 % (1 + group.nodes.len()) != 0);
            losses.push((0, at, END));
        }
        group.membership.restart = Some(restart);
        group.take_over = after.map(|after| TakeOver { after });
        let shipping = group.shipping.unwrap();
        group.shipping = Some(Shipping { kept, ..shipping });
        let waits = engine.log.durable && shipping.wait != Wait::Nothing && shipping.log == Shipped::Wal;
        let changing: Vec<_> = engine.kinds.iter().map(|kind| kind.changes > 0).collect();
        let spec = OltpSpec { group: Some(group), ..engine };
        let mut primary: Box<_> = Group::new(&spec, spec.group.as_ref().unwrap(), 0, 1).into();
        // As many hosts as nodes.
        let mut turns = turns([&losses, &cuts, &pauses], &primary);
        let had = Cell::new((0, 0));
        let answered = Cell::new(false);
        let mut told = 0;
        let before = |group: &mut Group, world: &mut World| {
            let is_paused = group.members[group.writer].on == Host::Paused;
            answered.set(!group.writer().is_stopped() && !is_paused);
            had.set((group.writer, group.writer().on_disk(shipping.log)));
            while let Some((_, turn)) = turns.pop_if(|it| it.0 <= world.now) {
                match turn {
                    Turn::Host(host, is_up) => group.host_turned(world.now, host, is_up, world),
                    Turn::Pause(host, is_paused) => {
                        let speed = if is_paused { 0 } else { 1000 };
                        group.host_runs_at(world.now, host, speed, world);
                    }
                    Turn::Link(link, cut) => group.link_turned(world.now, link, cut, world),
                }
            }
        };
        let has_all = |group: &Group, other: usize| {
            let (stream, of) = (group.stream.as_ref().unwrap(), &group.members[other]);
            let standby = &stream.standbys[other];
            of.standing == Standing::Member
                && of.is_synced()
                && standby.flushed == group.writer().end_of(shipping.log)
                && group.nodes[other].progress().queued == 0
                && group.nodes[other].is_idle()
        };
        // Somebody would have to see to what it has.
        let stays_away = |group: &Group, other: usize| {
            let helps = matches!(shipping.rejoin, Rejoin::Never | Rejoin::Incremental);
            helps && group.members[other].standing == Standing::Gone
        };
        let is_gone = |other: usize| gone.is_some() && other == 0;
        // Nobody who comes back has the data, or all that was promised.
        let nobody_may = |group: &Group| {
            let lacks_any = |it: usize| waits && group.would_lose(it) > 0;
            let lacks = |it: usize| group.needs_copy(it) || stays_away(group, it) || lacks_any(it);
            is_gone(group.writer) && group.others().all(lacks)
        };
        let world = run_with(&mut *primary, longest, (NEVER, 0..0), before, |group, world| {
            for it in &world.changes[told..] {
                if let (MembershipEvent::TakesOver(heir), true) = (it.what, answered.get()) {
                    let up = |it: &usize| matches!(group.members[*it].on, Host::Up | Host::Back(_));
                    let nodes = 0..group.nodes.len();
                    let met = nodes.filter(|it| up(it) && group.reaches(heir.into(), *it));
                    assert!(2 * met.count() > group.nodes.len(), "only a majority replaces it");
                }
            }
            told = world.changes.len();
            let stream = group.stream.as_ref().unwrap();
            let (old, end) = had.get();
            // Unless what it needs has begun with the same event.
            let is_copied = matches!(group.members[old].sync, Sync::Copies(_));
            if old != group.writer && end > stream.sent && !is_copied {
                let needs = stream.standbys[old].needs;
                assert_eq!(needs, Needs::of_errant(shipping.rejoin), "it has errant transactions");
            }
            world.now > 3 * STOP_AT
                && group.loss.is_none()
                && group.writer().is_idle()
                // What is not on its disk counts as no commit of its log yet.
                && group.writer().on_disk(shipping.log) == group.writer().end_of(shipping.log)
                && group.others().all(|it| is_gone(it) || stays_away(group, it) || has_all(group, it))
                || world.now > 10 * STOP_AT && nobody_may(group)
        });
        if nobody_may(&primary) {
            return Ok(());
        }
        prop_assert!(primary.loss.is_none(), "somebody serves: {:?} {:?}", primary.members, world.changes);
        let errant = |other: usize| {
            let mut changes = world.changes.iter();
            changes.any(|it| it.what == MembershipEvent::Errant(other as u16))
        };
        for other in primary.others().filter(|&it| !is_gone(it)) {
            if stays_away(&primary, other) {
                let rejoin = shipping.rejoin;
                prop_assert!(rejoin == Rejoin::Never || errant(other), "{other} {:?}", world.changes);
                continue;
            }
            let of = &primary.members[other];
            prop_assert!(has_all(&primary, other), "{other} {of:?} {:?}", world.changes);
        }
        let acknowledged = world.ended.iter().filter(|it| changing[usize::from(it.kind)]).count() as u64;
        let lost: u64 = world.changes.iter().map(|it| match it.what {
            MembershipEvent::Serves(_, lost) => lost,
            _ => 0,
        }).sum();
        let has = primary.stream.as_ref().unwrap().transactions;
        prop_assert!(has + lost >= acknowledged, "{has} + {lost} of {acknowledged}");
        // Commits may wait for a primary of before that never comes back.
        let waiting = if primary.writer().is_idle() { 0 } else { u64::from(spec.threads()) };
        let most = acknowledged + world.failed + waiting;
        prop_assert!(has + lost <= most, "{has} + {lost} of {acknowledged}");
        prop_assert!(!waits || lost == 0, "what was promised is there");
    }
}
