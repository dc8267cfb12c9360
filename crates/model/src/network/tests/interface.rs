//! Several links at one host, beside hosts that are looked at once a nanosecond.

use proptest::prelude::*;

use super::*;
use crate::network::interface::{Passage, Port};
use crate::spec::HostSpec;

const HOSTS: usize = 3;
/// All is over by then.
const END: Nanos = 100_000;
const DELAYS: [Nanos; HOSTS] = [7, 30, 110];

/// A message: when, over which link, from which end, and its bytes.
type Sent = (Nanos, usize, usize, Bytes);

/// Each host with each other, with these bits a second.
fn links(bandwidths: [u64; HOSTS]) -> Vec<LinkSpec> {
    let between = |(index, bandwidth): (usize, u64)| LinkSpec {
        ends: [index, (index + 1) % HOSTS],
        delay: [DELAYS[index]; 2],
        bandwidth,
        headers: 2,
        payload: 10_000,
        ..link()
    };
    bandwidths.into_iter().enumerate().map(between).collect()
}

fn hosts(networks: [Option<u64>; HOSTS]) -> Vec<HostSpec> {
    let host = |network| HostSpec {
        network,
        ..HostSpec::unnamed()
    };
    networks.into_iter().map(host).collect()
}

/// A bandwidth at which a byte takes so long.
fn byte_takes(nanos: u64) -> u64 {
    8_000_000_000 / nanos
}

/// When each message arrives, and for how long each host's interface was busy in the end.
fn arrivals(
    specs: &[LinkSpec],
    processors: &mut Processors,
    sent: &[Sent],
    cuts: &[(Nanos, usize, [bool; 2])],
) -> Vec<Nanos> {
    arrivals_and_counts(specs, processors, sent, cuts).0
}

/// The same, with what was counted by link.
fn arrivals_and_counts(
    specs: &[LinkSpec],
    processors: &mut Processors,
    sent: &[Sent],
    cuts: &[(Nanos, usize, [bool; 2])],
) -> (Vec<Nanos>, Vec<[LinkCounts; 2]>) {
    let numbered = specs.iter().enumerate();
    let mut links: Vec<_> = numbered
        .map(|(at, spec)| Link::new(spec, SEED, at))
        .collect();
    let (mut released, mut got) = (Vec::new(), vec![NEVER; sent.len()]);
    let (mut to_send, mut to_cut) = (sent.iter().zip(0..).peekable(), cuts.iter().peekable());
    loop {
        let ends = (0..links.len()).flat_map(|link| [(link, 0), (link, 1)]);
        let event = ends.map(|(link, from)| (links[link].next_event(from), link, from));
        let event = event.min_by_key(|it| it.0).unwrap();
        let (sends, cuts) = (
            to_send.peek().map_or(NEVER, |it| it.0.0),
            to_cut.peek().map_or(NEVER, |it| it.0),
        );
        let now = event.0.min(sends).min(cuts);
        if now == NEVER {
            let counts = links.iter().map(|link| link.counts(END));
            return (got, counts.collect());
        }
        if event.0 == now {
            let (_, link, from) = event;
            links[link].advance(now, from, processors, &mut released);
            for (to, at) in take_deliveries(&mut links[link]) {
                assert_eq!((at, got[to as usize]), (now, NEVER));
                got[to as usize] = now;
            }
        } else if let Some(&(_, link, cut)) = to_cut.next_if(|it| it.0 == now) {
            links[link].turn(now, cut, processors, &mut released);
        } else if let Some((&(_, link, from, bytes), to)) = to_send.next() {
            let message = Message {
                to,
                bytes,
                has_answer: false,
                ahead: false,
                is_copy: false,
            };
            links[link].send(now, from, message, processors);
        }
    }
}

/// A message on its way, by its number.
#[derive(Clone, Copy)]
struct Moving {
    number: usize,
    link: usize,
    from: usize,
    bytes: Bytes,
}

