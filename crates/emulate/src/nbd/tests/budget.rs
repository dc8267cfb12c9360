//! What requests and replies may take together, counted.

use std::io::Write;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;

use rustix::event::{EventfdFlags, eventfd};

use super::super::budget::{Budget, COMMON, OWN, Share};
use super::super::clients::Clients;
use super::super::request::{READ, WRITE};
use super::super::wire::PAYLOAD_MAX;
use super::client::{Client, eventually, request};

const LARGEST: usize = PAYLOAD_MAX as usize;
/// What the largest read takes of what all share.
const TAKEN: usize = LARGEST + 16 - OWN;
/// So many find room at once.
const FIT: usize = COMMON / TAKEN;

fn bell() -> Arc<OwnedFd> {
    Arc::new(eventfd(0, EventfdFlags::NONBLOCK).unwrap())
}

fn has_rung(bell: &OwnedFd) -> bool {
    rustix::io::read(bell, &mut [0; 8]).is_ok()
}

#[test]
fn small_requests_wait_for_nobody() {
    let budget = Budget::new();
    let mut large = Share::new(budget.clone(), bell());
    assert!(large.take(OWN + COMMON));
    assert!(!large.take(1));
    let mut small = Share::new(budget.clone(), bell());
    assert!(small.take(OWN));
    assert!(!small.take(1));
    small.give_back(1);
    assert!(small.take(1));
    assert_eq!((budget.free(), budget.waiting()), (0, 1));
}

/// A budget, the first share of which has taken all but 100 bytes and the
/// second waits for 200; a third; and their bells.
fn in_line() -> (Arc<Budget>, [Arc<OwnedFd>; 3], [Share; 3]) {
    let budget = Budget::new();
    let bells = [bell(), bell(), bell()];
    let [mut first, mut large, small] = bells.clone().map(|bell| Share::new(budget.clone(), bell));
    assert!(first.take(OWN + COMMON - 100));
    assert!(!large.take(OWN + 200));
    (budget, bells, [first, large, small])
}

#[test]
fn room_is_given_in_the_order_of_asking() {
    let (budget, bells, [mut first, mut large, mut small]) = in_line();
    assert!(!small.take(OWN + 50), "it fits, but is not its turn");
    first.give_back(100);
    assert!(has_rung(&bells[1]) && !has_rung(&bells[2]));
    assert!(!small.take(OWN + 50));
    assert!(large.take(OWN + 200));
    assert!(has_rung(&bells[2]));
    assert!(!small.take(OWN + 50));
    drop(large);
    assert!(has_rung(&bells[2]));
    assert!(small.take(OWN + 50));
    drop((first, small));
    assert_eq!((budget.free(), budget.waiting()), (COMMON, 0));
}

#[test]
fn who_leaves_the_line_is_not_waited_for() {
    let (budget, bells, [_first, large, mut small]) = in_line();
    assert!(!small.take(OWN + 50));
    drop(large);
    assert!(has_rung(&bells[2]));
    assert!(small.take(OWN + 50));
    assert_eq!((budget.free(), budget.waiting()), (50, 0));
}

/// The clients of a disk that holds the largest request, and answers it after
/// `latency`.
fn clients(latency: Duration) -> Arc<Clients> {
    let size = 2 * LARGEST as u64;
    let disk = crate::testing::disk("large", size, latency.as_nanos() as u64);
    Clients::new([Arc::new(disk)].into())
}

fn asking_for(clients: &Arc<Clients>, len: usize) -> Client {
    let mut client = Client::ready_of(clients);
    client.send(request(READ, 0, len as u32), &[]);
    client
}

/// As many clients as find room, each with a large reply that it does not read.
fn full(clients: &Arc<Clients>) -> Vec<Client> {
    let large = (0..FIT).map(|_| asking_for(clients, LARGEST)).collect();
    let budget = &clients.budget;
    eventually(|| budget.free() == COMMON - FIT * TAKEN);
    large
}

#[test]
fn replies_that_nobody_reads_are_bounded_over_all_clients() {
    let clients = clients(Duration::ZERO);
    let budget = &clients.budget;
    let mut large = full(&clients);
    let mut next = asking_for(&clients, LARGEST);
    eventually(|| budget.waiting() == 1);
    let mut last = asking_for(&clients, OWN + 1000);
    eventually(|| budget.waiting() == 2);
    assert_eq!(budget.free(), COMMON - FIT * TAKEN);
    // Small requests go on meanwhile, also of who waits for large ones.
    let mut small = Client::ready_of(&clients);
    assert_eq!(small.result(request(WRITE, 0, 4096), &[1; 4096]), 0);
    assert_eq!(large[0].receive(LARGEST).1.len(), LARGEST);
    assert_eq!(next.receive(LARGEST).1.len(), LARGEST);
    assert_eq!(last.receive(OWN + 1000).1.len(), OWN + 1000);
    for client in &mut large[1..] {
        assert_eq!(client.receive(LARGEST).1.len(), LARGEST);
    }
    eventually(|| budget.free() == COMMON);
    assert_eq!(budget.waiting(), 0);
}

#[test]
fn one_large_request_after_another_is_answered() {
    let clients = clients(Duration::ZERO);
    let mut client = asking_for(&clients, LARGEST);
    for _ in 0..2 {
        client.send(request(READ, 0, PAYLOAD_MAX), &[]);
    }
    // The second waits for what its own connection has.
    for _ in 0..3 {
        assert_eq!(client.receive(LARGEST).1.len(), LARGEST);
    }
}

#[test]
fn a_write_that_is_still_arriving_takes_its_room() {
    let clients = clients(Duration::ZERO);
    let mut client = Client::ready_of(&clients);
    let payload = vec![7; LARGEST];
    let write = request(WRITE, 0, LARGEST as u32);
    client.send(write, &payload[1..]);
    eventually(|| clients.budget.free() == COMMON - (LARGEST - OWN));
    client.stream.write_all(&[7]).unwrap();
    assert!(client.receive(0).1.is_empty());
    assert_eq!(clients.budget.free(), COMMON);
    client.send(write, &[7]);
    eventually(|| clients.budget.free() == COMMON - (LARGEST - OWN));
    drop(client);
    eventually(|| clients.budget.free() == COMMON);
}

#[test]
fn nothing_is_kept_for_who_left() {
    // Answers are due long after this test.
    let clients = clients(Duration::from_secs(3600));
    let large = full(&clients);
    let waiting = asking_for(&clients, LARGEST);
    eventually(|| clients.budget.waiting() == 1);
    drop(waiting);
    eventually(|| clients.budget.waiting() == 0);
    drop(large);
    eventually(|| clients.budget.free() == COMMON);
    eventually(|| clients.served() == 0);
}

#[test]
fn who_leaves_replies_unread_is_cut_off_for_those_who_wait() {
    let impatient = Duration::from_millis(5);
    let clients = Clients::with_patience(clients(Duration::ZERO).exports.clone(), impatient);
    let _large = full(&clients);
    let mut small = asking_for(&clients, OWN / 2);
    std::thread::sleep(impatient * 4);
    assert_eq!(clients.served(), FIT + 1, "nobody waits");
    let mut next = asking_for(&clients, LARGEST);
    assert_eq!(next.receive(LARGEST).1.len(), LARGEST);
    // Who takes nothing from others may stay.
    assert_eq!(small.receive(OWN / 2).1.len(), OWN / 2);
    eventually(|| clients.served() < FIT + 2);
}
