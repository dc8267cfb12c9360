//! What a pause, a failure or a return of a volume does to requests in flight.

use alloc::vec::Vec;

use super::request::{End, Kind, Part};
use super::{InFlight, PartName};
use crate::engine::Ticket;
use crate::request::Reply;
use crate::units::Nanos;

/// Each tells `ends` of the requests whose end is another now, or is no longer known. What has
/// failed stays as it is.
impl InFlight {
    /// `volume` is paused at `now`: parts on it that have not ended do not until it resumes.
    pub(in crate::engine) fn pause(
        &mut self,
        now: Nanos,
        volume: usize,
        ends: &mut impl FnMut(Ticket, Option<Reply>),
    ) {
        self.change(now, volume, ends, |part| {
            if part.end == End::Known {
                part.end = End::Stalled;
            }
        });
    }

    /// `volume` works again from `now` on.
    pub(in crate::engine) fn resume(
        &mut self,
        now: Nanos,
        volume: usize,
        ends: &mut impl FnMut(Ticket, Option<Reply>),
    ) {
        self.change(now, volume, ends, |part| {
            if part.end == End::Stalled {
                part.end = End::Known;
                part.reply.at = part.reply.at.max(now);
            }
        });
    }

    /// `volume` fails at `now`, and with it all parts on it that have not ended.
    pub(in crate::engine) fn fail(
        &mut self,
        now: Nanos,
        volume: usize,
        ends: &mut impl FnMut(Ticket, Option<Reply>),
    ) {
        self.change(now, volume, ends, |part| {
            if part.end != End::Held {
                part.set(End::Known, Reply::failed(now));
            }
        });
    }

    /// Parts that have not begun are told apart from those that wait for tokens, or no longer.
    pub(in crate::engine) fn set_held(
        &mut self,
        parts: impl Iterator<Item = PartName>,
        held: bool,
    ) {
        let end = if held { End::Held } else { End::Open };
        for name in parts {
            self.requests[name.ticket as usize].part(name.index).end = end;
        }
    }

    fn change(
        &mut self,
        now: Nanos,
        volume: usize,
        ends: &mut impl FnMut(Ticket, Option<Reply>),
        change: impl Fn(&mut Part),
    ) {
        let mut flushes = Vec::new();
        for (ticket, entry) in (0..).zip(&mut self.requests) {
            if !entry.in_flight(now) {
                continue;
            }
            let (before, kind) = (entry.end(), entry.kind);
            let is_under_way = |part: &&mut Part| {
                // A volume's part of what is about the whole device is over when that is.
                let over = part.end == End::Known && part.reply.at <= now && !kind.is_whole();
                part.is_on(volume) && !part.reply.failed && !over
            };
            let parts = entry.parts_mut().iter_mut();
            parts.filter(is_under_way).for_each(&change);
            if kind == Kind::Flush {
                flushes.push((ticket, before));
                continue;
            }
            let after = entry.recount();
            if before != after {
                ends(ticket, after);
            }
        }
        self.renew_flushes(now, flushes.iter().map(|it| it.0).collect());
        for (ticket, before) in flushes {
            let after = self.requests[ticket as usize].recount();
            if before != after {
                ends(ticket, after);
            }
        }
    }
}
