//! When the ends of a link hear each other again and when they give each other up, beside two
//! ends that are looked at once a nanosecond.

use proptest::prelude::*;

use super::*;

const CUTS_END: Nanos = 400;
const END: Nanos = 6000;
const DELAY: Nanos = 7;

/// Which ways are cut from some time on, and which end sends something at some time.
type Turn = (Nanos, [bool; 2]);
type Send = (Nanos, usize);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seen {
    Whole,
    Broken,
    GivenUp,
}

#[derive(Clone, Copy, Debug)]
struct Asked {
    retry: Option<Nanos>,
    contact: Contact,
    timeout: Nanos,
    kept: Option<(Nanos, Reconnects)>,
}

fn asked() -> impl Strategy<Value = Asked> {
    let reconnects = (1_u64..40, 1_u64..20, 1_u64..60, 1_u64..20);
    let reconnects = reconnects.prop_map(|(after, syn, timeout, lag)| Reconnects {
        after,
        syn,
        timeout,
        lag,
    });
    let retry = prop::option::weighted(0.8, 1_u64..60);
    let kept = prop::option::of((1_u64..60, reconnects));
    let contact = prop_oneof![Just(Contact::Answered), Just(Contact::Heard)];
    (retry, contact, 20_u64..300, kept).prop_map(|(retry, contact, timeout, kept)| Asked {
        retry,
        contact,
        timeout,
        kept,
    })
}

/// What the link says.
fn said(asked: Asked, turns: &[Turn], sends: &[Send]) -> Vec<(Nanos, Seen)> {
    let spec = LinkSpec {
        delay: [DELAY; 2],
        // A message takes a nanosecond.
        bandwidth: 1_000_000_000_000,
        retry: asked.retry,
        contact: asked.contact,
        timeout: asked.timeout,
        ..link()
    };
    let mut link = Link::new(&spec, SEED, 0);
    if let Some((keepalive, reconnects)) = asked.kept {
        link = link.kept_alive(keepalive, reconnects);
    }
    let (mut processors, mut released) = (Processors::default(), Vec::new());
    let (mut seen, mut was_whole) = (Vec::new(), true);
    for now in 0..END {
        while let Some(from) = (0..2).find(|&from| link.next_event(from) <= now) {
            link.advance(now, from, &mut processors, &mut released);
            link.forget_delivered(from);
        }
        if link.heard_at() <= now {
            assert!(link.hear(now));
        }
        let mut note = |link: &Link| {
            if core::mem::replace(&mut was_whole, link.is_whole()) != was_whole {
                let is = if was_whole { Seen::Whole } else { Seen::Broken };
                seen.push((now, is));
            }
        };
        note(&link);
        let gives_up = link.given_up_at() <= now;
        if gives_up {
            link.close(now, &mut processors, &mut released);
        }
        if let Some((_, cut)) = turns.iter().find(|it| it.0 == now) {
            link.turn(now, *cut, &mut processors, &mut released);
        }
        link.hear(now);
        note(&link);
        if gives_up {
            seen.push((now, Seen::GivenUp));
        }
        for &(_, from) in sends.iter().filter(|it| it.0 == now) {
            let message = Message {
                to: 0,
                bytes: 0,
                has_answer: false,
                ahead: false,
                is_copy: false,
            };
            link.send(now, from, message, &mut processors);
        }
    }
    seen
}

/// What goes from one end.
#[derive(Default)]
struct Way {
    is_cut: bool,
    /// Since when its sender's packets have not got through, until one does.
    stalled: Option<Nanos>,
    /// What it has in its buffer, and since when the first of that.
    waiting: u64,
    first: Option<Nanos>,
    /// Since when it doubles its timer for a way that works again.
    tries_since: Option<Nanos>,
    /// When the wire is free and when messages on their way are there.
    free: Nanos,
    under_way: Vec<Nanos>,
    /// Since when its peer hears nothing, and when the first that it hears is there.
    silent: Option<Nanos>,
    hears: Option<Nanos>,
}

impl Way {
    fn send(&mut self, now: Nanos) {
        if self.stalled.is_some() {
            self.waiting += 1;
            self.first.get_or_insert(now);
        } else {
            self.free = self.free.max(now) + 1;
            self.under_way.push(self.free + DELAY);
        }
    }

    fn stalls(&mut self, now: Nanos) {
        (self.tries_since, self.hears) = (None, None);
        self.silent.get_or_insert(now);
        if self.stalled.is_none() {
            self.stalled = Some(now);
            self.free = self.free.min(now);
            self.waiting = self.under_way.iter().filter(|&&at| at > now).count() as u64;
            self.first = (self.waiting > 0).then_some(now);
            self.under_way.clear();
        }
    }

    fn goes_on(&mut self, now: Nanos, heard: Nanos) {
        (self.stalled, self.tries_since, self.first) = (None, None, None);
        self.hears = Some(heard);
        (0..core::mem::take(&mut self.waiting)).for_each(|_| self.send(now));
    }

