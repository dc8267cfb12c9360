//! Replies that the model delays, sent by a timer thread.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::super::outbox::REQUESTS_MAX;
use super::super::request::{DISCONNECT, READ, Request, WRITE};
use super::client::{Client, Reply, SIZE, request};
use crate::disk::Disk;

const HELD: Duration = Duration::from_millis(200);

fn slow() -> Arc<Disk> {
    Arc::new(crate::testing::disk("slow", SIZE, HELD.as_nanos() as u64))
}

#[test]
fn answers_wait_for_the_model() {
    let mut client = Client::ready(&[slow()]);
    let start = Instant::now();
    assert_eq!(client.result(request(WRITE, 0, 1), b"x"), 0);
    assert!(start.elapsed() >= HELD);
}

#[test]
fn answers_overtake_one_another() {
    let mut client = Client::ready(&[slow()]);
    let late = request(READ, 0, 4096);
    // What no storage is asked for is answered at once.
    let early = Request {
        cookie: 2,
        ..request(READ, SIZE, 1)
    };
    client.send(late, &[]);
    client.send(early, &[]);
    let refused = Reply::Simple {
        cookie: 2,
        error: 22,
    };
    assert_eq!(client.receive(0).0, refused);
    assert!(matches!(
        client.receive(4096).0,
        Reply::Simple { error: 0, .. }
    ));
}

#[test]
fn long_replies_are_sent_while_others_are_held() {
    let mut client = Client::ready(&[slow()]);
    let len = SIZE as u32;
    for cookie in 0..20 {
        let read = request(READ, 0, len);
        client.send(Request { cookie, ..read }, &[]);
    }
    // By now more is due than the socket holds.
    std::thread::sleep(HELD * 2);
    for _ in 0..20 {
        assert_eq!(client.receive(len as usize).1.len(), len as usize);
    }
}

#[test]
fn held_answers_come_before_the_end() {
    let mut client = Client::ready(&[slow()]);
    client.send(request(READ, 0, 4096), &[]);
    client.send(request(DISCONNECT, 0, 0), &[]);
    assert_eq!(client.receive(4096).1.len(), 4096);
    assert!(client.is_ended());
}

#[test]
fn no_more_than_the_limit_is_in_flight() {
    let mut client = Client::ready(&[slow()]);
    let start = Instant::now();
    let count = REQUESTS_MAX as u64 + 1;
    for cookie in 0..count {
        let write = request(WRITE, 0, 1);
        client.send(Request { cookie, ..write }, &[1]);
    }
    for _ in 0..count {
        assert!(matches!(
            client.receive(0).0,
            Reply::Simple { error: 0, .. }
        ));
    }
    assert!(start.elapsed() >= HELD * 2, "the last waited for the first");
}

#[test]
fn a_client_that_is_gone_is_not_waited_for() {
    let slow = slow();
    let mut client = Client::ready(std::slice::from_ref(&slow));
    client.send(request(READ, 0, 4096), &[]);
    drop(client);
    let mut next = Client::ready(&[slow]);
    assert_eq!(next.result(request(WRITE, 0, 1), &[1]), 0);
}
