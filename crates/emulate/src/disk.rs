//! A disk as the front ends see it.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use blockyard_model::storage::Ticket;
use blockyard_model::units::Nanos;

use crate::emulator::Device;
use crate::request::{DueReply, IoRequest, IoResult, Responder};
use crate::store::Store;

/// One device that is served: its bytes, and the model that says how long its
/// requests take.
#[derive(Debug)]
pub(crate) struct Disk {
    name: String,
    /// What the model says of it.
    device: Device,
    store: Arc<Store>,
    flushes: Sender<Flush>,
}

/// A request that waits for a flush of the store.
#[derive(Debug)]
struct Flush {
    ticket: Ticket,
    moved: IoResult,
}

impl Disk {
    /// A device of the model with its bytes, and the thread that flushes them.
    pub(crate) fn start(name: &str, device: Device, store: Store) -> std::io::Result<Self> {
        let store = Arc::new(store);
        let (flushes, waiting) = channel();
        let (own, to) = (store.clone(), device.clone());
        thread::Builder::new()
            .name("flush".into())
            .spawn(move || flush(&own, &to, &waiting))?;
        Ok(Self {
            name: name.into(),
            device,
            store,
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
        self.device.now()
    }

    /// Holds the reply to a request whose bytes have moved, with `moved` as
    /// the result, until the model says that it is done. Gives it back if
    /// that is so at once; the caller then sends it.
    pub(crate) fn hold(
        &self,
        request: IoRequest,
        moved: IoResult,
        responder: Box<dyn Responder>,
    ) -> Option<DueReply> {
        self.device.arrived(request, Some(moved), responder).1
    }

    /// The same for a flush, or a write that is to be durable (FUA): the
    /// reply also waits until everything written before is on stable storage.
    pub(crate) fn hold_until_durable(
        &self,
        request: IoRequest,
        moved: IoResult,
        responder: Box<dyn Responder>,
    ) {
        let (ticket, _) = self.device.arrived(request, None, responder);
        if let Err(unsent) = self.flushes.send(Flush { ticket, moved }) {
            // Its thread is gone, which only a panic of the store can do.
            self.device
                .moved(unsent.0.ticket, Err(rustix::io::Errno::IO));
        }
    }
}

/// Flushes while requests wait for it, once for all that wait.
fn flush(store: &Store, device: &Device, waiting: &Receiver<Flush>) {
    while let Ok(first) = waiting.recv() {
        let all: Vec<_> = std::iter::once(first).chain(waiting.try_iter()).collect();
        let flushed = store.flush();
        for Flush { ticket, moved } in all {
            device.moved(ticket, moved.and(flushed));
        }
    }
}
