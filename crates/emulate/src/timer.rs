//! The threads that send replies at their time.
//!
//! Each group of devices has its engine under a lock of its own. A timer thread sees to one or
//! more groups: it looks at the time of each one's next event, which it reads without the
//! lock, and is woken only if an event comes up before the one for which it sleeps. There are
//! no more of them than processors: a wake-up then serves all that is due by then, and a group
//! in which nothing is in flight costs nothing.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, JoinHandle, Thread};
use std::time::Duration;

use blockyard_machine::Clock;
use blockyard_model::storage::Ticket;
use blockyard_model::units::Nanos;

use crate::contained::contained;
use crate::engine::{Arrived, Engine};
use crate::request::{DueReply, IoResult};

/// No event is to come.
const NEVER: Nanos = Nanos::MAX;

/// Time since the service began.
#[derive(Debug)]
pub(crate) struct ServiceClock {
    clock: Clock,
    /// What the clock showed at the beginning.
    origin: AtomicU64,
}

impl ServiceClock {
    pub(crate) fn start() -> Self {
        Self {
            clock: Clock::start(),
            origin: AtomicU64::new(0),
        }
    }

    /// The service begins now.
    pub(crate) fn restart(&self) {
        self.origin.store(self.clock.now(), Ordering::Relaxed);
    }

    #[inline]
    pub(crate) fn now(&self) -> Nanos {
        let now = self.clock.now();
        now.saturating_sub(self.origin.load(Ordering::Relaxed))
    }
}

/// The engine of a group, in real time: shared by the threads that serve its clients and the
/// one that sends what is due.
#[derive(Debug)]
pub(crate) struct TimedEngine {
    clock: Arc<ServiceClock>,
    engine: Mutex<Engine>,
    /// Its next event.
    next: AtomicU64,
    alarm: Arc<Alarm>,
}

impl TimedEngine {
    /// Time since the service began.
    #[inline]
    pub(crate) fn now(&self) -> Nanos {
        self.clock.now()
    }

    /// Takes a request; see [`Engine::arrived`].
    pub(crate) fn arrived(&self, arrived: Arrived) -> (Ticket, Option<DueReply>) {
        self.with(|engine, now| engine.arrived(now, arrived))
    }

    /// A request's bytes are durable, or could not be made so.
    pub(crate) fn moved(&self, ticket: Ticket, result: IoResult) {
        let due = self.with(|engine, now| engine.moved(now, ticket, result));
        if let Some(due) = due {
            due.send();
        }
    }

    /// Looks at, or changes, the engine at this moment.
    pub(crate) fn with<T>(&self, look: impl FnOnce(&mut Engine, Nanos) -> T) -> T {
        let mut engine = self.lock();
        let found = look(&mut engine, self.now());
        self.unlock(engine);
        found
    }

    /// The engine, for as long as nothing may happen to it.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Engine> {
        self.engine.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets go of the engine, whose next event may be another now.
    pub(crate) fn unlock(&self, mut engine: MutexGuard<'_, Engine>) {
        let next = engine.next_event().unwrap_or(NEVER);
        self.next.store(next, Ordering::SeqCst);
        drop(engine);
        self.alarm.set(next);
    }

    /// Sends what is due at `now`; `due` is empty before and after.
    fn run(&self, now: Nanos, due: &mut Vec<DueReply>) {
        if self.next.load(Ordering::SeqCst) > now {
            return;
        }
        self.with(|engine, now| engine.advance(now, due));
        due.drain(..).for_each(DueReply::send);
    }
}

/// Wakes a timer thread.
#[derive(Debug, Default)]
struct Alarm {
    /// What the thread sleeps until; 0 while it is awake.
    until: AtomicU64,
    /// Something is due before what the thread waits for; while it spins.
    called: AtomicBool,
    stopped: AtomicBool,
    thread: OnceLock<Thread>,
}

impl Alarm {
    /// Wakes the thread if it sleeps until later than `at`.
    fn set(&self, at: Nanos) {
        let is_earlier = at < self.until.load(Ordering::SeqCst);
        if is_earlier && at < self.until.fetch_min(at, Ordering::SeqCst) {
            self.wake();
        }
    }

