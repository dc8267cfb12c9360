//! Sentences on mirrors and on the links between hosts.

use blockyard_explain::{EventHold, FULL_NETWORK as FULL, Facts, JobHeld, LinkHold, Owner};
use blockyard_record::result::{
    HostNetwork, LinkCause, LinkTotal, MirrorTotal, PacketCpu, RunResult,
};

use super::clause::{LIMITED, THROTTLED};
use super::journal_mirrors::journal_mirror;
use super::phrases::{in_bytes, listed, share};
use crate::text::format::{clock, count, duration, latency, number, percent};

const MIB: f64 = 1_048_576.0;

/// What messages wait for less is not told.
const BRIEF_S: f64 = 1e-6;

/// A sentence for each mirror, each direction of a link and each host's packets.
pub(crate) fn network(result: &RunResult, facts: Option<&Facts>) -> Vec<String> {
    let limits = facts.map_or(&[][..], |facts| &facts.limits);
    let apart = |mirror: &MirrorTotal| {
        let mut owners = limits.iter().map(|limit| &limit.limit.owner);
        owners.any(|owner| matches!(owner, Owner::Leg { device, .. } if *device == mirror.device))
    };
    let mirrors = result.mirrors.iter();
    let mut said: Vec<_> = mirrors
        .flat_map(|one| mirror(one, !apart(one)))
        .chain(result.journal_mirrors.iter().flat_map(journal_mirror))
        .collect();
    let links = result.links.iter().filter(|link| link.messages > 0);
    said.extend(links.map(|one| link(one, result.duration_s)));
    said.extend(result.host_networks.iter().filter_map(host_network));
    let busy = result.packet_cpu.iter().filter(|one| one.busy_s != 0.0);
    said.extend(busy.map(|one| packets(one, result.duration_s)));
    said
}

/// `the socket buffer of llt at a`.
pub(crate) fn link_named(hold: &LinkHold) -> String {
    if hold.cause == LinkCause::Down {
        return format!("the outage of {}", hold.link);
    }
    if hold.cause == LinkCause::Network {
        return format!("the network of {}", hold.from_host);
    }
    let (waits, link) = (waits(hold.cause), &hold.link);
    format!("{waits} of {link} at {}", hold.from_host)
}

/// What a link does to IO: its own limits throttle, processors and outages do not.
pub(crate) fn link_effect(hold: &LinkHold) -> &'static str {
    match hold.cause {
        LinkCause::Down | LinkCause::Loss | LinkCause::Processor => LIMITED,
        LinkCause::SocketBuffer
        | LinkCause::FlowControl
        | LinkCause::Bandwidth
        | LinkCause::Network => THROTTLED,
    }
}

/// What can be raised of a link: `the socket buffer of llt`.
pub(crate) fn of_link(hold: &LinkHold) -> String {
    if hold.cause == LinkCause::Network {
        return format!("the network of {}", hold.from_host);
    }
    let raised = match hold.cause {
        LinkCause::SocketBuffer => "the socket buffer",
        LinkCause::FlowControl => "the water marks of flow control",
        LinkCause::Processor => "the speed of the processors at both ends",
        LinkCause::Bandwidth => "the bandwidth",
        LinkCause::Down | LinkCause::Loss | LinkCause::Network => "",
    };
    format!("{raised} of {}", hold.link)
}

/// `the event at 0:10 (data pauses)`.
pub(crate) fn event_named(result: &RunResult, event: usize) -> String {
    let found = &result.events[event];
    format!("the event at {} ({})", clock(found.t_s), found.what)
}

/// A line for each wait on a link or in an event that is felt, with whose it is.
pub(crate) fn others_held(result: &RunResult, facts: &Facts) -> Vec<String> {
    let Some(modelled) = &facts.modelled else {
        return Vec::new();
    };
    let on_link = |hold: &LinkHold| {
        let does = match hold.cause {
            LinkCause::Down => "is",
            // What messages themselves take counts as well.
            LinkCause::Processor | LinkCause::Bandwidth => "goes to",
            LinkCause::SocketBuffer
            | LinkCause::FlowControl
            | LinkCause::Loss
            | LinkCause::Network => "waits for",
        };
        format!("{} {does} {}", of(&hold.jobs), link_named(hold))
    };
    let in_event =
        |hold: &EventHold| format!("{} is {}", of(&hold.jobs), event_named(result, hold.event));
    let links = modelled.links.iter().map(on_link);
    links.chain(modelled.events.iter().map(in_event)).collect()
}

