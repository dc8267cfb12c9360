//! Bytes that a client could send, for fuzzers and the tests that replay what
//! they found.

use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, OnceLock};
use std::thread;

use crate::disk::Disk;
use crate::nbd;

/// Has a client of the NBD server send `bytes`, from the first.
pub fn handshake(bytes: &[u8]) {
    converse(&[], bytes);
}

/// Has a client of the NBD server that agreed on structured replies and block
/// status send `bytes`.
pub fn transmission(bytes: &[u8]) {
    converse(&nbd::agreement(), bytes);
}

fn converse(first: &[u8], then: &[u8]) {
    static DISK: OnceLock<Arc<Disk>> = OnceLock::new();
    let disk = DISK.get_or_init(|| Arc::new(Disk::in_memory("data", 1 << 20)));
    let Ok((mut client, server)) = UnixStream::pair() else {
        return;
    };
    let Ok(mut reading) = client.try_clone() else {
        return;
    };
    let clients = nbd::Clients::new([disk.clone()].into());
    if clients.admit(server.into(), None).is_err() {
        return;
    }
    thread::scope(|scope| {
        let saying = scope.spawn(move || {
            // The server may end the conversation before all is said.
            let _ = client
                .write_all(first)
                .and_then(|()| client.write_all(then));
            let _ = client.shutdown(Shutdown::Write);
        });
        let hearing = scope.spawn(move || {
            let mut replies = vec![0; 1 << 16];
            while reading.read(&mut replies).is_ok_and(|len| len > 0) {}
        });
        // A fuzzer looks for leaks, which threads that are about to end have.
        for thread in [saying, hearing] {
            let _ = thread.join();
        }
    });
    // The server has ended the conversation.
    clients.stop();
}