    fn wake(&self) {
        self.called.store(true, Ordering::SeqCst);
        if let Some(thread) = self.thread.get() {
            thread.unpark();
        }
    }
}

/// The timer threads; ends them when dropped.
#[derive(Debug)]
pub(crate) struct CompletionTimer {
    threads: Vec<(Arc<Alarm>, JoinHandle<()>)>,
}

impl CompletionTimer {
    /// Starts the threads for `engines`. Deadlines no further than `spin` ahead are awaited
    /// awake, by one thread, which takes a processor while there are any.
    pub(crate) fn start(
        engines: Vec<Engine>,
        clock: &Arc<ServiceClock>,
        spin: Nanos,
    ) -> std::io::Result<(Vec<Arc<TimedEngine>>, Self)> {
        let processors = thread::available_parallelism().map_or(1, usize::from);
        let count = match spin {
            0 => processors.min(engines.len()),
            _ => 1,
        };
        let alarms: Vec<Arc<Alarm>> = (0..count).map(|_| Arc::default()).collect();
        let timed = |(engine, alarm): (Engine, &Arc<Alarm>)| {
            Arc::new(TimedEngine {
                clock: clock.clone(),
                engine: Mutex::new(engine),
                next: AtomicU64::new(NEVER),
                alarm: alarm.clone(),
            })
        };
        let engines: Vec<_> = engines
            .into_iter()
            .zip(alarms.iter().cycle())
            .map(timed)
            .collect();
        let mut timer = Self {
            threads: Vec::new(),
        };
        for (number, alarm) in alarms.into_iter().enumerate() {
            let own = TimerThread {
                alarm: alarm.clone(),
                clock: clock.clone(),
                engines: engines
                    .iter()
                    .skip(number)
                    .step_by(count)
                    .cloned()
                    .collect(),
                spin,
            };
            let thread = thread::Builder::new()
                .name("timer".into())
                .spawn(move || own.run())?;
            let _ = alarm.thread.set(thread.thread().clone());
            timer.threads.push((alarm, thread));
        }
        Ok((engines, timer))
    }
}

impl Drop for CompletionTimer {
    fn drop(&mut self) {
        for (alarm, thread) in self.threads.drain(..) {
            alarm.stopped.store(true, Ordering::SeqCst);
            alarm.wake();
            // What it panicked with has been printed.
            let _ = thread.join();
        }
    }
}

/// What a timer thread works with.
struct TimerThread {
    alarm: Arc<Alarm>,
    clock: Arc<ServiceClock>,
    engines: Vec<Arc<TimedEngine>>,
    spin: Nanos,
}

impl TimerThread {
    fn run(self) {
        // The least slack there is: wake-ups are to be on time. It holds for
        // this thread; without it, they are late by another 50 µs.
        let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
        let mut due = Vec::new();
        while !self.alarm.stopped.load(Ordering::SeqCst) {
            self.alarm.called.store(false, Ordering::SeqCst);
            let now = self.clock.now();
            let engines = self.engines.iter();
            engines.for_each(|engine| {
                if contained(|| engine.run(now, &mut due)).is_err() {
                    due.clear();
                }
            });
            let next = self.next();
            if next > self.clock.now() {
                self.sleep(next);
            }
        }
    }

    /// The next event of any of its groups.
    fn next(&self) -> Nanos {
        let events = self.engines.iter();
        let events = events.map(|engine| engine.next.load(Ordering::SeqCst));
        events.min().unwrap_or(NEVER)
    }

    /// Sleeps until `next`, or until there is something earlier to do.
    fn sleep(&self, next: Nanos) {
        self.alarm.until.store(next, Ordering::SeqCst);
        // From here on an earlier event wakes this thread. One that came up just before has
        // only been noted.
        if self.next() >= next {
            self.wait(next);
        }
        self.alarm.until.store(0, Ordering::SeqCst);
    }

    fn wait(&self, until: Nanos) {
        let left = until.saturating_sub(self.clock.now());
        if until == NEVER {
            thread::park();
        } else if left > self.spin {
            thread::park_timeout(Duration::from_nanos(left - self.spin));
        } else {
            while self.clock.now() < until && !self.alarm.called.load(Ordering::Relaxed) {
                std::hint::spin_loop();
            }
        }
    }
}

#[cfg(test)]
mod tests;
