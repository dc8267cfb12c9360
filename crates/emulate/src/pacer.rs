//! The thread that sends held answers at their time.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use blockyard_machine::Clock;
use blockyard_model::storage::Ticket;
use blockyard_model::units::Nanos;

use crate::answer::{Outcome, Ready};
use crate::desk::{Arrived, Desk};

/// The desk, in real time: shared by the threads that serve clients and the
/// one that sends what was held.
#[derive(Debug)]
pub(crate) struct Pacer {
    clock: Clock,
    /// What the clock showed at time 0 of the desk.
    origin: AtomicU64,
    desk: Mutex<Timed>,
    earlier: Condvar,
    /// Near deadlines are awaited awake.
    spin: Nanos,
    /// Something is due before what the thread waits for; while it spins.
    called: AtomicBool,
}

#[derive(Debug)]
struct Timed {
    desk: Desk,
    /// What the thread sleeps until.
    until: Nanos,
    stopped: bool,
}

impl Pacer {
    /// Starts the clock and the thread. Deadlines no further than `spin` ahead
    /// are awaited awake, which takes a processor while any are.
    pub(crate) fn start(desk: Desk, spin: Nanos) -> std::io::Result<(Arc<Self>, Sending)> {
        let pacer = Arc::new(Self {
            clock: Clock::start(),
            origin: AtomicU64::new(0),
            desk: Mutex::new(Timed {
                desk,
                until: Nanos::MAX,
                stopped: false,
            }),
            earlier: Condvar::new(),
            spin,
            called: AtomicBool::new(false),
        });
        let own = pacer.clone();
        let thread = thread::Builder::new()
            .name("pacer".into())
            .spawn(move || own.run())?;
        let sending = Sending {
            pacer: pacer.clone(),
            thread: Some(thread),
        };
        Ok((pacer, sending))
    }

    /// Time since the desk's time 0.
    #[inline]
    pub(crate) fn now(&self) -> Nanos {
        let now = self.clock.now();
        now.saturating_sub(self.origin.load(Ordering::Relaxed))
    }

    /// Takes another desk, whose time 0 is now, and gives the old one back. What
    /// that one held the new one lets go.
    pub(crate) fn restart(&self, mut desk: Desk) -> Desk {
        let mut timed = self.lock();
        desk.take_over(&mut timed.desk);
        self.origin.store(self.clock.now(), Ordering::Relaxed);
        timed.until = 0;
        let old = std::mem::replace(&mut timed.desk, desk);
        self.call();
        old
    }

    /// Takes a request; see [`Desk::arrived`].
    pub(crate) fn arrived(&self, arrived: Arrived) -> (Ticket, Option<Ready>) {
        let mut timed = self.lock();
        let answer = timed.desk.arrived(self.now(), arrived);
        self.wake_for(&mut timed);
        answer
    }

    /// A request's bytes are durable, or could not be made so.
    pub(crate) fn moved(&self, ticket: Ticket, outcome: Outcome) {
        let ready = self.lock().desk.moved(self.now(), ticket, outcome);
        if let Some(ready) = ready {
            ready.send();
        }
    }

    /// Looks at, or changes, the desk at this moment.
    pub(crate) fn with<T>(&self, look: impl FnOnce(&mut Desk, Nanos) -> T) -> T {
        let mut timed = self.lock();
        let found = look(&mut timed.desk, self.now());
        self.wake_for(&mut timed);
        found
    }

    fn lock(&self) -> MutexGuard<'_, Timed> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes the thread if something is due before what it waits for.
    fn wake_for(&self, timed: &mut Timed) {
        if timed.desk.next_event() < timed.until {
            timed.until = 0;
            self.call();
        }
    }

    fn call(&self) {
        self.called.store(true, Ordering::Relaxed);
        self.earlier.notify_one();
    }

    fn run(&self) {
        // The least slack there is: wake-ups are to be on time. It holds for
        // this thread; without it, they are late by another 50 µs.
        let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
        let mut timed = self.lock();
        while !timed.stopped {
            self.called.store(false, Ordering::Relaxed);
            let now = self.now();
            let ready = timed.desk.advance(now);
            timed.until = timed.desk.next_event();
            if !ready.is_empty() {
                timed.until = 0;
                drop(timed);
                ready.into_iter().for_each(Ready::send);
                timed = self.lock();
                continue;
            }
            timed = self.wait(timed);
        }
    }

    /// Waits until the next deadline, or until there is an earlier one.
    fn wait<'a>(&'a self, timed: MutexGuard<'a, Timed>) -> MutexGuard<'a, Timed> {
        let until = timed.until;
        let left = until.saturating_sub(self.now());
        if left > self.spin {
            let left = Duration::from_nanos(left - self.spin);
            return match self.earlier.wait_timeout(timed, left) {
                Ok((timed, _)) => timed,
                Err(poisoned) => poisoned.into_inner().0,
            };
        }
        drop(timed);
        while self.now() < until && !self.called.load(Ordering::Relaxed) {
            std::hint::spin_loop();
        }
        self.lock()
    }
}

/// The pacer's thread; ends it when dropped.
#[derive(Debug)]
pub(crate) struct Sending {
    pacer: Arc<Pacer>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Sending {
    fn drop(&mut self) {
        self.pacer.lock().stopped = true;
        self.pacer.call();
        if let Some(thread) = self.thread.take() {
            // What it panicked with has been printed.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests;
