//! The oracle's guest: the tags of each driver, and who sleeps until there is one.

use super::*;

/// A process: its host, who asks, who of theirs submits.
pub(super) type Process = (usize, Option<usize>, u32);

/// A process that does not get on: its requests in their order, and its queue.
pub(super) struct OracleBlocked {
    pub(super) process: Process,
    pub(super) parts: Vec<usize>,
    pub(super) queue: usize,
    /// The volume for whose tag it slept last.
    pub(super) slept_for: usize,
}

/// The driver of a volume.
pub(super) struct OracleDriver {
    /// Number of queues, and tags of each.
    pub(super) size: Option<(usize, usize)>,
    /// The queues of tags whose requests have no known end, the first taken first.
    pub(super) open: Vec<usize>,
    /// Of the others, until they are taken back: when the request ends, and the queue.
    pub(super) known: Vec<(Nanos, usize)>,
    /// Who sleeps: the queue, the line, the process, in the order in which they went to sleep.
    pub(super) asleep: Vec<(usize, usize, Process)>,
    /// By queue: how many went to sleep, the line whose turn it is, and tags returned.
    pub(super) slept: BTreeMap<usize, usize>,
    pub(super) turn: BTreeMap<usize, usize>,
    pub(super) returned: BTreeMap<usize, usize>,
    pub(super) late: Vec<Process>,
    pub(super) random: Stream,
}

impl OracleDriver {
    pub(super) fn new(index: usize, spec: &VolumeSpec) -> Self {
        let size = |it: Queues| (usize::from(it.count.get()), it.tags.get() as usize);
        Self {
            size: spec.queues.map(size),
            open: vec![],
            known: vec![],
            asleep: vec![],
            slept: BTreeMap::new(),
            turn: BTreeMap::new(),
            returned: BTreeMap::new(),
            late: vec![],
            random: Stream::new(1, &alloc::format!("volume/{index}/guest")),
        }
    }

    fn sleeps_on(&self, queue: usize) -> bool {
        self.asleep.iter().any(|it| it.0 == queue)
    }

    /// Whether somebody sleeps on a queue to which tags are returned now.
    fn is_due(&self, now: Nanos, queue: usize) -> bool {
        self.sleeps_on(queue) && self.known.iter().any(|it| it.0 <= now && it.1 == queue)
    }

    fn has_tag(&self, now: Nanos, queue: usize) -> bool {
        let open = self.open.iter().filter(|&&it| it == queue).count();
        let known = self.known.iter();
        let known = known.filter(|it| it.1 == queue && it.0 > now).count();
        let (_, most) = self.size.expect("a driver with queues");
        self.late.is_empty() && !self.is_due(now, queue) && open + known < most
    }

    fn wait(&mut self, now: Nanos, queue: usize, process: Process) {
        if !self.late.is_empty() || self.is_due(now, queue) {
            self.late.push(process);
            return;
        }
        // Nobody was to be woken for what was returned before.
        self.known.retain(|it| it.1 != queue || it.0 > now);
        let slept = self.slept.entry(queue).or_default();
        self.asleep.push((queue, *slept % 8, process));
        *slept += 1;
    }

    /// Takes back the tags of what has ended at `now`, and gives who is woken for them.
    fn wake(&mut self, now: Nanos) -> Vec<Process> {
        let (count, _) = self.size.expect("a driver with queues");
        let mut woken = vec![];
        for queue in 0..count {
            if self.sleeps_on(queue) {
                let is_back = |it: &(Nanos, usize)| it.1 == queue && it.0 <= now;
                let back = self.known.iter().filter(|it| is_back(it)).count();
                self.known.retain(|it| !is_back(it));
                woken.extend(self.wake_for(queue, back));
            }
        }
        woken
    }

    /// Who is woken as so many tags of a queue are returned.
    fn wake_for(&mut self, queue: usize, tags: usize) -> Vec<Process> {
        let (_, all) = self.size.expect("a driver with queues");
        let batch = (all / 8).clamp(1, 8);
        let mut woken = vec![];
        if !self.sleeps_on(queue) {
            return woken;
        }
        *self.returned.entry(queue).or_default() += tags;
        while self.returned[&queue] >= batch && self.sleeps_on(queue) {
            *self.returned.entry(queue).or_default() -= batch;
            let turn = self.turn.entry(queue).or_default();
            while !self.asleep.iter().any(|it| (it.0, it.1) == (queue, *turn)) {
                *turn = (*turn + 1) % 8;
            }
            for _ in 0..batch {
                let mut asleep = self.asleep.iter();
                if let Some(next) = asleep.position(|it| (it.0, it.1) == (queue, *turn)) {
                    woken.push(self.asleep.remove(next).2);
                }
            }
            *turn = (*turn + 1) % 8;
        }
        woken
    }