/// The same a nanosecond after another: each host sends what waits there in the order in which it
/// came, and takes what arrives link by link, one message of each in turn.
fn obvious(specs: &[LinkSpec], networks: [Option<u64>; HOSTS], sent: &[Sent]) -> Vec<Nanos> {
    let takes = |bytes: Bytes, bandwidth: u64| ((bytes + 2) * 8_000_000_000).div_ceil(bandwidth);
    let bounds: Vec<_> = (0..HOSTS)
        .map(|host| {
            let own = specs.iter().filter(|it| it.ends.contains(&host));
            let all = own.map(|it| it.bandwidth).sum::<u64>();
            networks[host].filter(|&network| network < all)
        })
        .collect();
    let mut waiting = vec![VecDeque::new(); HOSTS];
    let (mut out_free, mut in_free) = ([0; HOSTS], [0; HOSTS]);
    let mut wire_free = vec![[0; 2]; specs.len()];
    // With when it is there, by link and end.
    let mut way = vec![[VecDeque::new(), VecDeque::new()]; specs.len()];
    // With when it is through.
    let mut entering = vec![[None; 2]; specs.len()];
    let mut got = vec![NEVER; sent.len()];
    for now in 0.. {
        if got.iter().all(|&at| at != NEVER) {
            break;
        }
        for (number, &(at, link, from, bytes)) in sent.iter().enumerate() {
            if at == now {
                let moving = Moving {
                    number,
                    link,
                    from,
                    bytes,
                };
                waiting[specs[link].ends[from]].push_back(moving);
            }
        }
        for host in 0..HOSTS {
            while out_free[host] <= now
                && let Some(moving) = waiting[host].pop_front()
            {
                let Moving {
                    link, from, bytes, ..
                } = moving;
                let through = now + bounds[host].map_or(0, |network| takes(bytes, network));
                out_free[host] = through;
                let wire: &mut Nanos = &mut wire_free[link][from];
                *wire = now.max(*wire) + takes(bytes, specs[link].bandwidth);
                let there = through.max(*wire) + specs[link].delay[from];
                way[link][from].push_back((there, moving));
            }
        }
        for link in 0..specs.len() {
            for from in [0, 1] {
                let host = specs[link].ends[1 - from];
                loop {
                    if entering[link][from].is_some_and(|(through, _)| through > now) {
                        break;
                    }
                    if let Some((_, number)) = entering[link][from].take() {
                        got[number] = now;
                    }
                    let Some((there, moving)) = way[link][from].pop_front_if(|it| it.0 <= now)
                    else {
                        break;
                    };
                    let through = match bounds[host] {
                        None => now,
                        Some(network) => {
                            let long = takes(moving.bytes, network);
                            in_free[host] = (there - there.min(long)).max(in_free[host]) + long;
                            in_free[host]
                        }
                    };
                    entering[link][from] = Some((through, moving.number));
                }
            }
        }
    }
    got
}

fn sent() -> impl Strategy<Value = Vec<Sent>> {
    let one = (0_u64..600, 0..HOSTS, 0_usize..2, 0_u64..60);
    prop::collection::vec(one, 1..40).prop_map(|mut all| {
        all.sort();
        all
    })
}

proptest! {
    /// Messages of links that share a host's network arrive when the obvious hosts have them.
    #[test]
    fn links_share_the_networks_of_their_hosts(
        speeds in prop::array::uniform3(1_u64..9),
        networks in prop::array::uniform3(prop::option::weighted(0.8, 1_u64..9)),
        sent in sent(),
    ) {
        let specs = links(speeds.map(byte_takes));
        let networks = networks.map(|each| each.map(byte_takes));
        let mut processors = Processors::new(&hosts(networks), &specs);
        let got = arrivals(&specs, &mut processors, &sent, &[]);
        prop_assert_eq!(&got, &obvious(&specs, networks, &sent));
        for (host, network) in networks.into_iter().enumerate() {
            let Some(busy) = processors.interface_busy(host, END) else { continue };
            let mut ends: Vec<_> = sent.iter().zip(&got).filter_map(|(one, &at)| {
                let takes = ((one.3 + 2) * 8_000_000_000).div_ceil(network.unwrap());
                (specs[one.1].ends[1 - one.2] == host).then_some((at, takes))
            }).collect();
            ends.sort();
            prop_assert_eq!(busy[1], ends.iter().map(|it| it.1).sum::<u64>());
            // In no time more comes in than the network carries, but for the one that began before.
            for first in 0..ends.len() {
                let mut carried = 0;
                for end in &ends[first + 1..] {
                    carried += end.1;
                    prop_assert!(carried <= end.0 - ends[first].0, "{carried} in {ends:?}");
                }
            }
        }
    }
}

