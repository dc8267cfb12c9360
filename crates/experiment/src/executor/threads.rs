//! Threads of this machine, which the calling thread can stop.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use blockyard_record::Observer;
use rayon::prelude::*;

use super::{Executor, answer};
use crate::answer::Answered;
use crate::error::Error;
use crate::variant::Variant;

/// How often the calling thread asks whether to stop.
const LOOK_UP: Duration = Duration::from_millis(20);

/// Simulates on threads of this machine.
#[derive(Clone, Copy, Debug)]
pub struct Threads(usize);

impl Threads {
    /// On `count` threads, at least one.
    #[must_use]
    pub fn of(count: usize) -> Self {
        Self(count.max(1))
    }

    /// On as many as there are processors.
    #[must_use]
    pub fn all() -> Self {
        Self(thread::available_parallelism().map_or(1, Into::into))
    }
}

impl Executor for Threads {
    fn width(&self) -> usize {
        self.0
    }

    fn run(
        &self,
        batch: &[Variant],
        stopped: &mut dyn FnMut() -> bool,
    ) -> Result<Vec<Answered>, Error> {
        let all = |stop: &AtomicBool| {
            let each = batch.par_iter();
            let each = each.map(|variant| answer(variant, &mut Unwatched(stop)));
            each.collect()
        };
        in_parallel(self.0, stopped, all)?.ok_or(Error::Stopped)
    }
}

/// Does `work` on a pool of `threads` threads. None if `stopped`, which the calling thread asks
/// some fifty times a second, says so first: then the flag that `work` is given is set, and its
/// outcome is dropped.
///
/// # Errors
/// If threads cannot be started.
pub fn in_parallel<T: Send>(
    threads: usize,
    stopped: &mut dyn FnMut() -> bool,
    work: impl FnOnce(&AtomicBool) -> T + Send,
) -> io::Result<Option<T>> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    let pool = pool.build().map_err(io::Error::other)?;
    let stop = AtomicBool::new(false);
    let done = thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        let (pool, stop) = (&pool, &stop);
        let work = move || {
            // The receiver waits until there is something.
            let _ = sender.send(pool.install(|| work(stop)));
        };
        thread::Builder::new().spawn_scoped(scope, work)?;
        loop {
            match receiver.recv_timeout(LOOK_UP) {
                Ok(done) => return Ok(Some(done)),
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
                Err(RecvTimeoutError::Timeout) if stop.load(Ordering::Relaxed) => {}
                Err(RecvTimeoutError::Timeout) => stop.store(stopped(), Ordering::Relaxed),
            }
        }
    });
    done.map(|done| done.filter(|_| !stop.into_inner()))
}

/// Records nothing of a run, and ends it once the flag is set.
struct Unwatched<'a>(&'a AtomicBool);

impl Observer for Unwatched<'_> {
    fn stopped(&mut self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
