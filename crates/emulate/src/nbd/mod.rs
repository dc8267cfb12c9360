//! Network block device: disks as exports of an NBD server.
//!
//! From the outside in: a [`Server`] listens, and its [`clients`] have a thread
//! each. The thread's [`connection`] moves bytes between the socket and a
//! [`session`], which does what they say: first a [`handshake`], then a
//! [`transmission`]. Replies leave by the [`outbox`], which the timer threads
//! also use; the [`budget`] bounds what all of them take together. The
//! protocol is that of the NBD project: fixed newstyle, with structured replies
//! and TLS.

mod address;
mod budget;
mod clients;
mod connection;
mod handshake;
mod input;
mod listener;
mod option;
mod outbox;
mod probe;
mod reply;
mod request;
mod seldom;
mod server;
mod session;
mod tls;
mod transmission;
mod transport;
mod wire;

pub use self::address::Address;
pub(crate) use self::option::ABILITIES;
pub(crate) use self::server::Server;
pub(crate) use self::tls::Tls;

#[cfg(any(test, feature = "fuzzing"))]
pub(crate) use self::clients::Clients;

/// What a client says to choose the first export with structured replies and
/// block status.
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) fn agreement() -> Vec<u8> {
    let mut said = 3_u32.to_be_bytes().to_vec();
    option::ask(&mut said, option::STRUCTURED_REPLY, &[]);
    let name = option::ALLOCATION;
    let contexts = [&[0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, name.len() as u8], name].concat();
    option::ask(&mut said, option::SET_META_CONTEXT, &contexts);
    option::ask(&mut said, option::GO, &[0; 6]);
    said
}

#[cfg(test)]
mod tests;