    /// The first unanswered message, or the first that says that the sender is there.
    fn begins(&self, now: Nanos, asked: Asked) -> Option<Nanos> {
        let keepalive = asked.kept.map(|kept| self.stalled.unwrap() + kept.0);
        let keepalive = keepalive.filter(|&at| at < now);
        asked.retry?;
        self.first.into_iter().chain(keepalive).min()
    }
}

fn tries(now: Nanos, since: Nanos, retry: Nanos) -> bool {
    (1..30).any(|times| since + retry * ((1 << times) - 1) == now)
}

/// Whether ends that gave up their connection at `closed` send the first packet of another.
fn connects(now: Nanos, closed: Nanos, of: Reconnects) -> bool {
    let mut begins = closed + of.after;
    while begins + of.timeout <= now {
        begins += of.timeout + of.after;
    }
    now >= begins && (0..20).any(|times| begins + of.syn * ((1 << times) - 1) == now)
}

fn expected(asked: Asked, turns: &[Turn], sends: &[Send]) -> Vec<(Nanos, Seen)> {
    let mut ways = [Way::default(), Way::default()];
    let (mut seen, mut broken) = (Vec::new(), None);
    // When the connection was given up, and when there is another.
    let (mut closed, mut made) = (None, None);
    for now in 0..END {
        for way in &mut ways {
            let retries = way.tries_since.zip(asked.retry);
            if retries.is_some_and(|(since, retry)| tries(now, since, retry)) {
                way.goes_on(now, now + DELAY);
            }
            if made == Some(now) {
                way.goes_on(now, now + DELAY);
            }
        }
        let hear = |ways: &mut [Way; 2], broken: &mut Option<Nanos>| {
            for way in ways.iter_mut() {
                if way.hears.take_if(|at| *at <= now).is_some() {
                    way.silent = None;
                }
            }
            let is_whole = ways.iter().all(|way| !way.is_cut && way.silent.is_none());
            is_whole && broken.take().is_some()
        };
        if hear(&mut ways, &mut broken) {
            (closed, made) = (None, None);
            seen.push((now, Seen::Whole));
        }
        let since = match asked.contact {
            Contact::Answered => broken,
            Contact::Heard => ways.iter().filter_map(|way| way.silent).min(),
        };
        let due = since.is_some_and(|since| since + asked.timeout <= now);
        let gives_up = due && closed.is_none() && broken.is_some();
        if gives_up {
            closed = Some(now);
            ways.iter_mut().for_each(|way| way.stalls(now));
        }
        let before = [ways[0].is_cut, ways[1].is_cut];
        let cut = turns
            .iter()
            .find(|it| it.0 == now)
            .map_or(before, |it| it.1);
        for from in [0, 1] {
            let way = &mut ways[from];
            way.is_cut = cut[from];
            if cut[from] && !before[from] {
                way.stalls(now);
            } else if before[from] && !cut[from] && closed.is_none() {
                match (way.begins(now, asked), asked.retry) {
                    (Some(since), Some(retry)) if !tries(now, since, retry) => {
                        way.tries_since = Some(since);
                    }
                    _ => way.goes_on(now, now),
                }
            }
        }
        if cut != [false; 2] {
            if broken.is_none() {
                broken = Some(now);
                seen.push((now, Seen::Broken));
            }
            if closed.is_some() {
                made = None;
                ways.iter_mut().for_each(|way| way.stalls(now));
            }
        } else if let (Some(closed), None) = (closed, made) {
            match asked.kept {
                None => ways.iter_mut().for_each(|way| way.goes_on(now, now)),
                Some((_, of)) if connects(now, closed, of) => made = Some(now + of.lag),
                Some(_) => {}
            }
        }
        if hear(&mut ways, &mut broken) {
            (closed, made) = (None, None);
            seen.push((now, Seen::Whole));
        }
        if gives_up {
            seen.push((now, Seen::GivenUp));
        }
        for &(_, from) in sends.iter().filter(|it| it.0 == now) {
            ways[from].send(now);
        }
    }
    seen
}

proptest! {
    /// Who hears whom, since when, and who gives whom up follows from what arrives.
    #[test]
    fn who_is_heard_follows_from_what_arrives(
        asked in asked(),
        turns in prop::collection::btree_map(1..CUTS_END, any::<[bool; 2]>(), 1..6),
        sends in prop::collection::vec((1..CUTS_END, 0..2_usize), 0..40),
    ) {
        let mut turns: Vec<_> = turns.into_iter().collect();
        turns.push((CUTS_END, [false; 2]));
        let said = said(asked, &turns, &sends);
        prop_assert_eq!(&said, &expected(asked, &turns, &sends));
        prop_assert!(said.last().is_none_or(|it| it.1 != Seen::Broken), "they meet again");
    }
}
