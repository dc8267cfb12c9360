//! Links that lose packets and are cut one way: each message still comes once.

use proptest::prelude::*;

use super::*;

const CUT_ENDS: Nanos = 400_000_000;

fn message(to: u32) -> Message {
    Message {
        to,
        bytes: 1000,
        has_answer: false,
        ahead: false,
        is_copy: false,
    }
}

proptest! {
    /// Each message comes once and in order, none on a way that is cut, and all in the end.
    #[test]
    fn all_come_once_by_ways_that_work(
        sends in prop::collection::vec((0..CUT_ENDS, 0..2_usize), 1..60),
        turns in prop::collection::vec((0..CUT_ENDS, any::<[bool; 2]>()), 1..8),
        buffer in prop::option::of(1000..8000_u64),
        loss in prop::option::of((1..200_000_u32, any::<bool>())),
        retry in prop::option::of(1..CUT_ENDS),
    ) {
        let spec = LinkSpec {
            socket_buffer: buffer,
            retry,
            loss: loss.map(|(per_million, rack)| LossSpec {
                per_million,
                recovery: if rack { Recovery::Rack } else { Recovery::Timeout },
                retransmit_after: 5_000_000,
            }),
            ..link()
        };
        let mut link = Link::new(&spec, SEED, 0);
        let (mut processors, mut released) = (Processors::default(), Vec::new());
        let (mut sends, mut turns) = (sends, turns);
        sends.sort_by_key(|it| core::cmp::Reverse(it.0));
        turns.push((CUT_ENDS, [false; 2]));
        turns.sort_by_key(|it| core::cmp::Reverse(it.0));
        let mut sent = [0, 0];
        let mut came = [0, 0];
        let mut cut = [false; 2];
        loop {
            let events = [link.next_event(0), link.next_event(1)];
            let at = |of: &Vec<(Nanos, usize)>| of.last().map_or(NEVER, |it| it.0);
            let turn = turns.last().map_or(NEVER, |it| it.0);
            let now = events[0].min(events[1]).min(turn).min(at(&sends));
            if now == NEVER {
                break;
            }
            prop_assert!(now < 1000 * SECOND, "it ends");
            if let Some(from) = (0..2).find(|&from| events[from] == now) {
                link.advance(now, from, &mut processors, &mut released);
                let of_end = (0..).map_while(|place| link.delivery(from, place));
                for to in of_end.map(|it| it.to as usize) {
                    prop_assert_eq!(to, came[from]);
                    prop_assert!(!cut[from], "a way that is cut carries nothing");
                    came[from] += 1;
                }
                link.forget_delivered(from);
            } else if let Some((_, is)) = turns.pop_if(|it| it.0 == now) {
                cut = is;
                link.turn(now, is, &mut processors, &mut released);
            } else if let Some((_, from)) = sends.pop() {
                link.send(now, from, message(sent[from]), &mut processors);
                sent[from] += 1;
            }
        }
        prop_assert_eq!(came, sent.map(|it| it as usize));
    }
}
