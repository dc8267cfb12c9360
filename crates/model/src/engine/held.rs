//! Volumes that are handed over from host to host: what comes meanwhile, and what becomes of
//! what was in flight.

use core::mem;

use super::in_flight::PartName;
use super::{Engine, State, Ticket};
use crate::request::{Reply, Request};
use crate::units::Nanos;
use crate::volume::Part;

/// What arrived at a volume that took nothing.
#[derive(Clone, Copy, Debug)]
pub(super) enum Held {
    /// A part of a request.
    Part(PartName, Part),
    /// A flush or a trim, for the first held volume of its device.
    Whole(PartName, Request, usize),
}

impl Held {
    pub(super) fn volume(&self) -> usize {
        match self {
            Self::Part(_, part) => part.volume,
            Self::Whole(_, _, volume) => *volume,
        }
    }

    fn name(&self) -> PartName {
        match self {
            Self::Part(name, _) | Self::Whole(name, ..) => *name,
        }
    }
}

impl Engine {
    /// Whether a flush or a trim of this device must wait.
    pub(super) fn is_held(&self, device: usize) -> bool {
        self.states.contains(&State::Held) && self.first_held(device).is_some()
    }

    fn first_held(&self, device: usize) -> Option<usize> {
        let mut first = None;
        self.layouts[device].volumes(&mut |volume| {
            if self.states[volume] == State::Held {
                first = first.or(Some(volume));
            }
        });
        first
    }

    /// Keeps a flush or a trim until its device works again: it then waits for all writes that
    /// came until then.
    #[cold]
    pub(super) fn hold_whole(&mut self, ticket: Ticket, request: &Request) -> Option<Reply> {
        let volume = self.first_held(request.device)?;
        let of = (request.device, false);
        self.in_flight.enter(ticket, of, volume, None);
        let name = PartName { ticket, index: 0 };
        self.held.push(Held::Whole(name, *request, volume));
        None
    }

    /// What was held for `volume` comes at `now`.
    pub(super) fn release(
        &mut self,
        now: Nanos,
        volume: usize,
        ends: &mut impl FnMut(Ticket, Option<Reply>),
    ) {
        let all = mem::take(&mut self.held);
        let (own, others) = all.into_iter().partition(|it: &Held| it.volume() == volume);
        self.held = others;
        let own: alloc::vec::Vec<Held> = own;
        for held in own {
            match held {
                Held::Part(name, part) => {
                    if let Some(reply) = self.start(now, name, part).end() {
                        let told = &mut |ticket, reply| ends(ticket, Some(reply));
                        self.in_flight.close(name, reply, told);
                    }
                }
                Held::Whole(name, request, _) => {
                    if let Some(reply) = self.submit(now, name.ticket, &request) {
                        ends(name.ticket, Some(reply));
                    }
                }
            }
        }
    }

    /// What is in flight on `volume` fails at `now`, but not what came while it was held.
    pub(super) fn detach(
        &mut self,
        now: Nanos,
        volume: usize,
        ends: &mut impl FnMut(Ticket, Option<Reply>),
    ) {
        self.set_held(true);
        self.fail_in_flight(now, volume, ends);
        self.set_held(false);
    }

    /// Tells what has not begun apart from what waits for tokens, or no longer.
    pub(super) fn set_held(&mut self, held: bool) {
        let names = self.held.iter().map(Held::name);
        self.in_flight.set_held(names, held);
    }

    /// `volume` is attached to another host.
    pub(super) fn attach(
        &mut self,
        now: Nanos,
        (volume, host): (usize, usize),
        ends: &mut impl FnMut(Ticket, Option<Reply>),
    ) {
        self.detach(now, volume, ends);
        self.topology.attach(volume, host);
        self.limits.attach(volume, host);
    }
}
