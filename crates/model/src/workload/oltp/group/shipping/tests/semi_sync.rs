//! Random replicas whose links are cut and whose hosts are lost: what waits, what is acknowledged
//! and what a replica that takes over has.

use super::*;
use crate::workload::facts::TransactionWait;
use crate::workload::oltp::group::spec::{Fallback, TakeOver};
use crate::workload::tests::engines::{links_between, replicated};

/// What happens to a replica, or to the source.
#[derive(Clone, Copy, Debug)]
enum Trouble {
    /// The link to this one is down until then.
    Cut(usize, Nanos),
    /// The host of this one is lost.
    Lost(usize),
}

/// Up to five cuts, perhaps a lost replica, perhaps a lost source, in order of time.
fn troubles(replicas: usize) -> impl Strategy<Value = Vec<(Nanos, Trouble)>> {
    let time = || 0..2 * STOP_AT;
    let cut = (time(), 1..=replicas, MILLISECOND..STOP_AT);
    let cut = cut.prop_map(|(at, replica, len)| (at, Trouble::Cut(replica, at + len)));
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

/// What is to be done with a group, in order of time.
fn schedule(troubles: &[(Nanos, Trouble)]) -> Vec<(Nanos, Trouble, bool)> {
    let mut all: Vec<_> = troubles.iter().map(|&(at, it)| (at, it, false)).collect();
    for (number, &(_, trouble)) in troubles.iter().enumerate() {
        let Trouble::Cut(replica, until) = trouble else {
            continue;
        };
        // It works again once no other cut lasts.
        let longer = |(other, it): (usize, &(Nanos, Trouble))| {
            matches!(it.1, Trouble::Cut(own, end) if own == replica
                && it.0 <= until && (end, other) > (until, number))
        };
        if !troubles.iter().enumerate().any(longer) {
            all.push((until, trouble, true));
        }
    }
    all.sort_by_key(|it| it.0);
    all
}

fn happens(group: &mut Group, world: &mut World, (_, trouble, is_over): (Nanos, Trouble, bool)) {
    let now = world.now;
    match trouble {
        Trouble::Cut(replica, _) => group.link_turned(now, replica - 1, is_over, world),
        // One that has taken over stays.
        Trouble::Lost(host) if host > 0 && group.writer == host => {}
        Trouble::Lost(host) => group.host_turned(now, host, false, world),
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
        let between = links_between(&group);
        group.take_over = Some(TakeOver { after, between });
        let troubles = troubles(group.nodes.len());
        (Just(OltpSpec { load, ..engine }), Just(group), troubles)
    })
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
        let wanted = shipping.standbys as usize;
        let replicas = group.nodes.len();
        let changing: Vec<_> = engine.kinds.iter().map(|kind| kind.changes > 0).collect();
        let changes = |it: &Transaction| changing[usize::from(it.kind)];
        let spec = OltpSpec { group: Some(group), ..engine };
        let mut source: Box<_> = Group::new(&spec, spec.group.as_ref().unwrap(), 0, 1).into();
        let mut due = schedule(&troubles).into_iter().peekable();
        let before = |group: &mut Group, world: &mut World| {
            while let Some(next) = due.next_if(|it| it.0 <= world.now) {
                happens(group, world, next);
            }
        };
        let calm = 4 * STOP_AT;
        // Commits that the one that serves had when it began to, and acknowledged since.
        let (mut had, mut acknowledged, mut promised) = (0, 0, 0);
        let mut seen = 0;
        let mut kept = None;
        let world = run_with(&mut *source, longest, (NEVER, 0..0), before, |group, world| {
            if group.writer != 0 && kept.is_none() {
                let heir = &group.nodes[group.writer];
                kept = Some((acknowledged, promised, heir.progress().applied));
                had = heir.progress().applied;
                (acknowledged, promised) = (0, 0);
                assert_eq!(heir.binlog.as_ref().unwrap().end(), group.stream.as_ref().unwrap().sent);
            }
            let new = world.ended[seen..].iter().zip(&world.asynchronous[seen..]);
            for (it, asynchronous) in new {
                if changes(it) {
                    acknowledged += 1;
                    let waited = it.waits.of(TransactionWait::Replication);
                    if let Some(Fallback { timeout, .. }) = shipping.fallback {
                        assert!(waited <= timeout, "{waited} {timeout}");
                        if !asynchronous {
                            promised = acknowledged;
                        }
                    } else {
                        assert_eq!(waited, 0);
                    }
                }
            }
            seen = world.ended.len();
            if promised > 0 {
                assert!(have(group, had + promised) >= wanted, "{promised} of {acknowledged}");
            }
            let stream = group.stream.as_ref().unwrap();
            let lives = |it: &usize| *it != 0 && !group.nodes[*it].is_stopped();
            world.now > calm
                && (group.writer().is_stopped() || is_idle(group.writer()))
                && stream.waiting.is_empty()
                && group.others().filter(lives).all(|it| {
                    let of = &stream.standbys[it];
                    of.flushed == stream.sent && of.replaying.is_empty() && of.statuses.is_empty()
                })
        });
        let is_lost = |it: &usize| source.nodes[*it].is_stopped();
        let lost_replicas = (1..=replicas).filter(is_lost).count();
        let told = world.changes.iter().find_map(|it| match it.what {
            MembershipEvent::Serves(_, lost) => Some(lost),
            _ => None,
        });
        prop_assert_eq!(told.is_some(), kept.is_some());
        if let (Some(lost), Some((acknowledged, promised, has))) = (told, kept) {
            prop_assert_eq!(lost, acknowledged.saturating_sub(has));
            prop_assert!(has >= promised || lost_replicas >= wanted, "{} {}", has, promised);
        }
        let counts = source.counts(world.now);
        let freely = world.ended.iter().zip(&world.asynchronous).filter(|&(it, &mode)| mode && changes(it));
        prop_assert_eq!(counts.unacknowledged, freely.count() as u64);
        let turns = world.changes.iter().filter_map(|it| match it.what {
            MembershipEvent::Asynchronous => Some((it.at, true)),
            MembershipEvent::SemiSynchronous => Some((it.at, false)),
            _ => None,
        });
        let turns: Vec<_> = turns.collect();
        prop_assert!(turns.iter().zip([true, false].iter().cycle()).all(|(it, &is)| it.1 == is));
        let ends = turns.iter().skip(1).step_by(2).map(|it| it.0).chain([world.now]);
        let spans = turns.iter().step_by(2).zip(ends);
        prop_assert_eq!(counts.asynchronous, spans.map(|(it, end)| end - it.0).sum::<u64>());
        if source.writer().is_stopped() {
            return Ok(());
        }
        let stream = source.stream.as_ref().unwrap();
        let living: Vec<_> = source.others().filter(|&it| it != 0 && !source.nodes[it].is_stopped()).collect();
        for &replica in &living {
            prop_assert_eq!(source.nodes[replica].progress().applied, stream.transactions);
        }
        prop_assert_eq!(stream.transactions, had + acknowledged);
        let heals = shipping.fallback.is_some_and(|it| it.timeout > 0) && living.len() >= wanted;
        prop_assert!(!heals || turns.len() % 2 == 0, "asynchronous at the end");
    }
}
