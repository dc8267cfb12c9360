//! What made jobs wait that is no limit: links, and events that paused volumes.

use std::collections::BTreeMap;

use blockyard_record::result::{Held, LinkCause, LinkTotal, RunResult};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::waits::latency_s;
use blockyard_record::thresholds::FELT;

/// What a link kept the IO of jobs waiting for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LinkHold {
    /// The link.
    pub link: String,
    /// The host at whose end they waited most; of a `network`, the host whose it is.
    pub from_host: String,
    /// What for.
    pub cause: LinkCause,
    /// Of the latency of all IO of the jobs that it held, at most 1.
    pub waited: f64,
    /// The jobs that it held long enough to be felt, the one that it held most first.
    pub jobs: Vec<JobHeld>,
}

/// What held a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JobHeld {
    /// The job.
    pub job: String,
    /// Of the latency of its IO, before it was issued or after, at most 1.
    pub waited: f64,
}

/// An event that kept the IO of jobs waiting.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EventHold {
    /// Its place among the result's events.
    pub event: usize,
    /// The jobs that it held long enough to be felt, the one that it held most first.
    pub jobs: Vec<JobHeld>,
}

/// From this utilisation on a link's wires, a host's network or its processor are full: what waits
/// before them waits for them.
pub const FULL: f64 = 0.95;

/// What links held long enough to be felt, the longest first; both directions together.
pub(crate) fn link_holds(result: &RunResult) -> Vec<LinkHold> {
    let mut causes: BTreeMap<(&str, LinkCause), Vec<(&LinkTotal, &Held)>> = BTreeMap::new();
    for link in &result.links {
        for held in &link.held {
            let key = (link.name.as_str(), behind(held.cause, link, result));
            let jobs = held.jobs.iter().map(|job| (link, job));
            causes.entry(key).or_default().extend(jobs);
        }
    }
    let hold = |((link, cause), held): ((&str, LinkCause), Vec<(&LinkTotal, &Held)>)| {
        let jobs: Vec<_> = held.iter().map(|(_, job)| *job).collect();
        let most = held
            .iter()
            .max_by(|a, b| whole_s(a.1).total_cmp(&whole_s(b.1)))?;
        let (waited, jobs) = shares(result, &jobs);
        let from_host = match cause {
            LinkCause::Network => fullest_end(most.0, result).0,
            _ => &most.0.from_host,
        };
        Some(LinkHold {
            link: link.to_owned(),
            from_host: from_host.to_owned(),
            cause,
            waited,
            jobs,
        })
    };
    let found = causes.into_iter().filter_map(hold);
    let mut found: Vec<_> = found.filter(|hold| !hold.jobs.is_empty()).collect();
    found.sort_by(|a, b| b.waited.total_cmp(&a.waited));
    found
}

fn whole_s(held: &Held) -> f64 {
    held.waited_s + held.lag_s
}

/// The events that held jobs long enough to be felt, in their order.
pub(crate) fn event_holds(result: &RunResult) -> Vec<EventHold> {
    let events = result.events.iter().enumerate();
    let found = events.map(|(place, event)| EventHold {
        event: place,
        jobs: shares(result, &event.held.iter().collect::<Vec<_>>()).1,
    });
    found.filter(|hold| !hold.jobs.is_empty()).collect()
}

/// Of the latency of all jobs in `held` that was; and of each that felt it.
fn shares(result: &RunResult, held: &[&Held]) -> (f64, Vec<JobHeld>) {
    let latency = |job: &str| latency_s(result.totals.iter().filter(|total| total.job == job));
    let mut sums: Vec<(&str, f64)> = Vec::new();
    for one in held {
        let held_s = whole_s(one);
        match sums.iter_mut().find(|(job, _)| *job == one.job) {
            Some((_, sum)) => *sum += held_s,
            None => sums.push((&one.job, held_s)),
        }
    }
    let share = |held_s: f64, whole_s: f64| match whole_s > 0.0 {
        true => (held_s / whole_s).min(1.0),
        false => 0.0,
    };
    let each = sums.iter().map(|&(job, held_s)| JobHeld {
        job: job.to_owned(),
        waited: share(held_s, latency(job)),
    });
    let mut jobs: Vec<_> = each.filter(|job| job.waited >= FELT).collect();
    jobs.sort_by(|a, b| b.waited.total_cmp(&a.waited));
    let (held_s, whole_s) = sums
        .iter()
        .fold((0.0, 0.0), |(held, whole), &(job, held_s)| {
            (held + held_s, whole + latency(job))
        });
    (share(held_s, whole_s), jobs)
}

/// Which host's network bounds what goes from one end of a link more, and how full it is.
fn fullest_end<'a>(link: &'a LinkTotal, result: &RunResult) -> (&'a str, f64) {
    let used = |host: &str| result.host_networks.iter().find(|it| it.host == host);
    let sent = used(&link.from_host).map_or(0.0, |it| it.sent);
    let received = used(&link.to_host).map_or(0.0, |it| it.received);
    match received > sent {
        true => (&link.to_host, received),
        false => (&link.from_host, sent),
    }
}

