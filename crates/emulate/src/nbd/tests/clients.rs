//! Who is let in, and who has to make way.

use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::super::clients::{ARRIVING_MAX, CLIENTS_MAX, Clients};
use super::super::option::{self, Choice};
use super::super::request::WRITE;
use super::client::{Client, disk, eventually, request};

fn nobody() -> Arc<Clients> {
    Clients::new([disk("data")].into())
}

fn choice() -> Vec<u8> {
    let (export, infos) = (&b"data"[..], Vec::new());
    Choice { export, infos }.encode()
}

#[test]
fn clients_beyond_the_limit_are_told_so() {
    let clients = nobody();
    let mut served: Vec<_> = (0..CLIENTS_MAX)
        .map(|_| Client::ready_of(&clients))
        .collect();
    let mut beyond = Client::of(&clients);
    beyond.greet();
    let why = b"64 clients are connected, the most that are served at one time".to_vec();
    let refused = vec![(option::REP_ERR_POLICY, why)];
    assert_eq!(beyond.ask(option::GO, &choice()), refused);
    // Those who only look count as no clients.
    let listed = beyond.ask(option::LIST, &[]);
    assert_eq!(listed.last().unwrap().0, option::REP_ACK);
    let told = beyond.ask(option::INFO, &choice());
    assert_eq!(told.last().unwrap().0, option::REP_ACK);
    assert_eq!(clients.served(), CLIENTS_MAX);
    served.pop();
    eventually(|| clients.served() < CLIENTS_MAX);
    beyond.go(b"data");
    assert_eq!(beyond.result(request(WRITE, 0, 1), &[1]), 0);
    for mut client in served {
        assert_eq!(client.result(request(WRITE, 0, 1), &[1]), 0);
    }
}

#[test]
fn the_oldest_way_to_choose_makes_a_client_as_well() {
    let clients = nobody();
    let old = || {
        let mut client = Client::of(&clients);
        client.greet();
        let mut chosen = Vec::new();
        option::ask(&mut chosen, option::EXPORT_NAME, b"data");
        client.stream.write_all(&chosen).unwrap();
        client
    };
    let mut served: Vec<_> = (0..CLIENTS_MAX).map(|_| old()).collect();
    served.iter_mut().for_each(|client| drop(client.read(10)));
    // It has no reply that could say why.
    assert!(old().is_ended());
}

#[test]
fn who_says_nothing_keeps_nobody_out() {
    let clients = nobody();
    let silent = ARRIVING_MAX + 36;
    let greeted = |_| {
        let mut client = Client::of(&clients);
        // At once: one that made way may have been ended before it was greeted.
        client.read(18);
        client
    };
    let mut silent: Vec<_> = (0..silent).map(greeted).collect();
    let mut served: Vec<_> = (0..CLIENTS_MAX)
        .map(|_| Client::ready_of(&clients))
        .collect();
    for client in &mut served {
        assert_eq!(client.result(request(WRITE, 0, 1), &[1]), 0);
    }
    // They made way for one another, and the last for the first real client,
    // which no longer counted as arriving.
    for (number, client) in silent.iter_mut().enumerate() {
        assert_eq!(client.has_ended_by_now(), number < 37, "{number}");
    }
}

#[test]
fn the_user_hears_of_both_now_and_then() {
    let clients = nobody();
    let now = Instant::now();
    assert!(clients.warnings(now).is_empty());
    let _served: Vec<_> = (0..CLIENTS_MAX)
        .map(|_| Client::ready_of(&clients))
        .collect();
    let mut beyond = Client::of(&clients);
    beyond.greet();
    for _ in 0..3 {
        beyond.ask(option::GO, &choice());
    }
    let full = "NBD: 64 clients are connected, the most there may be; refused: 3";
    assert_eq!(clients.warnings(now), [full]);
    beyond.ask(option::GO, &choice());
    let _silent: Vec<_> = (0..ARRIVING_MAX).map(|_| Client::of(&clients)).collect();
    let displaced = "NBD: 64 connections have chosen no export, the most there may be; the \
                     oldest were ended: 1";
    assert_eq!(clients.warnings(now), [displaced]);
    let later = now + Duration::from_secs(60);
    let full = "NBD: 64 clients are connected, the most there may be; refused: 1";
    assert_eq!(clients.warnings(later), [full]);
}

#[test]
fn nothing_is_left_of_who_left() {
    let clients = nobody();
    drop((Client::of(&clients), Client::ready_of(&clients)));
    let alone = Arc::downgrade(&clients);
    // A connection's thread holds on to the clients it is one of.
    eventually(|| alone.strong_count() == 1);
    assert_eq!(clients.served(), 0);
}
