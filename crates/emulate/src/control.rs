//! Commands to a running service: one JSON object a line over a unix socket,
//! and one line back, `{"ok": …}` or `{"error": "…"}`.

mod client;
mod request;

use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use blockyard_machine::Error;
use blockyard_text::said;
use rustix::event::{EventfdFlags, PollFd, PollFlags, eventfd, poll};
use rustix::io::Errno;
use rustix::net::{SocketFlags, accept_with};
use serde_json::Value;

use self::client::Client;
use crate::fault::Fault;
use crate::socket::{SocketFile, listen_at};

/// Clients at one time; further ones are turned away.
const CLIENTS_MAX: usize = 64;

/// What can be done to a service from outside. An error is one line that names the field,
/// its value and what was expected.
pub(crate) trait Commands: Send + Sync {
    /// Balances, limits, what throttled the last interval, faults.
    fn status(&self) -> Value;

    /// Gives limits, by their names in the status, other rates: all or none.
    fn set(&self, rates: &[(String, String)]) -> Result<(), String>;

    /// Starts a fault; a pause is a stall without an end.
    fn fault(&self, fault: &Fault) -> Result<(), String>;

    /// Ends the stalls of a device or volume; without a name all.
    fn resume(&self, name: Option<&str>) -> Result<(), String>;

    /// Ends the cuts of a link; without a name of all.
    fn restore(&self, name: Option<&str>) -> Result<(), String>;

    /// Ends all faults.
    fn clear(&self) -> Result<(), String>;

    /// Ends the service.
    fn stop(&self) -> Result<(), String>;
}

/// Takes commands; ends, and removes its socket, when it is dropped.
#[derive(Debug)]
pub(crate) struct Server {
    _file: SocketFile,
    thread: Option<JoinHandle<()>>,
    end: Arc<OwnedFd>,
}

impl Server {
    /// Takes commands at `path`, from this user alone.
    ///
    /// # Errors
    /// If another server is there, or a file that is no socket.
    pub(crate) fn start(path: &Path, commands: Arc<dyn Commands>) -> Result<Self, Error> {
        let failed =
            |error: io::Error| Error::Failed(format!("{}: {}", path.display(), said(&error)));
        let (socket, file) = listen_at(path)?;
        let end =
            Arc::new(eventfd(0, EventfdFlags::CLOEXEC).map_err(|error| failed(error.into()))?);
        let own = end.clone();
        let thread = thread::Builder::new()
            .name("control".into())
            .spawn(move || serve(&socket, &own, &*commands))
            .map_err(failed)?;
        Ok(Self {
            _file: file,
            thread: Some(thread),
            end,
        })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It fails only where it has been written to 2^64 times.
        let _ = rustix::io::write(&self.end, &1_u64.to_ne_bytes());
        if let Some(thread) = self.thread.take() {
            // What it panicked with has been printed.
            let _ = thread.join();
        }
    }
}

/// Serves all clients in turn until `end` is written to. None is waited for.
fn serve(listener: &OwnedFd, end: &OwnedFd, commands: &dyn Commands) {
    let mut clients: Vec<Client> = Vec::new();
    while let Ok([end, arrived, ready @ ..]) = wait(listener, end, &clients).as_deref() {
        if *end {
            return;
        }
        let mut ready = ready.iter();
        clients.retain_mut(|client| ready.next() != Some(&true) || client.serve(commands));
        if *arrived
            && let Ok(socket) = accept_with(listener, SocketFlags::CLOEXEC)
            && clients.len() < CLIENTS_MAX
        {
            clients.extend(Client::new(socket.into()));
        }
    }
}

/// Waits until there is something to do; says which of the end, the listener
/// and the clients have it.
fn wait(listener: &OwnedFd, end: &OwnedFd, clients: &[Client]) -> Result<Vec<bool>, Errno> {
    let own = [
        PollFd::new(end, PollFlags::IN),
        PollFd::new(listener, PollFlags::IN),
    ];
    let clients = clients
        .iter()
        .map(|client| PollFd::new(client, PollFlags::IN));
    let mut all: Vec<PollFd<'_>> = own.into_iter().chain(clients).collect();
    rustix::io::retry_on_intr(|| poll(&mut all, None))?;
    Ok(all.iter().map(|fd| !fd.revents().is_empty()).collect())
}

#[cfg(test)]
mod tests;