/// `60% of the latency of writers and 20% of that of readers`.
fn of(jobs: &[JobHeld]) -> String {
    let latency = std::iter::once("the latency").chain(std::iter::repeat("that"));
    let each: Vec<_> = jobs
        .iter()
        .zip(latency)
        .map(|(one, latency)| format!("{} of {latency} of {}", share(one.waited), one.job))
        .collect();
    listed(&each)
}

/// Whose latency a job has where nothing throttles it.
pub(crate) fn own_latency(result: &RunResult, job: &str) -> &'static str {
    let mut its = result.totals.iter().filter(|total| total.job == job);
    let mirrored = |device: &str| {
        let mut mirrors = result.mirrors.iter();
        mirrors.any(|mirror| mirror.device == device)
    };
    if its.any(|total| mirrored(&total.device)) {
        "the latency of storage and links"
    } else {
        "the storage's own latency"
    }
}

/// How a mirror fared; `together` where its limits are told over both legs.
fn mirror(mirror: &MirrorTotal, together: bool) -> Vec<String> {
    let device = &mirror.device;
    let mut said = vec![at_risk(mirror)];
    if together {
        said.push(format!(
            "Limits of {device} cover both legs together; a write counts on each leg, a read on \
             one."
        ));
    }
    if mirror.failures > 0 {
        said.push(given_up(mirror));
    }
    if let Some(outage_s) = mirror.outage_s {
        let outage = duration(outage_s);
        said.push(format!(
            "The longest time without service of {device} was {outage}."
        ));
    }
    if mirror.frozen_s > 0.0 {
        let frozen = duration(mirror.frozen_s);
        said.push(format!(
            "For {frozen} {device} served no IO, until a leg was fenced or a host served."
        ));
    }
    if mirror.split_brains > 0 {
        said.push(split_brain(mirror));
    }
    if mirror.resyncs > 0 {
        let (bytes, took) = (in_bytes(mirror.resync_bytes), duration(mirror.resync_s));
        let bound = mirror.resync_bound;
        let bound = bound.map_or(String::new(), |it| format!(", bound by {}", it.in_words()));
        said.push(format!(
            "To bring it up to date, {bytes} were copied in {took}{bound}."
        ));
    }
    said
}

fn split_brain(mirror: &MirrorTotal) -> String {
    let (device, discarded) = (&mirror.device, mirror.discarded_bytes);
    let outcome = match (mirror.state.as_str(), discarded) {
        ("split brain", _) => "they stay apart until somebody says whose writes to keep".to_owned(),
        (_, bytes) => format!("{} of one of them were discarded", in_bytes(bytes)),
    };
    format!("Both legs of {device} have writes that the other lacks: {outcome}.")
}

fn at_risk(mirror: &MirrorTotal) -> String {
    // Whether a leg was ever not up to date.
    let behind = mirror.failures > 0 || mirror.state != "in sync";
    let (what, whole) = match mirror.most_at_risk_bytes {
        0 => ("nothing".to_owned(), ""),
        risk if behind => (
            format!("up to {}", in_bytes(risk)),
            "; a region that is not up to date counts whole",
        ),
        risk => (format!("up to {}", in_bytes(risk)), ""),
    };
    let device = &mirror.device;
    let state = match mirror.state.as_str() {
        "split brain" => "in a split brain",
        state => state,
    };
    format!("The mirror {device} ends {state}, with {what} at risk while it ran{whole}.")
}

fn given_up(mirror: &MirrorTotal) -> String {
    let times = match mirror.failures {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        many => format!("{} times", count(many)),
    };
    let lost = match mirror.lost_bytes {
        0 => "nothing acknowledged was lost".to_owned(),
        bytes => {
            let lost = in_bytes(bytes);
            format!("at most {lost} acknowledged were lost at once, counted in whole regions")
        }
    };
    let device = &mirror.device;
    format!("A leg of {device} was given up {times}; {lost}.")
}

