//! Random primaries that are lost: what was lost with them is told to the last transaction.

use super::*;
use crate::spec::TakeOver;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// A standby is promoted, has all that it had received, and tells how many transactions are
    /// lost of which clients had been told; of those that enough standbys had, none is. It serves,
    /// and the others have all of its log in the end.
    #[test]
    fn what_a_promotion_loses_is_told(
        (engine, group) in jobs(),
        at in 1..STOP_AT,
        after in 1..100 * MILLISECOND,
        longest in 1..20 * MILLISECOND,
        trouble in prop::sample::select(&["host", "host and link", "links"]),
    ) {
        let mut group = group;
        group.take_over = Some(TakeOver { after });
        let shipping = group.shipping.unwrap();
        let waits = engine.log.durable && shipping.wait != Wait::Nothing;
        let count = group.nodes.len();
        let changing: Vec<_> = engine.kinds.iter().map(|kind| kind.changes > 0).collect();
        let spec = OltpSpec { group: Some(group), ..engine };
        let mut primary: Box<_> = Group::new(&spec, spec.group.as_ref().unwrap(), 0, 1).into();
        let mut is_lost = false;
        let (mut acknowledged, mut seen) = (0, 0);
        let changes = |it: &&Transaction| changing[usize::from(it.kind)];
        let before = |group: &mut Group, world: &mut World| {
            if group.writer == 0 {
                acknowledged += world.ended[seen..].iter().filter(changes).count() as u64;
                seen = world.ended.len();
            }
            if world.now >= at && !is_lost {
                is_lost = true;
                if trouble != "links" {
                    group.host_turned(world.now, 0, false, world);
                }
                let cut = match trouble {
                    "host" => 0,
                    "host and link" => 1,
                    _ => count,
                };
                (0..cut).for_each(|link| group.link_turned(world.now, link, [true; 2], world));
            }
        };
        let mut has = None;
        let world = run_with(&mut *primary, longest, (NEVER, 0..0), before, |group, world| {
            if group.writer != 0 && has.is_none() {
                has = Some(group.nodes[group.writer].progress().applied);
            }
            let all = group.writer().end_of_log();
            let stream = group.stream.as_ref().unwrap();
            let has_all = |it: usize| {
                let is_replayed = stream.standbys[it].replaying.is_empty();
                stream.standbys[it].flushed == all && is_replayed
            };
            world.now > 2 * STOP_AT && trouble == "links" && count == 1 || world.now > 2 * STOP_AT
                && group.writer().is_idle()
                && group.writer().sendable(Shipped::Wal) == all
                && group.others().filter(|&it| it != 0).all(has_all)
        });
        let told = world.changes.iter().find_map(|it| match it.what {
            MembershipEvent::Serves(heir, lost) => Some((usize::from(heir), lost)),
            _ => None,
        });
        if trouble == "links" && count == 1 {
            prop_assert_eq!(primary.writer, 0, "neither of two has a majority");
            return Ok(());
        }
        prop_assert!(primary.writer != 0, "a standby serves");
        let (heir, lost) = told.unwrap();
        prop_assert_eq!(heir, primary.writer);
        prop_assert_eq!(lost, acknowledged.saturating_sub(has.unwrap()));
        prop_assert!(!waits || lost == 0, "enough standbys had it");
        let later = world.ended.iter().filter(changes).count() as u64 - acknowledged;
        let stream = primary.stream.as_ref().unwrap();
        prop_assert_eq!(stream.transactions, has.unwrap() + later);
        prop_assert!(primary.writer().is_idle());
        prop_assert!(stream.waiting.is_empty());
        for other in primary.others().filter(|&it| it != 0) {
            prop_assert_eq!(primary.nodes[other].progress().applied, stream.transactions, "{}", count);
        }
    }
}
