//! The storage step by step: requests wait in line, and what is outstanding
//! can still be re-timed or cancelled.

mod outstanding;

use alloc::collections::{BTreeMap, BinaryHeap, VecDeque};
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;

use self::outstanding::{Outstanding, PartName};
use super::{Change, NotStepwise, Storage, Submitted, Ticket};
use crate::gate::Grant;
use crate::request::{Op, Reply, Request};
use crate::units::Nanos;
use crate::volume::{Admitted, Part, Volume};

/// What waits and what is under way.
#[derive(Clone, Debug)]
pub(super) struct Steps {
    /// Parts in line at the host.
    host: VecDeque<Waiting>,
    volumes: Vec<VolumeSteps>,
    /// Granted parts by completion; ties in the order of their grants.
    granted: BinaryHeap<Reverse<(Nanos, u64)>>,
    /// The granted parts by number of their grant; a cancelled one is gone.
    parts: BTreeMap<u64, GrantedPart>,
    grants: u64,
    outstanding: Outstanding,
    /// How long before its completion a request is handed over.
    ahead: Nanos,
}

#[derive(Clone, Debug)]
struct VolumeSteps {
    /// Parts in each of its lines.
    lines: Vec<VecDeque<Waiting>>,
    state: State,
    /// Parts that were due while it was paused.
    stalled: Vec<GrantedPart>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Working,
    Paused,
    Failed,
}

/// A part in line since `entered.at`.
#[derive(Clone, Debug)]
struct Waiting {
    name: PartName,
    part: Part,
    admitted: Admitted,
    entered: Grant,
}

#[derive(Clone, Debug)]
struct GrantedPart {
    name: PartName,
    volume: usize,
    reply: Reply,
}

/// What happens next, in the order in which simultaneous steps are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    EnterVolume,
    Grant { volume: usize, line: usize },
    Complete,
}

impl Steps {
    pub(super) fn new(volumes: &[Volume], devices: usize) -> Self {
        let volume = |volume: &Volume| VolumeSteps {
            lines: vec![VecDeque::new(); volume.lines()],
            state: State::Working,
            stalled: Vec::new(),
        };
        Self {
            host: VecDeque::new(),
            volumes: volumes.iter().map(volume).collect(),
            granted: BinaryHeap::new(),
            parts: BTreeMap::new(),
            grants: 0,
            outstanding: Outstanding::new(devices),
            ahead: 0,
        }
    }
}

impl Storage {
    /// Hands completions over `ahead` of their time, as far as they are known
    /// by then: a request that waits for tokens is known when it gets them.
    /// For a real clock, where passing on an answer takes time itself.
    ///
    /// # Errors
    /// If the storage reserves ahead ([`super::Mode::Reserved`]).
    pub fn hand_over_ahead(&mut self, ahead: Nanos) -> Result<(), NotStepwise> {
        self.steps.as_mut().ok_or(NotStepwise)?.ahead = ahead;
        Ok(())
    }

    /// When the storage wants [`Storage::advance`] to be called; none while
    /// nothing is outstanding, and never if it reserves ahead.
    pub fn next_event(&mut self) -> Option<Nanos> {
        let mut steps = self.steps.take()?;
        let next = match steps.outstanding.first_done() {
            Some(done) => Some(done.saturating_sub(steps.ahead)),
            None => self.next_step(&mut steps).map(|step| step.0),
        };
        self.steps = Some(steps);
        next
    }

    /// Moves to `now` and hands every request that completed to `done`.
    pub fn advance(&mut self, now: Nanos, done: &mut impl FnMut(Ticket, Reply)) {
        if let Some(mut steps) = self.steps.take() {
            self.run(&mut steps, now);
            steps.outstanding.collect(done);
            self.steps = Some(steps);
        }
    }

    /// Changes the storage at `now`.
    ///
    /// # Errors
    /// If it reserves ahead ([`super::Mode::Reserved`]).
    pub fn change(&mut self, now: Nanos, change: Change) -> Result<(), NotStepwise> {
        let mut steps = self.steps.take().ok_or(NotStepwise)?;
        self.run(&mut steps, now);
        match change {
            Change::Limit { cause, rate, depth } => self.set_limit(now, cause, rate, depth),
            Change::Pause { volume } => steps.volumes[volume].state = State::Paused,
            Change::Fail { volume } => self.fail(&mut steps, now, volume),
            Change::Resume { volume } => self.resume(&mut steps, now, volume),
        }
        self.run(&mut steps, now);
        self.steps = Some(steps);
        Ok(())
    }

    pub(super) fn submit_stepwise(
        &mut self,
        now: Nanos,
        ticket: Ticket,
        request: Request,
    ) -> Submitted {
        let Some(mut steps) = self.steps.take() else {
            return Submitted::Later;
        };
        self.run(&mut steps, now);
        let answer = match request.op {
            Op::Trim => Submitted::Done(Reply::free(now)),
            Op::Flush => steps.outstanding.flush(now, ticket, request.device),
            Op::Read | Op::Write | Op::Zero => {
                self.line_up(&mut steps, now, ticket, request);
                Submitted::Later
            }
        };
        self.run(&mut steps, now);
        self.steps = Some(steps);
        answer
    }