    /// No end to come is known any more.
    pub(super) fn pause(&mut self, now: Nanos) {
        let mut lost: Vec<_> = self.known.iter().filter(|it| it.0 > now).copied().collect();
        self.known.retain(|it| it.0 <= now);
        lost.sort_unstable();
        let lost = lost.into_iter().map(|(_, queue)| queue);
        self.open = lost.chain(self.open.iter().copied()).collect();
    }

    /// One more end of what is in the volume is known.
    pub(super) fn ends_at(&mut self, end: Nanos) {
        if !self.open.is_empty() {
            self.known.push((end, self.open.remove(0)));
        }
    }

    pub(super) fn draw(&mut self) -> usize {
        let (count, _) = self.size.expect("a driver with queues");
        self.random.below(count as u64) as usize
    }
}

impl Oracle {
    pub(super) fn process(&self, index: usize) -> Process {
        let part = &self.parts[index];
        let host = self.volumes[part.volume].spec.host;
        (host, part.requester.job(), part.submitter)
    }

    /// The first volume whose driver has somebody to wake, or somebody late, at `now`.
    pub(super) fn due(&self, now: Nanos) -> Option<usize> {
        let is_due = |volume: &OracleVolume| {
            let driver = &volume.driver;
            let mut queues = 0..driver.size.map_or(0, |it| it.0);
            !driver.late.is_empty() || queues.any(|queue| driver.is_due(now, queue))
        };
        self.volumes.iter().position(is_due)
    }

    /// A process wants a part.
    pub(super) fn want(&mut self, now: Nanos, index: usize) {
        let volume = self.parts[index].volume;
        if self.volumes[volume].driver.size.is_none() {
            self.parts[index].entered = Some(now);
            return self.go_on(now, index);
        }
        let process = self.process(index);
        let mut blocked = self.blocked.iter_mut();
        if let Some(own) = blocked.find(|it| it.process == process) {
            own.parts.push(index);
            return;
        }
        let queue = self.volumes[volume].driver.draw();
        let parts = vec![index];
        self.blocked.push(OracleBlocked {
            process,
            parts,
            queue,
            slept_for: volume,
        });
        self.run(now, process);
    }

    /// A process goes on while it finds tags.
    pub(super) fn run(&mut self, now: Nanos, process: Process) {
        loop {
            let mut blocked = self.blocked.iter();
            let Some(own) = blocked.position(|it| it.process == process) else {
                return;
            };
            let Some(&index) = self.blocked[own].parts.first() else {
                self.blocked.remove(own);
                return;
            };
            let volume = self.parts[index].volume;
            let driver = &mut self.volumes[volume].driver;
            let (count, _) = driver.size.expect("only drivers block");
            let queue = self.blocked[own].queue % count;
            if !driver.has_tag(now, queue) {
                self.blocked[own].slept_for = volume;
                return driver.wait(now, queue, process);
            }
            self.blocked[own].parts.remove(0);
            let slept_for = self.blocked[own].slept_for;
            self.enter(now, index, queue, slept_for);
        }
    }

    /// Tags are returned, and who was woken runs.
    pub(super) fn return_tags(&mut self, now: Nanos, volume: usize) {
        let mut woken = self.volumes[volume].driver.wake(now);
        let late = core::mem::take(&mut self.volumes[volume].driver.late);
        while !woken.is_empty() {
            let process = woken.remove(0);
            let driver = &mut self.volumes[volume].driver;
            let queue = driver.draw();
            let mut blocked = self.blocked.iter_mut();
            let own = blocked.find(|it| it.process == process).expect("it slept");
            let (count, _) = driver.size.expect("a driver with queues");
            let before = core::mem::replace(&mut own.queue, queue) % count;
            if before != queue {
                woken.extend(driver.wake_for(before, 1));
            }
            self.run(now, process);
        }
        for process in late {
            self.run(now, process);
        }
    }

    /// Nothing is in a volume or waits for it any more.
    pub(super) fn clear_driver(&mut self, now: Nanos, volume: usize) {
        let driver = &mut self.volumes[volume].driver;
        let mut slept = core::mem::take(&mut driver.late);
        let mut asleep = core::mem::take(&mut driver.asleep);
        asleep.sort_by_key(|it| (it.0, it.1));
        slept.extend(asleep.into_iter().map(|it| it.2));
        driver.open.clear();
        driver.known.clear();
        driver.returned.clear();
        for own in &mut self.blocked {
            own.parts.retain(|&part| self.parts[part].volume != volume);
        }
        for process in slept {
            self.run(now, process);
        }
    }
}
