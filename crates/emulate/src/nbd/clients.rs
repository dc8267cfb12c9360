//! Which clients are connected, and how many may be.
//!
//! A connection arrives, and becomes a client when it chooses an export. How many may be
//! arriving is limited apart, and there the oldest makes way for the newest: a silent
//! connection counts as no client and keeps no other from becoming one.

use std::collections::VecDeque;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::net::{Shutdown, shutdown, sockopt};
use rustls::ServerConfig;

use super::budget::Budget;
use super::connection::serve;
use super::handshake::Exports;
use super::seldom::Seldom;

/// Clients at one time.
pub(super) const CLIENTS_MAX: usize = 64;
/// Connections at one time that have not chosen an export yet.
pub(super) const ARRIVING_MAX: usize = 64;

/// Bytes on their way to a client; the system may allow less.
const SEND_BUFFER: usize = 1 << 20;

/// How long clients are waited for while others wait.
const PATIENCE: Duration = Duration::from_secs(30);

/// After so long without a word from a client's machine it is asked whether it
/// is still there, so often, and so far apart.
const KEEP_ALIVE: (Duration, u32, Duration) = (Duration::from_secs(60), 4, Duration::from_secs(15));

/// The clients of a server.
#[derive(Debug)]
pub(crate) struct Clients {
    pub(super) exports: Exports,
    pub(super) budget: Arc<Budget>,
    /// How long a client may leave its replies, or a request that it has
    /// begun, where they are, while others wait for the room that these take.
    pub(super) patience: Duration,
    present: Mutex<Present>,
}

#[derive(Debug, Default)]
struct Present {
    /// Connections there were so far.
    count: u64,
    /// The oldest first.
    arriving: VecDeque<Client>,
    /// Those that have chosen an export.
    served: Vec<Client>,
    /// The threads of connections that have ended.
    leaving: Vec<JoinHandle<()>>,
    refused: Seldom,
    displaced: Seldom,
}

#[derive(Debug)]
struct Client {
    number: u64,
    socket: Arc<OwnedFd>,
    thread: JoinHandle<()>,
}

impl Client {
    fn disconnect(&self) {
        // It fails only where the client was first.
        let _ = shutdown(&self.socket, Shutdown::Both);
    }
}

impl Clients {
    /// Nobody yet.
    pub(crate) fn new(exports: Exports) -> Arc<Self> {
        Self::with_patience(exports, PATIENCE)
    }

    pub(super) fn with_patience(exports: Exports, patience: Duration) -> Arc<Self> {
        Arc::new(Self {
            exports,
            budget: Budget::new(),
            patience,
            present: Mutex::default(),
        })
    }

    /// How many have chosen an export.
    #[cfg(test)]
    pub(super) fn served(&self) -> usize {
        self.lock().served.len()
    }

    /// Serves a client on a thread of its own.
    pub(crate) fn admit(
        self: &Arc<Self>,
        socket: OwnedFd,
        tls: Option<Arc<ServerConfig>>,
    ) -> io::Result<()> {
        self.make_room();
        tune(&socket);
        let socket = Arc::new(socket);
        let mut present = self.lock();
        let number = present.count;
        let (own, clients) = (socket.clone(), self.clone());
        let thread = thread::Builder::new().name("nbd".into()).spawn(move || {
            serve(own, Arc::new(Visit { clients, number }), tls);
        })?;
        present.count += 1;
        present.arriving.push_back(Client {
            number,
            socket,
            thread,
        });
        Ok(())
    }

    /// Sends away the oldest of those who arrive if there is no room for
    /// another, and awaits the end of its thread: there are never more.
    fn make_room(&self) {
        let displaced = {
            let mut present = self.lock();
            present.leaving.retain(|thread| !thread.is_finished());
            match present.arriving.len() {
                ..ARRIVING_MAX => None,
                _ => {
                    present.displaced.count();
                    present.arriving.pop_front()
                }
            }
        };
        if let Some(client) = displaced {
            client.disconnect();
            // What it panicked with has been printed.
            let _ = client.thread.join();
        }
    }

    /// Ends all connections at once.
    pub(crate) fn disconnect_all(&self) {
        let present = self.lock();
        let all = present.arriving.iter().chain(&present.served);
        all.for_each(Client::disconnect);
    }

    /// Ends all connections, and returns when nothing is left of them.
    pub(crate) fn stop(&self) {
        self.disconnect_all();
        let threads: Vec<_> = {
            let mut present = self.lock();
            let present = &mut *present;
            let clients = present.arriving.drain(..).chain(present.served.drain(..));
            let threads = clients.map(|client| client.thread);
            threads.chain(present.leaving.drain(..)).collect()
        };
        for thread in threads {
            let _ = thread.join();
        }
    }

    /// What the user should know about clients that were refused; seldom the same.
    pub(crate) fn warnings(&self, now: Instant) -> Vec<String> {
        let mut present = self.lock();
        let refused = present.refused.due(now).map(|count| {
            format!(
                "NBD: {CLIENTS_MAX} clients are connected, the most there may be; refused: {count}"
            )
        });
        let displaced = present.displaced.due(now).map(|count| {
            format!(
                "NBD: {ARRIVING_MAX} connections have chosen no export, the most there may be; \
                 the oldest were ended: {count}"
            )
        });
        refused.into_iter().chain(displaced).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Present> {
        self.present.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One connection; its end when dropped.
#[derive(Debug)]
pub(super) struct Visit {
    pub(super) clients: Arc<Clients>,
    number: u64,
}

impl Visit {
    /// Becomes a client, unless there are as many as there may be.
    pub(super) fn become_client(&self) -> bool {
        let mut present = self.clients.lock();
        if present.served.len() >= CLIENTS_MAX {
            present.refused.count();
            return false;
        }
        let mut arriving = present.arriving.iter();
        let at = arriving.position(|client| client.number == self.number);
        let client = at.and_then(|at| present.arriving.remove(at));
        let is_here = client.is_some();
        present.served.extend(client);
        is_here
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        let mut present = self.clients.lock();
        let Present {
            arriving, served, ..
        } = &mut *present;
        let is_own = |client: &Client| client.number == self.number;
        let client = match arriving.iter().position(is_own) {
            Some(at) => arriving.remove(at),
            None => {
                let at = served.iter().position(is_own);
                at.map(|at| served.swap_remove(at))
            }
        };
        present.leaving.extend(client.map(|client| client.thread));
    }
}

/// Has small replies sent at once and clients missed whose machine is gone, and
/// gives a unix socket room for the replies to a deep queue, which TCP finds by
/// itself. All of it is no condition of serving.
fn tune(socket: &OwnedFd) {
    if sockopt::set_tcp_nodelay(socket, true).is_err() {
        let _ = sockopt::set_socket_send_buffer_size(socket, SEND_BUFFER);
        return;
    }
    let (idle, times, apart) = KEEP_ALIVE;
    let _ = sockopt::set_socket_keepalive(socket, true)
        .and_then(|()| sockopt::set_tcp_keepidle(socket, idle))
        .and_then(|()| sockopt::set_tcp_keepcnt(socket, times))
        .and_then(|()| sockopt::set_tcp_keepintvl(socket, apart));
}