    /// Puts a request's parts in line.
    fn line_up(&mut self, steps: &mut Steps, now: Nanos, ticket: Ticket, request: Request) {
        let Request {
            device,
            op,
            offset,
            len,
            job,
        } = request;
        let mut parts = Vec::new();
        self.devices[device].layout.extents(offset, len, &mut |e| {
            parts.push(Part {
                volume: e.volume,
                offset: e.offset,
                len: e.len,
                write: op.writes(),
                job,
            });
        });
        steps.outstanding.open(now, ticket, device, op, parts.len());
        for (index, part) in parts.into_iter().enumerate() {
            let name = PartName { ticket, index };
            let volume = &mut self.volumes[part.volume];
            if steps.volumes[part.volume].state == State::Failed {
                steps.outstanding.close(name, failed(now));
                continue;
            }
            let admitted = volume.admit(now, &part);
            let waiting = Waiting {
                name,
                part,
                admitted,
                entered: Grant {
                    at: now,
                    cause: None,
                },
            };
            if volume.behind_host {
                steps.host.push_back(waiting);
            } else {
                steps.volumes[part.volume].lines[volume.line(part.write)].push_back(waiting);
            }
        }
    }

    /// Takes every step up to `now`.
    fn run(&mut self, steps: &mut Steps, now: Nanos) {
        while let Some((at, step)) = self.next_step(steps)
            && at <= now
        {
            match step {
                Step::EnterVolume => self.enter_volume(steps),
                Step::Grant { volume, line } => self.grant(steps, volume, line),
                Step::Complete => complete(steps),
            }
        }
    }

    fn next_step(&mut self, steps: &mut Steps) -> Option<(Nanos, Step)> {
        let enter = steps.host.front().map(|head| {
            (
                self.host.probe(head.entered.at, &head.admitted.cost).at,
                Step::EnterVolume,
            )
        });
        let complete = steps
            .granted
            .peek()
            .map(|first| (first.0.0.saturating_sub(steps.ahead), Step::Complete));
        let mut next = [enter, complete].into_iter().flatten().min();
        for (index, (volume, model)) in steps.volumes.iter().zip(&self.volumes).enumerate() {
            for (line, parts) in volume.lines.iter().enumerate() {
                if let (State::Working, Some(head)) = (volume.state, parts.front()) {
                    let at = model.probe(line, head.entered.at, &head.admitted.cost).at;
                    let step = (
                        at,
                        Step::Grant {
                            volume: index,
                            line,
                        },
                    );
                    next = Some(next.map_or(step, |next| next.min(step)));
                }
            }
        }
        next
    }

    /// The head of the host's line goes on to its volume's.
    fn enter_volume(&mut self, steps: &mut Steps) {
        let Some(mut head) = steps.host.pop_front() else {
            return;
        };
        head.entered = self.host.pass(head.entered.at, &head.admitted.cost);
        let line = self.volumes[head.part.volume].line(head.part.write);
        steps.volumes[head.part.volume].lines[line].push_back(head);
    }

    /// The head of a volume's line gets its tokens.
    fn grant(&mut self, steps: &mut Steps, volume: usize, line: usize) {
        let Some(head) = steps.volumes[volume].lines[line].pop_front() else {
            return;
        };
        let reply = self.volumes[volume].pass(&head.part, &head.admitted, head.entered);
        steps.granted.push(Reverse((reply.at, steps.grants)));
        steps.parts.insert(
            steps.grants,
            GrantedPart {
                name: head.name,
                volume,
                reply,
            },
        );
        steps.grants += 1;
    }

    fn set_limit(&mut self, now: Nanos, cause: super::Cause, rate: u64, depth: u64) {
        match self.causes[usize::from(cause)].volume {
            None => self.host.gate.set(cause, now, rate, depth),
            Some(volume) => self.volumes[volume].set(cause, now, rate, depth),
        }
    }

    fn resume(&mut self, steps: &mut Steps, now: Nanos, volume: usize) {
        self.volumes[volume].hold_until(now);
        let volume = &mut steps.volumes[volume];
        volume.state = State::Working;
        for mut part in volume.stalled.drain(..) {
            part.reply.at = now;
            steps.outstanding.close(part.name, part.reply);
        }
    }

    fn fail(&mut self, steps: &mut Steps, now: Nanos, volume: usize) {
        self.volumes[volume].cut_off();
        let mut names = Vec::new();
        steps.host.retain(|waiting| {
            let stays = waiting.part.volume != volume;
            if !stays {
                names.push(waiting.name);
            }
            stays
        });
        let lines = &mut steps.volumes[volume];
        lines.state = State::Failed;
        names.extend(
            lines
                .lines
                .iter_mut()
                .flat_map(|line| line.drain(..))
                .map(|w| w.name),
        );
        names.extend(lines.stalled.drain(..).map(|part| part.name));
        steps.parts.retain(|_, part| {
            let stays = part.volume != volume;
            if !stays {
                names.push(part.name);
            }
            stays
        });
        for name in names {
            steps.outstanding.close(name, failed(now));
        }
    }
}

/// The first granted part is due.
fn complete(steps: &mut Steps) {
    let Some(Reverse((_, number))) = steps.granted.pop() else {
        return;
    };
    // A part that a failure cancelled is gone.
    let Some(part) = steps.parts.remove(&number) else {
        return;
    };
    let volume = &mut steps.volumes[part.volume];
    match volume.state {
        State::Paused => volume.stalled.push(part),
        State::Working | State::Failed => steps.outstanding.close(part.name, part.reply),
    }
}

fn failed(now: Nanos) -> Reply {
    Reply {
        failed: true,
        ..Reply::free(now)
    }
}
