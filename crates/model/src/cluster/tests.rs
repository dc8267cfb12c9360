use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;

use proptest::prelude::*;

use super::*;

/// Who has the disks at a time, or what is being done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doing {
    Runs(usize),
    Takes(Step),
}

/// The same tick by tick: at each, the state moves on as long as it can.
enum State {
    Runs(usize),
    Detects(Nanos),
    Chooses,
    TakesOver(usize, VecDeque<(Step, Nanos)>),
}

fn is_lost(cluster: &Cluster, node: usize, now: Nanos) -> bool {
    let mut lost = cluster.lost[node].iter();
    lost.any(|&(from, until)| from <= now && until.is_none_or(|until| now < until))
}

fn steps(times: StepTimes, planned: bool, moves: bool) -> VecDeque<(Step, Nanos)> {
    let mut steps = VecDeque::new();
    if planned {
        steps.push_back((Step::Stop, times.stop));
    }
    if moves {
        if !planned {
            steps.push_back((Step::Fencing, times.fencing));
        }
        steps.push_back((Step::Detach, times.detach));
        steps.push_back((Step::Attach, times.attach));
    }
    steps.push_back((Step::Import, times.import));
    if !planned {
        steps.push_back((Step::Recovery, times.recovery));
    }
    steps.push_back((Step::Start, times.start));
    steps
}

fn obvious(cluster: &Cluster, end: Nanos) -> Vec<Doing> {
    let times = cluster.times;
    let (mut state, mut holder) = (State::Runs(0), 0);
    let mut all = Vec::new();
    for now in 0..end {
        let doing = loop {
            state = match state {
                State::Runs(node) => {
                    let mut switches = cluster.switches.iter();
                    if is_lost(cluster, node, now) {
                        State::Detects(times.detection)
                    } else if let Some(&(_, to)) = switches.find(|it| it.0 == now && it.1 != node) {
                        State::TakesOver(to, steps(times, true, true))
                    } else {
                        break Doing::Runs(node);
                    }
                }
                State::Detects(0) => State::Chooses,
                State::Detects(left) => {
                    state = State::Detects(left - 1);
                    break Doing::Takes(Step::Detection);
                }
                State::Chooses => {
                    let nodes = 0..cluster.lost.len();
                    let others = nodes.filter(|&node| node != holder).chain([holder]);
                    let mut there = others.filter(|&node| !is_lost(cluster, node, now));
                    match there.next() {
                        None => {
                            state = State::Chooses;
                            break Doing::Takes(Step::NoNode);
                        }
                        Some(node) => State::TakesOver(node, steps(times, false, node != holder)),
                    }
                }
                State::TakesOver(node, mut steps) => match steps.pop_front() {
                    None => {
                        holder = node;
                        State::Runs(node)
                    }
                    Some((step, 0)) => {
                        if step == Step::Attach {
                            holder = node;
                        }
                        State::TakesOver(node, steps)
                    }
                    Some(_) if is_lost(cluster, node, now) => State::Detects(times.detection),
                    Some((step, left)) => {
                        steps.push_front((step, left - 1));
                        state = State::TakesOver(node, steps);
                        break Doing::Takes(step);
                    }
                },
            }
        };
        all.push(doing);
    }
    all
}

/// What the outages say of each tick.
fn told(outages: &[Outage], end: Nanos) -> Vec<Doing> {
    let (mut all, mut active) = (Vec::new(), 0);
    for outage in outages {
        while (all.len() as Nanos) < outage.at.min(end) {
            all.push(Doing::Runs(active));
        }
        for &(step, length) in &outage.steps {
            let length = length.unwrap_or(end);
            all.extend((0..length).map(|_| Doing::Takes(step)));
        }
        active = outage.to.unwrap_or(active);
    }
    while (all.len() as Nanos) < end {
        all.push(Doing::Runs(active));
    }
    all.truncate(end as usize);
    all
}

fn times() -> impl Strategy<Value = StepTimes> {
    prop::array::uniform8(0_u64..4).prop_map(
        |[
            detection,
            stop,
            fencing,
            detach,
            attach,
            import,
            recovery,
            start,
        ]| StepTimes {
            detection,
            stop,
            fencing,
            detach,
            attach,
            import,
            recovery,
            start,
        },
    )
}

/// Times of loss of one node, none of which touch.
fn lost() -> impl Strategy<Value = Vec<(Nanos, Option<Nanos>)>> {
    let one = (1_u64..30, 1_u64..20, prop::bool::weighted(0.8));
    prop::collection::vec(one, 0..4).prop_map(|all| {
        let (mut now, mut lost) = (0, vec![]);
        for (gap, length, returns) in all {
            let from = now + gap;
            now = from + length;
            lost.push((from, returns.then_some(now)));
            if !returns {
                break;
            }
        }
        lost
    })
}

const END: Nanos = 150;

proptest! {
    #[test]
    fn outages_are_what_the_steps_of_each_tick_come_to(
        times in times(), lost in prop::collection::vec(lost(), 2..4),
        switches in prop::collection::vec((1..END, 0_usize..2), 0..4)
    ) {
        let mut cluster = Cluster { times, lost, switches };
        cluster.switches.sort_unstable();
        cluster.switches.dedup_by_key(|switch| switch.0);
        // Those that cannot be are no part of it.
        let outages = loop {
            match cluster.outages() {
                Ok(outages) => break outages,
                Err((number, _)) => cluster.switches.remove(number),
            };
        };
        prop_assert_eq!(told(&outages, END), obvious(&cluster, END));
        for outage in &outages {
            let sum: Option<Nanos> = outage.steps.iter().map(|step| step.1).sum();
            prop_assert_eq!(outage.until(), sum.map(|sum| outage.at + sum));
            prop_assert_eq!(outage.until().is_some(), outage.to.is_some());
            prop_assert_eq!(outage.switched, cluster.switches.iter().any(|it| it.0 == outage.at
                && outage.steps.first().is_none_or(|step| step.0 != Step::Detection)
                && !is_lost(&cluster, outage.from, outage.at)));
        }
        for pair in outages.windows(2) {
            prop_assert!(pair[0].until().unwrap() <= pair[1].at, "no two at a time");
            prop_assert_eq!(pair[0].to, Some(pair[1].from), "one writer at a time");
        }
    }
}

#[test]
fn a_switch_that_cannot_be_says_why() {
    let times = StepTimes {
        start: 5,
        ..StepTimes::default()
    };
    let refused = |lost: Vec<(Nanos, Option<Nanos>)>, switches: &[(Nanos, usize)]| {
        let lost = vec![lost, vec![(50, Some(60))]];
        let switches = switches.to_vec();
        let cluster = Cluster {
            times,
            lost,
            switches,
        };
        cluster.outages().unwrap_err()
    };
    assert_eq!(refused(vec![], &[(1, 0)]), (0, Refused::Active));
    assert_eq!(refused(vec![], &[(55, 1)]), (0, Refused::Lost));
    let handed_over = Refused::HandedOver(Some(15));
    assert_eq!(refused(vec![], &[(10, 1), (12, 0)]), (1, handed_over));
    assert_eq!(
        refused(vec![(8, None)], &[(10, 1)]).1,
        Refused::HandedOver(Some(13))
    );
}
