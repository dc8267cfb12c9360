//! Random replicas whose links are cut and whose hosts are lost: what waits, what is acknowledged
//! and what a replica that takes over has.

use super::*;
use crate::job::tests::engines::replicated;
use crate::replication::group::tests::{cuts, ways_cut};
use crate::spec::{Fallback, TakeOver};
use crate::workload::TransactionWait;

/// What happens to a replica, or to the source.
#[derive(Clone, Copy, Debug)]
enum Trouble {
    /// These ways of the link to this one are cut until then.
    Cut(usize, Nanos, [bool; 2]),
    /// The host of this one is lost.
    Lost(usize),
}

/// Up to five cuts, perhaps a lost replica, perhaps a lost source, in order of time.
fn troubles(replicas: usize) -> impl Strategy<Value = Vec<(Nanos, Trouble)>> {
    let time = || 0..2 * STOP_AT;
    let cut = (time(), cuts(replicas));
    let cut = cut.prop_map(|(at, (link, len, _, ways))| {
        (at, Trouble::Cut(1 + link, at + MILLISECOND + len, ways))
    });
    let cuts = prop::collection::vec(cut, 0..6);
    let lost = prop::option::weighted(0.4, (time(), 1..=replicas));
    let source = prop::option::weighted(0.5, time());
    (cuts, lost, source).prop_map(|(mut all, lost, source)| {
        all.extend(lost.map(|(at, replica)| (at, Trouble::Lost(replica))));
        all.extend(source.map(|at| (at, Trouble::Lost(0))));
        all.sort_by_key(|it| it.0);
        all
    })
}

/// What is done to a group.
#[derive(Clone, Copy, Debug)]
enum Turn {
    /// These ways of the link of a replica are cut from now on.
    Cut(usize, [bool; 2]),
    Lost(usize),
}

/// What is to be done with a group, in order of time.
fn schedule(troubles: &[(Nanos, Trouble)]) -> Vec<(Nanos, Turn)> {
    let cuts = troubles.iter().filter_map(|&(at, trouble)| match trouble {
        Trouble::Cut(replica, until, ways) => Some((replica - 1, at, until - at, ways)),
        Trouble::Lost(_) => None,
    });
    let cuts = ways_cut(&cuts.collect::<Vec<_>>());
    let cuts = cuts
        .into_iter()
        .map(|(at, link, cut)| (at, Turn::Cut(link, cut)));
    let lost = troubles.iter().filter_map(|&(at, trouble)| match trouble {
        Trouble::Cut(..) => None,
        Trouble::Lost(host) => Some((at, Turn::Lost(host))),
    });
    let mut all: Vec<_> = cuts.chain(lost).collect();
    all.sort_by_key(|it| it.0);
    all
}

fn happens(group: &mut Group, world: &mut World, turn: Turn) {
    let now = world.now;
    match turn {
        Turn::Cut(link, ways) => group.link_turned(now, link, ways, world),
        // One that has taken over stays.
        Turn::Lost(host) if host > 0 && group.writer == host => {}
        Turn::Lost(host) => group.host_turned(now, host, false, world),
    }
}

/// Replicas that have this many commits in their relay logs.
fn have(group: &Group, commits: u64) -> usize {
    let replicas = group.others().filter(|&it| it != 0);
    let have = replicas.filter(|&it| group.nodes[it].progress().received >= commits);
    have.count()
}

fn jobs() -> impl Strategy<Value = (OltpSpec, GroupSpec, Vec<(Nanos, Trouble)>)> {
    (replicated(), 1_u32..12).prop_flat_map(|((engine, mut group), threads)| {
        let steps = vec![(0, threads), (STOP_AT, 0)];
        let load = TransactionLoad::Closed { steps, think: 0 };
        let after = 50 * MILLISECOND;
        group.take_over = Some(TakeOver { after });
        let troubles = troubles(group.nodes.len());
        (Just(OltpSpec { load, ..engine }), Just(group), troubles)
    })
}

/// What clients were told, of the source that serves.
#[derive(Clone, Copy, Debug, Default)]
struct Told {
    /// Commits that it had when it began to serve, and acknowledged since.
    had: u64,
    acknowledged: u64,
    /// How many that was when it last did so semi-synchronously.
    promised: u64,
}

/// A run, looked at after every event.
struct Watch {
    shipping: Shipping,
    /// By kind of transaction: whether it changes anything.
    changing: Vec<bool>,
    told: Told,
    /// The first source, once another serves.
    before: Option<Told>,
    seen: usize,
}

impl Watch {
    fn changes(&self, it: &Transaction) -> bool {
        self.changing[usize::from(it.kind)]
    }

