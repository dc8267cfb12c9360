//! What links made the requests of jobs take longer by.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::Mirrors;
use super::flow::{Flow, FlowId, LinkEnd, Step};
use crate::network::{Taken, Trip, Wait};
use crate::units::Nanos;
use crate::workload::PURPOSES;

/// How many submitters of a job are told apart: an engine's log, its page cleaners, its threads.
const SUBMITTERS: usize = PURPOSES as usize;

/// What a link added to the latency of a job's requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkWait {
    /// Number of the job.
    pub job: u16,
    /// Who of the job issued the requests ([`Request::submitter`]), modulo the purposes of an
    /// engine's IO.
    ///
    /// [`Request::submitter`]: crate::request::Request::submitter
    pub submitter: u32,
    /// Number of the link.
    pub link: usize,
    /// The end that sent.
    pub from: usize,
    /// What for. Of processors and of the bandwidth also what the messages themselves took.
    pub cause: Wait,
    /// How long, summed over requests.
    pub time: Nanos,
}

/// By job, submitter, link and end that sent.
#[derive(Clone, Debug, Default)]
pub(super) struct LinkWaits {
    taken: Vec<Taken>,
}

impl LinkWaits {
    /// Adds what messages there and back took, at the places of these two directions.
    #[inline]
    fn add(&mut self, places: [usize; 2], trips: [&Trip; 2]) {
        for (place, trip) in places.into_iter().zip(trips) {
            if place >= self.taken.len() {
                self.taken.resize(place + 1, Taken::default());
            }
            let sums = &mut self.taken[place];
            sums[Wait::Processor as usize] += trip.processor;
            sums[Wait::Bandwidth as usize] += trip.bandwidth;
            if let Some(waited) = &trip.waited {
                let each = sums.iter_mut().zip(waited.iter());
                each.for_each(|(sum, time)| *sum += time);
            }
        }
    }
}

/// The share of what messages took that `part` is of `whole`.
#[inline(never)]
pub(super) fn part_of(trip: &Trip, part: Nanos, whole: Nanos) -> Trip {
    let of = |time| match part >= whole {
        true => time,
        false => (u128::from(time) * u128::from(part) / u128::from(whole)) as Nanos,
    };
    Trip {
        processor: of(trip.processor),
        bandwidth: of(trip.bandwidth),
        waited: (trip.waited.as_ref()).map(|waited| Box::new(waited.map(of))),
    }
}

impl Mirrors {
    /// Counts what messages added to the latency of a request that has ended: no more than by
    /// how much the leg behind the link was later than the other one.
    #[inline]
    pub(super) fn count_link(&mut self, id: FlowId) {
        let flow = &self.flows[id as usize];
        let whole = flow.taken();
        let Some(end) = flow.reply.filter(|reply| whole > 0 && !reply.failed) else {
            return;
        };
        let legs = &self.mirrors[usize::from(flow.mirror)].legs;
        let over = |leg: usize| Some((leg, legs[leg].link?));
        let (Step::Data, Some((leg, LinkEnd { link, end: near })), Some(job)) = (
            flow.step,
            over(1).or_else(|| over(0)),
            flow.request.requester.job(),
        ) else {
            return;
        };
        let of_data = whole - flow.taken_before;
        let part = flow.taken_before
            + match flow.branches[1 - leg].done() {
                Some(other) => of_data.min(end.at.saturating_sub(other.at)),
                None => of_data,
            };
        let submitter = flow.request.submitter as usize % SUBMITTERS;
        let whose = job * SUBMITTERS + submitter;
        let first = 2 * (whose * self.links.len() + link);
        let [there, back] = &flow.trips;
        let places = [first + near, first + 1 - near];
        if part < whole {
            let shares = [there, back].map(|trip| part_of(trip, part, whole));
            return self.waits.add(places, [&shares[0], &shares[1]]);
        }
        self.waits.add(places, [there, back]);
    }

    /// A message of `flow` was in vain, over a link that has been down since `cut`.
    pub(super) fn waited_in_vain(flow: &mut Flow, cut: Nanos, now: Nanos) {
        flow.trips[0].waits(Wait::Down, now - cut.max(flow.asked));
    }

    /// What links added to the latency of requests since the last call, where it is more than
    /// nothing; a request counts once its ticket is used again.
    pub(crate) fn take_waits(&mut self) -> impl Iterator<Item = LinkWait> + '_ {
        let links = self.links.len();
        let all = self.waits.taken.iter_mut().enumerate();
        let each = all.flat_map(move |(place, taken)| {
            let taken = core::mem::take(taken);
            Wait::ALL.map(|cause| LinkWait {
                job: (place / 2 / links / SUBMITTERS) as u16,
                submitter: (place / 2 / links % SUBMITTERS) as u32,
                link: place / 2 % links,
                from: place % 2,
                cause,
                time: taken[cause as usize],
            })
        });
        each.filter(|wait| wait.time > 0)
    }
}
