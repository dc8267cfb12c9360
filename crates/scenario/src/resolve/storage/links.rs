//! The networks between the hosts.

use blockyard_model::spec::{
    Contact, FlowControl, LinkSpec, LossSpec, ProcessorCost, QueuedUntil, Recovery,
};
use blockyard_model::units::{Bytes, MIB, MILLISECOND, Nanos};
use indexmap::IndexMap;

use super::HostNames;
use super::host::Host;
use crate::resolve::{Invalid, Zones};
use crate::schema::{self, Link, Transport};
use crate::units::{Bandwidth, Duration};

/// What Ethernet adds to a packet on the wire: preamble 8, header 14, check sum 4 and the gap of
/// 12 bytes (IEEE 802.3).
const ETHERNET: u64 = 38;

/// The least that IPv4 lets a host be sent in one packet (RFC 791).
const LEAST_MTU: u32 = 576;

/// Linux's `TCP_RTO_MIN`, which it adds to the round trip (`include/net/tcp.h`).
const TCP_TIMER: Nanos = 200 * MILLISECOND;

/// Most that Linux lets the send buffer of a TCP socket grow to by itself (`net.ipv4.tcp_wmem`, on
/// a host of some GiB). Over UDP, where no `high_water` is stated, the same is assumed.
const SOCKET_BUFFER: Bytes = 4 * MIB;

/// LLT's timer, which is not published: assumed.
const UDP_TIMER: Nanos = 100 * MILLISECOND;