proptest! {
    /// A network that is as wide as the only link that is used changes nothing, cuts or not.
    #[test]
    fn a_network_as_wide_as_its_only_busy_link_changes_nothing(
        speed in 1_u64..9,
        sent in sent(),
        mut cuts in prop::collection::vec((1_u64..900, any::<[bool; 2]>()), 0..5),
    ) {
        let sent: Vec<_> = sent.into_iter().map(|(at, _, from, bytes)| (at, 0, from, bytes)).collect();
        cuts.push((1000, [false; 2]));
        cuts.sort();
        let cuts: Vec<_> = cuts.into_iter().map(|(at, cut)| (at, 0, cut)).collect();
        let specs = links([byte_takes(speed); HOSTS]);
        let bound = hosts([Some(byte_takes(speed)); HOSTS]);
        let mut shared = Processors::new(&bound, &specs);
        prop_assert!(shared.interface(0).is_some());
        let got = arrivals_and_counts(&specs, &mut shared, &sent, &cuts);
        let alone = &mut Processors::default();
        prop_assert_eq!(got, arrivals_and_counts(&specs, alone, &sent, &cuts));
    }
}

/// Two links that always have something to send get half of their host's network each, in both
/// directions.
#[test]
fn two_busy_links_share_evenly() {
    let specs = links([byte_takes(1); HOSTS]);
    let bound = hosts([Some(byte_takes(1)), None, None]);
    let each = |at: Nanos| {
        [
            (at, 0, 0, 98),
            (at, 2, 1, 98),
            (at, 0, 1, 98),
            (at, 2, 0, 98),
        ]
    };
    let sent: Vec<_> = (0..40).flat_map(|round| each(100 * round)).collect();
    let mut processors = Processors::new(&bound, &specs);
    let (got, counts) = arrivals_and_counts(&specs, &mut processors, &sent, &[]);
    // Each waits for the other's messages, not for its own.
    for waited in [counts[0][0].waited, counts[2][1].waited] {
        assert_eq!(waited[Wait::Bandwidth as usize], 0);
        assert!(waited[Wait::Network as usize] > 20_000, "{waited:?}");
    }
    let by = |link: usize, from: usize| {
        let own = sent
            .iter()
            .zip(&got)
            .filter(|(it, _)| (it.1, it.2) == (link, from));
        own.filter(|(_, at)| **at <= 4000).count()
    };
    for ways in [[by(0, 0), by(2, 1)], [by(0, 1), by(2, 0)]] {
        assert!(ways.iter().all(|many| (17..=20).contains(many)), "{ways:?}");
    }
    assert_eq!(processors.interface_busy(0, END), Some([8000; 2]));
}

/// What a link that is cut has put last is given up; what it has put before messages of others
/// still passes, as do those.
#[test]
fn what_a_cut_link_leaves_goes_to_others_once() {
    let mut port = Port::new(byte_takes(1));
    let ends = [0, 1, 0].map(|link| port.send(0, link, 100).ends);
    assert_eq!(ends, [100, 200, 300]);
    port.cut(50, 1);
    assert_eq!(port.send(50, 2, 100).begins, 300);
    port.cut(50, 2);
    port.cut(60, 2);
    assert_eq!(port.send(60, 2, 100).begins, 300);
    let mut port = Port::new(byte_takes(1));
    let _ = [0, 1, 0].map(|link| port.send(0, link, 100));
    port.cut(50, 0);
    assert_eq!(
        port.send(50, 1, 100),
        Passage {
            begins: 200,
            ends: 300
        }
    );
}