/// What is behind a cause on `link`: a larger buffer would only hold more that waits for full
/// wires, for a host's full network, or for a full processor; and wires that are as wide as a
/// host's network wait for that.
fn behind(cause: LinkCause, link: &LinkTotal, result: &RunResult) -> LinkCause {
    let mut processors = result.packet_cpu.iter();
    let ends = [&link.from_host, &link.to_host];
    match cause {
        LinkCause::SocketBuffer | LinkCause::FlowControl | LinkCause::Bandwidth
            if fullest_end(link, result).1 >= FULL =>
        {
            LinkCause::Network
        }
        LinkCause::SocketBuffer | LinkCause::FlowControl if link.utilisation >= FULL => {
            LinkCause::Bandwidth
        }
        LinkCause::SocketBuffer | LinkCause::FlowControl
            if processors.any(|it| it.utilisation >= FULL && ends.contains(&&it.host)) =>
        {
            LinkCause::Processor
        }
        own => own,
    }
}

#[cfg(test)]
mod tests {
    use blockyard_record::result::{HostNetwork, LinkHeld, LinkWaits, PacketCpu};

    use super::*;
    use crate::testing::{result, total};

    fn held(job: &str, waited_s: f64, lag_s: f64) -> Held {
        Held {
            job: job.to_owned(),
            waited_s,
            lag_s,
        }
    }

    fn link(causes: &[(LinkCause, &[Held])]) -> LinkTotal {
        LinkTotal {
            name: "wan".to_owned(),
            from_host: "a".to_owned(),
            to_host: "b".to_owned(),
            messages: 1000,
            packets: 1000,
            retransmitted: 0,
            bytes: 0,
            copied_bytes: 0,
            utilisation: 0.1,
            waited_s: LinkWaits {
                socket_buffer: 0.0,
                flow_control: 0.0,
                processor: 0.0,
                bandwidth: 0.0,
                down: 0.0,
                loss: 0.0,
                network: 0.0,
            },
            most_unacknowledged: 0,
            most_queued: 0,
            held: causes
                .iter()
                .map(|&(cause, jobs)| LinkHeld {
                    cause,
                    jobs: jobs.to_vec(),
                })
                .collect(),
        }
    }

    /// Ten seconds of latency of writers, and of readers, whose IO hardly crosses the link.
    fn run() -> RunResult {
        let mut run = result();
        run.totals = vec![
            total("writers", "data", "write", 1000, 10_000.0),
            total("readers", "data", "read", 1000, 10_000.0),
        ];
        let buffer = [held("writers", 3.0, 3.0), held("readers", 0.1, 0.0)];
        let wires = [held("writers", 1.0, 0.0)];
        run.links = vec![link(&[
            (LinkCause::SocketBuffer, &buffer),
            (LinkCause::Bandwidth, &wires),
        ])];
        run
    }

    fn told(run: &RunResult) -> Vec<(LinkCause, Vec<(String, f64)>)> {
        let jobs = |hold: LinkHold| hold.jobs.into_iter().map(|it| (it.job, it.waited));
        let holds = link_holds(run).into_iter();
        holds
            .map(|hold| (hold.cause, jobs(hold).collect()))
            .collect()
    }

    #[test]
    fn what_a_link_holds_is_a_share_of_the_latency_of_those_that_it_holds() {
        let writers = |share| vec![("writers".to_owned(), share)];
        assert_eq!(
            told(&run()),
            [
                (LinkCause::SocketBuffer, writers(0.6)),
                (LinkCause::Bandwidth, writers(0.1))
            ]
        );
    }

    #[test]
    fn what_waits_before_full_wires_waits_for_them() {
        let mut run = run();
        run.links[0].utilisation = 0.99;
        let [(LinkCause::Bandwidth, jobs)] = &told(&run)[..] else {
            panic!("{:?}", told(&run))
        };
        assert_eq!((jobs[0].1 * 100.0).round(), 70.0);
    }

    /// A wait for a network names the host whose network is full in the direction of the message.
    #[test]
    fn what_waits_before_a_full_network_waits_for_it() {
        let mut run = run();
        let network = |host: &str, sent, received| HostNetwork {
            host: host.to_owned(),
            mbit_per_s: 100.0,
            sent,
            received,
        };
        run.host_networks = vec![network("a", 0.6, 0.99), network("b", 0.99, 0.6)];
        assert_eq!(told(&run).len(), 2, "the other directions are full");
        run.host_networks = vec![network("a", 0.6, 0.0), network("b", 0.0, 0.99)];
        let holds = link_holds(&run);
        let [hold] = &holds[..] else {
            panic!("{holds:?}")
        };
        assert_eq!(
            (hold.cause, hold.from_host.as_str()),
            (LinkCause::Network, "b")
        );
        run.host_networks = vec![network("a", 0.99, 0.0)];
        assert_eq!(link_holds(&run)[0].from_host, "a");
    }

    #[test]
    fn what_waits_before_a_full_processor_waits_for_it() {
        let mut run = run();
        run.packet_cpu = vec![PacketCpu {
            host: "b".to_owned(),
            busy_s: 20.0,
            utilisation: 1.0,
            cores: None,
            share: None,
        }];
        let found: Vec<_> = told(&run).into_iter().map(|(cause, _)| cause).collect();
        assert_eq!(found, [LinkCause::Processor, LinkCause::Bandwidth]);
    }
}