/// The links, in the order of the scenario.
///
/// # Errors
/// A host that is not known, a link from a host to itself, a link of no known round trip, and
/// figures out of range.
pub(super) fn resolve(
    links: &IndexMap<String, Link>,
    hosts: (&HostNames, &[Host<'_>]),
    zones: &Zones,
) -> Result<Vec<LinkSpec>, Invalid> {
    let links = links.iter().map(|(name, link)| {
        let path = format!("links.{name}");
        one(name, &path, link, hosts, zones)
    });
    links.collect()
}

fn one(
    name: &str,
    path: &str,
    link: &Link,
    (hosts, built): (&HostNames, &[Host<'_>]),
    zones: &Zones,
) -> Result<LinkSpec, Invalid> {
    let at = |field: &str, message: String| Err(Invalid::new(format!("{path}.{field}"), message));
    let [first, second] = &link.between;
    let ends = [
        hosts.find(&format!("{path}.between"), first)?,
        hosts.find(&format!("{path}.between"), second)?,
    ];
    if ends[0] == ends[1] {
        return at("between", format!("`{first}` twice; expected two hosts"));
    }
    let (mtu, count) = (link.mtu.get(), link.count.get());
    if !(LEAST_MTU..=65_535).contains(&mtu) {
        let message = format!("`{mtu}` is no MTU; expected {LEAST_MTU} to 65535");
        return at("mtu", message);
    }
    if count > LinkSpec::MOST {
        let most = LinkSpec::MOST;
        return at(
            "count",
            format!("`{count}` are too many; expected at most {most}"),
        );
    }
    let headers = match link.transport {
        // IPv4 20, TCP 20 with 12 of timestamps; IPv4 20, UDP 8.
        Transport::Tcp => 52,
        Transport::Udp => 28,
    };
    let delay = delays(path, link, ends, zones)?;
    if let Some(none) = link.retransmit_after.filter(|it| it.nanos() == 0) {
        let message = format!("`{none}`; expected a time above 0");
        return at("retransmit_after", message);
    }
    Ok(LinkSpec {
        name: name.to_owned(),
        ends,
        delay,
        jitter: link.jitter.nanos(),
        loss: loss(path, link, delay)?,
        overhead: link.overhead.nanos(),
        bandwidth: bandwidth(path, link, ends, built)?,
        count,
        payload: u64::from(mtu) - headers,
        headers: headers + ETHERNET,
        socket_buffer: match (link.socket_buffer, link.high_water) {
            (Some(size), _) => Some(size.bytes()),
            (None, Some(_)) => None,
            (None, None) => Some(SOCKET_BUFFER),
        },
        flow_control: flow_control(path, link)?,
        processor: processor(link),
        retry: match link.transport {
            Transport::Tcp => Some(retransmit_after(link, delay)),
            Transport::Udp => None,
        },
        timeout: link.timeout.nanos(),
        contact: match link.transport {
            Transport::Tcp => Contact::Answered,
            Transport::Udp => Contact::Heard,
        },
    })
}

/// What a physical link carries: what is stated, and no more than either host's network.
fn bandwidth(
    path: &str,
    link: &Link,
    ends: [usize; 2],
    hosts: &[Host<'_>],
) -> Result<u64, Invalid> {
    let of_hosts = ends.iter().filter_map(|&end| hosts[end].spec.network).min();
    let stated = link.bandwidth.map(Bandwidth::bits_per_s);
    let least = stated.into_iter().chain(of_hosts).min();
    least.ok_or_else(|| {
        let message = "missing, and no host says what its network carries; expected a bandwidth \
                       as in `1Gbit/s`";
        Invalid::new(format!("{path}.bandwidth"), message)
    })
}

/// How long a packet travels in each direction: half the round trip that is measured from there.
fn delays(
    path: &str,
    link: &Link,
    [a, b]: [usize; 2],
    zones: &Zones,
) -> Result<[Nanos; 2], Invalid> {
    let of_zones = |from: usize, to: usize| {
        let (from, to) = (zones.of_hosts[from]?, zones.of_hosts[to]?);
        zones.round_trips[from][to]
    };
    let stated = link.round_trip.map(Duration::nanos);
    let both = [of_zones(a, b), of_zones(b, a)].map(|zones| stated.or(zones));
    match both {
        [Some(there), Some(back)] => Ok([there / 2, back / 2]),
        _ => Err(Invalid::new(
            format!("{path}.round_trip"),
            "missing, and `zones` do not say it of these hosts; expected a time as in `0.25ms`",
        )),
    }
}

/// What is lost of a `link` of which packets travel so long, when so many of a million are.
pub(in crate::resolve) fn losing(link: &Link, per_million: u64, delay: [Nanos; 2]) -> LossSpec {
    LossSpec {
        per_million: per_million as u32,
        recovery: match link.transport {
            Transport::Tcp => Recovery::Rack,
            Transport::Udp => Recovery::Timeout,
        },
        retransmit_after: retransmit_after(link, delay),
    }
}

/// After how long a packet is sent again at first, on a `link` where packets travel so long.
fn retransmit_after(link: &Link, delay: [Nanos; 2]) -> Nanos {
    let default = match link.transport {
        Transport::Tcp => TCP_TIMER + delay[0] + delay[1] + link.overhead.nanos(),
        Transport::Udp => UDP_TIMER,
    };
    link.retransmit_after.map_or(default, Duration::nanos)
}

fn loss(path: &str, link: &Link, delay: [Nanos; 2]) -> Result<Option<LossSpec>, Invalid> {
    let per_million = link.loss.map_or(0, |loss| loss.per_million());
    if per_million == 0 {
        return match link.retransmit_after {
            // LLT's timer is for lost packets alone.
            Some(after) if link.transport == Transport::Udp => Err(Invalid::new(
                format!("{path}.retransmit_after"),
                format!("`{after}` without a `loss`; expected both or none over UDP"),
            )),
            _ => Ok(None),
        };
    }
    Ok(Some(losing(link, per_million, delay)))
}

fn flow_control(path: &str, link: &Link) -> Result<Option<FlowControl>, Invalid> {
    let until = match link.queued_until {
        schema::QueuedUntil::Acknowledged => QueuedUntil::Acknowledged,
        schema::QueuedUntil::Answered => QueuedUntil::Answered,
    };
    let Some(high) = link.high_water else {
        return match link.low_water {
            None => Ok(None),
            Some(low) => Err(Invalid::new(
                format!("{path}.low_water"),
                format!("`{low}` without a `high_water`; expected both or none"),
            )),
        };
    };
    let (high, low) = (high.get(), link.low_water.unwrap_or(high.get() / 2));
    if low > high {
        let message = format!("`{low}` is above the `high_water` of {high}; expected less");
        return Err(Invalid::new(format!("{path}.low_water"), message));
    }
    Ok(Some(FlowControl { high, low, until }))
}

fn processor(link: &Link) -> ProcessorCost {
    let cost = link
        .cpu
        .map_or_else(ProcessorCost::default, |cpu| ProcessorCost {
            per_packet: cpu.per_packet.nanos(),
            per_kib: cpu.per_kib.nanos(),
        });
    match link.transport {
        Transport::Udp => cost,
        Transport::Tcp => ProcessorCost {
            per_packet: cost.per_packet * 115 / 100,
            per_kib: cost.per_kib * 115 / 100,
        },
    }
}