fn link(link: &LinkTotal, duration_s: f64) -> String {
    let rate = number(link.bytes as f64 / duration_s / MIB);
    let (name, from, to) = (&link.name, &link.from_host, &link.to_host);
    let part = percent(link.utilisation, 1);
    let mut said = format!(
        "{name} carries {rate} MiB/s from {from} to {to}, {part} of its bandwidth with headers"
    );
    if link.retransmitted > 0 {
        let (again, packets) = (count(link.retransmitted), count(link.packets));
        said += &format!(", and sends {again} of {packets} packets again that were lost");
    }
    let (cause, waited_s) = most_waited(link);
    let mean_s = waited_s / link.messages as f64;
    if waited_s > 0.0 && mean_s >= BRIEF_S {
        let (mean, cause) = (latency(1e6 * mean_s), waits(cause));
        said += &format!("; messages wait {mean} on average for {cause}");
    }
    said + "."
}

/// What messages waited for longest, with the seconds that they did.
fn most_waited(link: &LinkTotal) -> (LinkCause, f64) {
    let waited = &link.waited_s;
    let first = (LinkCause::SocketBuffer, waited.socket_buffer);
    let others = [
        (LinkCause::FlowControl, waited.flow_control),
        (LinkCause::Processor, waited.processor),
        (LinkCause::Bandwidth, waited.bandwidth),
        (LinkCause::Down, waited.down),
        (LinkCause::Loss, waited.loss),
        (LinkCause::Network, waited.network),
    ];
    let longer = |most: (_, f64), one: (_, f64)| if one.1 > most.1 { one } else { most };
    others.into_iter().fold(first, longer)
}

/// What the links of a host carry together, if that is much of its network.
fn host_network(of: &HostNetwork) -> Option<String> {
    const MUCH: f64 = 0.5;
    let used = of.sent.max(of.received);
    (used >= MUCH).then(|| {
        let (host, mbit) = (&of.host, number(of.mbit_per_s));
        let (sent, received) = (percent(of.sent, 1), percent(of.received, 1));
        let bounds = match used >= FULL {
            true => ", at its limit",
            false => "",
        };
        format!(
            "What {host} sends takes {sent} of its network of {mbit} Mbit/s, and what it receives \
             {received}, over all its links{bounds}."
        )
    })
}

/// What transactions wait for that wait for other nodes: where only one job has any, with the
/// network or the link between them that is full.
pub(crate) fn other_nodes(result: &RunResult) -> String {
    let groups = result.transactions.iter();
    let is_one = groups.filter(|it| it.replication.is_some()).count() == 1;
    let mut networks = result.host_networks.iter();
    let mut links = result.links.iter();
    let network = networks.find(|of| of.sent.max(of.received) >= FULL);
    let link = links.find(|link| link.utilisation >= FULL);
    match (network, link) {
        (Some(of), _) if is_one => format!("other nodes, over the full network of {}", of.host),
        (_, Some(link)) if is_one => format!("other nodes, over the full link {}", link.name),
        _ => "other nodes".to_owned(),
    }
}

fn packets(cpu: &PacketCpu, duration_s: f64) -> String {
    let (part, host) = (percent(cpu.busy_s / duration_s, 1), &cpu.host);
    let whole = match (cpu.share, cpu.cores) {
        (Some(share), Some(cores)) => format!(", {} of all {cores}", percent(share, 1)),
        _ => String::new(),
    };
    format!("Packets take {part} of one processor of {host}{whole}.")
}

/// What messages wait for.
fn waits(cause: LinkCause) -> &'static str {
    match cause {
        LinkCause::SocketBuffer => "the socket buffer",
        LinkCause::FlowControl => "flow control",
        LinkCause::Processor => "the processor",
        LinkCause::Bandwidth => "the bandwidth",
        LinkCause::Down => "the link to return",
        LinkCause::Loss => "lost packets",
        LinkCause::Network => "other links of a host",
    }
}
