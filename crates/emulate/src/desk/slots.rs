//! The requests that are under way, by ticket.

use blockyard_model::storage::{Reply, Ticket};
use blockyard_model::units::Nanos;
use blockyard_record::InFlight;

use super::Arrived;
use crate::answer::{Answer, Asked, Outcome};
use crate::fault::Effect;

/// A request whose answer is held.
pub(crate) struct Held {
    /// Its place in the order of arrival.
    pub(crate) number: u64,
    pub(crate) device: usize,
    pub(crate) asked: Asked,
    pub(crate) arrival: Nanos,
    /// What is recorded of it.
    pub(crate) io: InFlight,
    pub(crate) effect: Effect,
    pub(crate) reply: Reply,
    pub(crate) due: Nanos,
    /// Its number in the order in which ends became known; none while that is not.
    pub(crate) known: Option<u64>,
    /// Its time came before its bytes were durable.
    pub(crate) fallen_due: bool,
    pub(crate) moved: Option<Outcome>,
    pub(crate) answer: Box<dyn Answer>,
}

impl Held {
    pub(crate) fn new(arrived: Arrived, arrival: Nanos, io: InFlight, effect: Effect) -> Self {
        Self {
            number: 0,
            device: arrived.device,
            asked: arrived.asked,
            arrival,
            io,
            effect,
            reply: Reply {
                at: arrival,
                throttled: 0,
                limit: None,
                failed: false,
            },
            due: Nanos::MAX,
            known: None,
            fallen_due: false,
            moved: arrived.moved,
            answer: arrived.answer,
        }
    }
}

/// Tickets and what they stand for; a ticket is used again once it is taken.
#[derive(Default)]
pub(crate) struct Slots {
    slots: Vec<Option<Held>>,
    free: Vec<Ticket>,
    arrived: u64,
}

impl Slots {
    pub(crate) fn put(&mut self, mut held: Held) -> Ticket {
        held.number = self.arrived;
        self.arrived += 1;
        match self.free.pop() {
            Some(ticket) => {
                self.slots[ticket as usize] = Some(held);
                ticket
            }
            None => {
                self.slots.push(Some(held));
                (self.slots.len() - 1) as Ticket
            }
        }
    }

    /// What a ticket stands for; none once it is taken.
    pub(crate) fn get(&mut self, ticket: Ticket) -> Option<&mut Held> {
        self.slots.get_mut(ticket as usize)?.as_mut()
    }

    /// All that is held.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (Ticket, &mut Held)> {
        let all = (0..).zip(&mut self.slots);
        all.filter_map(|(ticket, held)| Some((ticket, held.as_mut()?)))
    }

    pub(crate) fn take(&mut self, ticket: Ticket) -> Option<Held> {
        let held = self.slots.get_mut(ticket as usize)?.take()?;
        self.free.push(ticket);
        Some(held)
    }
}

impl std::fmt::Debug for Slots {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let under_way = self.slots.len() - self.free.len();
        f.debug_struct("Slots")
            .field("under_way", &under_way)
            .finish_non_exhaustive()
    }
}
