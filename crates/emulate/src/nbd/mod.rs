//! Network block device: disks as exports of an NBD server.
//!
//! From the outside in: a [`Server`] listens and has a thread for each client.
//! The thread's [`connection`] moves bytes between the socket and a
//! [`session`], which does what they say: first a [`handshake`], then a
//! [`transmission`]. Replies leave by the [`outbox`], which the pacer's thread
//! also uses. The protocol is that of the NBD project: fixed newstyle, with
//! structured replies and TLS.

mod address;
mod connection;
mod handshake;
mod input;
mod link;
mod listener;
mod option;
mod outbox;
mod probe;
mod reply;
mod request;
mod server;
mod session;
mod tls;
mod transmission;
mod wire;

pub use self::address::Address;
pub(crate) use self::server::Server;
pub(crate) use self::tls::Tls;

#[cfg(test)]
mod manual;