    /// Checks what was acknowledged. Gives whether nothing is left to be done.
    fn look(&mut self, group: &Group, world: &World) -> bool {
        let stream = group.stream.as_ref().unwrap();
        let source = group.writer();
        if group.writer != 0 && self.before.is_none() {
            let had = source.progress().applied;
            assert_eq!(source.end_of_binlog(), stream.sent);
            let serves = Told {
                had,
                ..Told::default()
            };
            self.before = Some(core::mem::replace(&mut self.told, serves));
        }
        for number in self.seen..world.ended.len() {
            let (it, asynchronous) = (&world.ended[number], world.asynchronous[number]);
            if self.changes(it) {
                self.told.acknowledged += 1;
                self.acknowledged(it.waits.of(TransactionWait::Replication), asynchronous);
            }
        }
        self.seen = world.ended.len();
        let Told { had, promised, .. } = self.told;
        let wanted = self.shipping.standbys as usize;
        assert!(
            promised == 0 || have(group, had + promised) >= wanted,
            "{:?}",
            self.told
        );
        let caught_up = |it: usize| {
            let of = &stream.standbys[it];
            of.flushed == stream.sent && of.replaying.is_empty() && of.statuses.is_empty()
        };
        world.now > 4 * STOP_AT
            && (source.is_stopped() || source.is_idle())
            && stream.waiting.is_empty()
            && living(group).all(caught_up)
    }

    fn acknowledged(&mut self, waited: Nanos, asynchronous: bool) {
        let Some(Fallback { timeout, .. }) = self.shipping.fallback else {
            return assert_eq!(waited, 0);
        };
        assert!(waited <= timeout, "{waited} {timeout}");
        if !asynchronous {
            self.told.promised = self.told.acknowledged;
        }
    }
}

/// Replicas that serve, if need be.
fn living(group: &Group) -> impl Iterator<Item = usize> {
    let lives = |it: &usize| *it != 0 && !group.nodes[*it].is_stopped();
    group.others().filter(lives)
}

/// When replication became asynchronous and semi-synchronous again, in turns.
fn turns(world: &World) -> Vec<Nanos> {
    let turns = world.changes.iter().filter_map(|it| match it.what {
        MembershipEvent::Asynchronous => Some((it.at, true)),
        MembershipEvent::SemiSynchronous => Some((it.at, false)),
        _ => None,
    });
    let turns: Vec<_> = turns.collect();
    let expected = [true, false].into_iter().cycle();
    assert!(turns.iter().zip(expected).all(|(turn, is)| turn.1 == is));
    turns.into_iter().map(|turn| turn.0).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// While replication is semi-synchronous, what is acknowledged is in the relay logs of enough
    /// replicas; no commit waits longer than the timeout; what a promotion loses is told to the
    /// last transaction, and is nothing that a living replica acknowledged. All that is cut off
    /// catches up, and replication is semi-synchronous again.
    #[test]
    fn what_replicas_acknowledged_is_never_missing(
        (engine, group, troubles) in jobs(),
        longest in 1..20 * MILLISECOND,
    ) {
        let shipping = group.shipping.unwrap();
        let (wanted, replicas) = (shipping.standbys as usize, group.nodes.len());
        let mut watch = Watch {
            shipping,
            changing: engine.kinds.iter().map(|kind| kind.changes > 0).collect(),
            told: Told::default(),
            before: None,
            seen: 0,
        };
        let spec = OltpSpec { group: Some(group), ..engine };
        let mut source: Box<_> = Group::new(&spec, spec.group.as_ref().unwrap(), 0, 1).into();
        let mut due = schedule(&troubles).into_iter().peekable();
        let before = |group: &mut Group, world: &mut World| {
            while let Some((_, next)) = due.next_if(|it| it.0 <= world.now) {
                happens(group, world, next);
            }
        };
        let looks = |group: &Group, world: &World| watch.look(group, world);
        let world = run_with(&mut *source, longest, (NEVER, 0..0), before, looks);
        let lost = world.changes.iter().find_map(|it| match it.what {
            MembershipEvent::Serves(_, lost) => Some(lost),
            _ => None,
        });
        prop_assert_eq!(lost.is_some(), watch.before.is_some());
        if let (Some(lost), Some(told)) = (lost, watch.before) {
            let gone = (1..=replicas).filter(|&it| source.nodes[it].is_stopped()).count();
            prop_assert_eq!(lost, told.acknowledged.saturating_sub(watch.told.had));
            prop_assert!(watch.told.had >= told.promised || gone >= wanted, "{:?}", told);
        }
        let counts = source.counts(world.now);
        let modes = world.ended.iter().zip(&world.asynchronous);
        let freely = modes.filter(|&(it, &asynchronous)| asynchronous && watch.changes(it));
        prop_assert_eq!(counts.unacknowledged, freely.count() as u64);
        let turns = turns(&world);
        let ends = turns.iter().skip(1).step_by(2).chain([&world.now]);
        let spans = turns.iter().step_by(2).zip(ends);
        prop_assert_eq!(counts.asynchronous, spans.map(|(from, to)| to - from).sum::<u64>());
        if source.writer().is_stopped() {
            return Ok(());
        }
        let transactions = source.stream.as_ref().unwrap().transactions;
        prop_assert_eq!(transactions, watch.told.had + watch.told.acknowledged);
        for replica in living(&source) {
            prop_assert_eq!(source.nodes[replica].progress().applied, transactions);
        }
        let waits = shipping.fallback.is_some_and(|it| it.timeout > 0);
        let heals = waits && living(&source).count() >= wanted;
        prop_assert!(!heals || turns.len().is_multiple_of(2), "asynchronous at the end");
    }
}
