//! What arrives at held volumes, and how volumes turn from one state to another.

use super::*;

pub(super) enum OracleHeld {
    Part(usize, Request, Extent),
    Whole(Ticket, Request),
}

/// A flush or a trim.
pub(super) struct OracleWhole {
    /// A flush waits for the writes before this ticket.
    pub(super) until: Ticket,
    /// How each volume of the device answers; not yet while it is paused.
    pub(super) answers: BTreeMap<usize, Option<Reply>>,
}

impl Oracle {
    /// A flush or a trim reaches all volumes of a device.
    pub(super) fn ask_all(&mut self, now: Nanos, ticket: Ticket, (until, device): (Ticket, usize)) {
        let mut answers = BTreeMap::new();
        self.layouts[device].volumes(&mut |volume| {
            let answer = match self.volumes[volume].state {
                State::Working | State::Held => Some(Reply::free(now)),
                State::Paused => None,
                State::Failed => Some(Reply::failed(now + MILLISECOND)),
            };
            answers.insert(volume, answer);
        });
        self.wholes.insert(ticket, OracleWhole { until, answers });
    }

    /// What becomes of flushes and trims that have not ended as a volume turns to `state`.
    fn change_wholes(&mut self, now: Nanos, volume: usize, state: State) {
        let has_ended = |ticket| self.reply(ticket).is_some_and(|reply| reply.at <= now);
        let ended: Vec<_> = self
            .wholes
            .keys()
            .map(|&ticket| has_ended(ticket))
            .collect();
        for (whole, ended) in self.wholes.values_mut().zip(ended) {
            let Some(answer) = whole.answers.get_mut(&volume).filter(|_| !ended) else {
                continue;
            };
            *answer = match (state, *answer) {
                (_, Some(answer)) if answer.failed => Some(answer),
                (State::Failed, _) => Some(Reply::failed(now)),
                (State::Paused, _) => None,
                (State::Working, None) => Some(Reply::free(now)),
                (_, answer) => answer,
            };
        }
    }

    /// The first volume of a device that is held.
    pub(super) fn first_held(&self, device: usize) -> Option<usize> {
        let mut volumes = vec![];
        self.layouts[device].volumes(&mut |volume| volumes.push(volume));
        let mut held = volumes.into_iter();
        held.find(|&volume| self.volumes[volume].state == State::Held)
    }

    /// All that has begun and not ended on a volume fails.
    pub(super) fn detach(&mut self, now: Nanos, volume: usize) {
        let before = self.volumes[volume].state;
        let held = core::mem::take(&mut self.held);
        let waits = |index| {
            let mut all = held.iter();
            all.any(|(_, it)| matches!(it, OracleHeld::Part(part, ..) if *part == index))
        };
        // What is held has no end, and gets none.
        let kept: Vec<_> = (0..self.parts.len())
            .filter(|&index| waits(index))
            .collect();
        let kept: Vec<_> = kept
            .iter()
            .map(|&it| (it, self.parts[it].clone()))
            .collect();
        self.set_state(now, volume, State::Failed);
        kept.into_iter()
            .for_each(|(index, part)| self.parts[index] = part);
        self.held = held;
        self.volumes[volume].state = before;
    }

    pub(super) fn release(&mut self, now: Nanos, volume: usize) {
        let all = core::mem::take(&mut self.held);
        let (own, others) = all.into_iter().partition(|(of, _)| *of == volume);
        self.held = others;
        let own: Vec<(usize, OracleHeld)> = own;
        for (_, held) in own {
            match held {
                OracleHeld::Part(index, request, extent) => {
                    self.parts[index] = self.part(now, &request, &extent);
                    self.begin(now, index);
                }
                OracleHeld::Whole(ticket, request) => match self.first_held(request.device) {
                    Some(volume) => self.held.push((volume, OracleHeld::Whole(ticket, request))),
                    None => {
                        let next = self.requests.keys().last().map_or(0, |last| last + 1);
                        self.ask_all(now, ticket, (next, request.device));
                    }
                },
            }
        }
    }

    pub(super) fn set_state(&mut self, now: Nanos, volume: usize, state: State) {
        self.change_wholes(now, volume, state);
        if state == State::Failed {
            let all = core::mem::take(&mut self.held);
            for (of, held) in all {
                match held {
                    _ if of != volume => self.held.push((of, held)),
                    OracleHeld::Part(..) => {}
                    OracleHeld::Whole(ticket, _) => {
                        let answers = BTreeMap::from([(volume, Some(Reply::failed(now)))]);
                        self.wholes
                            .insert(ticket, OracleWhole { until: 0, answers });
                    }
                }
            }
        }
        self.volumes[volume].state = state;
        if state == State::Paused {
            self.volumes[volume].driver.pause(now);
        }
        let mut stalled = vec![];
        for &stage in &self.volumes[volume].stages {
            let stage = &mut self.stages[stage];
            match state {
                State::Paused => stage.paused = true,
                State::Failed | State::Held => {}
                State::Working => stage.paused = false,
            }
            if state != State::Paused {
                stage.last.0 = stage.last.0.max(now);
            }
        }
        if state == State::Failed {
            let host = &mut self.stages[self.volumes[volume].spec.host];
            host.last.0 = host.last.0.max(now);
        }
        for (index, part) in self.parts.iter_mut().enumerate() {
            let over = part.dead || part.end.is_some_and(|end| end.at <= now && !part.stalled);
            if part.volume != volume || over {
                continue;
            }
            match state {
                State::Paused => part.stalled = part.end.is_some(),
                State::Working => {
                    if let (true, Some(end)) = (part.stalled, &mut part.end) {
                        end.at = end.at.max(now);
                        stalled.push(end.at);
                    }
                    part.stalled = false;
                }
                State::Held => {}
                State::Failed => {
                    (part.end, part.stalled) = (Some(Reply::failed(now)), false);
                    part.dead = true;
                    for stage in &mut self.stages {
                        stage.line.retain(|&waiting| waiting != index);
                        stage.forget_if_empty();
                    }
                }
            }
        }
        stalled.sort_unstable();
        for end in stalled {
            self.volumes[volume].driver.ends_at(end);
        }
        if state == State::Failed {
            self.clear_driver(now, volume);
        }
    }
}
