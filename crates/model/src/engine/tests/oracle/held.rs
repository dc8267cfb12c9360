//! What comes to held volumes, and how volumes turn from one state to another.

use super::*;

pub(super) enum OracleHeld {
    Part(usize, Request, Extent),
    Whole(Ticket, Request),
}

impl Oracle {
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
                        self.released.insert(ticket, Ok((next, now)));
                    }
                },
            }
        }
    }

    pub(super) fn set_state(&mut self, now: Nanos, volume: usize, state: State) {
        if state == State::Failed {
            let all = core::mem::take(&mut self.held);
            for (of, held) in all {
                match held {
                    _ if of != volume => self.held.push((of, held)),
                    OracleHeld::Part(..) => {}
                    OracleHeld::Whole(ticket, _) => {
                        self.released.insert(ticket, Err(now));
                    }
                }
            }
        }
        self.volumes[volume].state = state;
        if state == State::Failed {
            self.volumes[volume].guest.flows.clear();
            self.volumes[volume].guest.finish.clear();
        }
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
                    }
                    part.stalled = false;
                }
                State::Held => {}
                State::Failed => {
                    (part.end, part.stalled) = (Some(Reply::failed(now)), false);
                    part.dead = true;
                    for stage in &mut self.stages {
                        stage.line.retain(|&waiting| waiting != index);
                    }
                }
            }
        }
    }
}
