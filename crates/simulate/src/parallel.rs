//! Work on a pool of threads that the calling thread can stop.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use blockyard_record::Observer;

/// How often a thread checks whether to stop.
const LOOK_UP: Duration = Duration::from_millis(20);

/// Does `work` on a pool of `threads` threads. None if `stopped`, which the calling thread asks
/// some fifty times a second, says so first: then the flag that `work` is given is set, and what
/// it comes to is dropped.
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
        scope.spawn(move || {
            // The receiver waits until there is something.
            let _ = sender.send(pool.install(|| work(stop)));
        });
        loop {
            match receiver.recv_timeout(LOOK_UP) {
                Ok(done) => return Some(done),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) if stop.load(Ordering::Relaxed) => {}
                Err(RecvTimeoutError::Timeout) => stop.store(stopped(), Ordering::Relaxed),
            }
        }
    });
    Ok(done.filter(|_| !stop.into_inner()))
}

/// Looks at nothing of a run, and ends it once the flag is set.
pub(crate) struct Unwatched<'a>(pub(crate) &'a AtomicBool);

impl Observer for Unwatched<'_> {
    fn stopped(&mut self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
