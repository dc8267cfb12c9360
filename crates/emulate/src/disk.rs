//! A disk as the front ends see it.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use blockyard_model::storage::Ticket;
use blockyard_model::units::Nanos;

use crate::answer::{Answer, Asked, Outcome, Ready};
use crate::desk::Arrived;
use crate::pacer::Pacer;
use crate::store::Store;

/// One device that is served: its bytes, and the model that says how long its
/// requests take.
#[derive(Debug)]
pub(crate) struct Disk {
    name: String,
    /// Its index in the model.
    device: usize,
    store: Arc<Store>,
    pacer: Arc<Pacer>,
    flushes: Sender<Flush>,
}

/// A request that waits for a flush of the store.
#[derive(Debug)]
struct Flush {
    ticket: Ticket,
    moved: Outcome,
}

impl Disk {
    /// The model's device number `device` with its bytes, and the thread that
    /// flushes them.
    pub(crate) fn start(
        name: &str,
        device: usize,
        store: Store,
        pacer: Arc<Pacer>,
    ) -> std::io::Result<Self> {
        let store = Arc::new(store);
        let (flushes, waiting) = channel();
        let (own, to) = (store.clone(), pacer.clone());
        thread::Builder::new()
            .name("flush".into())
            .spawn(move || flush(&own, &to, &waiting))?;
        Ok(Self {
            name: name.into(),
            device,
            store,
            pacer,
            flushes,
        })
    }

    /// Its name: the scenario's device or volume.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Usable size in bytes, a multiple of 4 KiB.
    pub(crate) fn size(&self) -> u64 {
        self.store.size()
    }

    /// Its bytes.
    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    /// The service's clock.
    #[inline]
    pub(crate) fn now(&self) -> Nanos {
        self.pacer.now()
    }

    /// Holds the answer of a request whose bytes have moved, with `moved` as
    /// the outcome, until the model says that it is done. Gives it back if
    /// that is so at once; the caller then sends it.
    pub(crate) fn hold(
        &self,
        asked: Asked,
        moved: Outcome,
        answer: Box<dyn Answer>,
    ) -> Option<Ready> {
        self.arrived(asked, Some(moved), answer).1
    }

    /// The same for a flush, or a write that is to be durable (FUA): the
    /// answer also waits until everything written before is on stable storage.
    pub(crate) fn hold_until_durable(&self, asked: Asked, moved: Outcome, answer: Box<dyn Answer>) {
        let (ticket, _) = self.arrived(asked, None, answer);
        if let Err(unsent) = self.flushes.send(Flush { ticket, moved }) {
            // Its thread is gone, which only a panic of the store can do.
            self.pacer
                .moved(unsent.0.ticket, Err(rustix::io::Errno::IO));
        }
    }

    fn arrived(
        &self,
        asked: Asked,
        moved: Option<Outcome>,
        answer: Box<dyn Answer>,
    ) -> (Ticket, Option<Ready>) {
        self.pacer.arrived(Arrived {
            device: self.device,
            asked,
            moved,
            answer,
        })
    }
}

/// Flushes whenever somebody waits for it, once for all that wait.
fn flush(store: &Store, pacer: &Pacer, waiting: &Receiver<Flush>) {
    while let Ok(first) = waiting.recv() {
        let all: Vec<_> = std::iter::once(first).chain(waiting.try_iter()).collect();
        let flushed = store.flush();
        for Flush { ticket, moved } in all {
            pacer.moved(ticket, moved.and(flushed));
        }
    }
}
