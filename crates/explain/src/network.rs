//! What the messages of mirrors waited for on links, as a share of the latency of their IO.

use blockyard_record::result::{LinkTotal, MirrorTotal, RunResult, Total};
use serde::Serialize;

use crate::waits::{FELT, latency_s};

/// What messages wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkCause {
    /// Room in the socket's buffer.
    SocketBuffer,
    /// Flow control to let the sender go on.
    FlowControl,
    /// A processor that is busy with other packets.
    Processor,
    /// Other packets to be sent.
    Bandwidth,
    /// The link to return.
    Down,
    /// Lost packets to be sent again.
    Loss,
}

/// What one direction of a link kept messages waiting for.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LinkHold {
    /// The link.
    pub link: String,
    /// The host that sent.
    pub from_host: String,
    /// What for.
    pub cause: LinkCause,
    /// Of the latency of all IO to mirrors, at most 1.
    pub waited: f64,
}

/// From this utilisation on a link's wires, or a host's processor, are full: what waits before
/// them waits for them.
const FULL: f64 = 0.95;

/// Whether IO of a total goes over a link of a mirror: its writes do, and reads where the far
/// leg serves any.
pub(crate) fn crosses_link(result: &RunResult, total: &Total) -> bool {
    let mut mirrors = result.mirrors.iter();
    let far_reads = |mirror: &MirrorTotal| mirror.reads.get(1).is_some_and(|&reads| reads > 0);
    mirrors.any(|it| it.device == total.device && (total.op != "read" || far_reads(it)))
}

/// What was waited for long enough to be felt, the longest first.
///
/// What links count has the warm-up in it, and what latencies are summed of has not, so that
/// both are taken for a second of the run.
pub(crate) fn link_holds(result: &RunResult, warmup_s: f64) -> Vec<LinkHold> {
    let mirrored = |device: &str| result.mirrors.iter().any(|mirror| mirror.device == device);
    let of_mirrors = result.totals.iter().filter(|total| mirrored(&total.device));
    let whole = latency_s(of_mirrors) / (result.duration_s - warmup_s);
    if whole <= 0.0 || !whole.is_finite() {
        return Vec::new();
    }
    let hold = |link: &LinkTotal, cause, seconds: f64| LinkHold {
        link: link.name.clone(),
        from_host: link.from_host.clone(),
        cause,
        waited: (seconds / result.duration_s / whole).min(1.0),
    };
    let is_full = |host: &str| {
        let mut hosts = result.packet_cpu.iter();
        hosts.any(|one| one.host == host && one.utilisation >= FULL)
    };
    let mut found: Vec<_> = result
        .links
        .iter()
        .flat_map(|link| {
            let waited = &link.waited_s;
            // A larger buffer would only hold more that waits for what is full.
            let wires = link.utilisation >= FULL;
            let processor = !wires && (is_full(&link.from_host) || is_full(&link.to_host));
            let counted = |does: bool, seconds: f64| if does { seconds } else { 0.0 };
            let buffered = waited.socket_buffer + waited.flow_control;
            let own = |seconds: f64| counted(!wires && !processor, seconds);
            [
                hold(link, LinkCause::SocketBuffer, own(waited.socket_buffer)),
                hold(link, LinkCause::FlowControl, own(waited.flow_control)),
                hold(
                    link,
                    LinkCause::Processor,
                    waited.processor + counted(processor, buffered),
                ),
                hold(
                    link,
                    LinkCause::Bandwidth,
                    waited.bandwidth + counted(wires, buffered),
                ),
                hold(link, LinkCause::Down, waited.down),
                hold(link, LinkCause::Loss, waited.loss),
            ]
        })
        .filter(|hold| hold.waited >= FELT)
        .collect();
    found.sort_by(|a, b| b.waited.total_cmp(&a.waited));
    found
}

#[cfg(test)]
mod tests {
    use blockyard_record::result::{LinkWaits, PacketCpu};

    use super::*;
    use crate::testing::{mirror, result, total};

    #[test]
    fn what_is_waited_for_is_a_share_of_the_latency_of_mirrored_io() {
        let mut run = result();
        run.duration_s = 20.0;
        run.totals = vec![
            total("load", "data", "write", 1000, 10_000.0),
            total("other", "log", "write", 1000, 90_000.0),
        ];
        run.mirrors = vec![mirror("data")];
        run.links = vec![LinkTotal {
            name: "llt".to_owned(),
            from_host: "a".to_owned(),
            to_host: "b".to_owned(),
            messages: 1000,
            packets: 1000,
            retransmitted: 0,
            bytes: 0,
            utilisation: 0.1,
            waited_s: LinkWaits {
                socket_buffer: 10.0,
                flow_control: 0.1,
                processor: 0.0,
                bandwidth: 2.0,
                down: 0.0,
                loss: 0.0,
            },
            most_unacknowledged: 0,
            most_queued: 0,
        }];
        // 10 s of latency in the 10 s that count, and 10 s of waiting in all 20.
        let found = link_holds(&run, 10.0);
        let causes: Vec<_> = found.iter().map(|hold| (hold.cause, hold.waited)).collect();
        assert_eq!(
            causes,
            [(LinkCause::SocketBuffer, 0.5), (LinkCause::Bandwidth, 0.1)]
        );
        run.links[0].utilisation = 0.99;
        let full = link_holds(&run, 10.0);
        assert_eq!(full.len(), 1);
        assert_eq!(full[0].cause, LinkCause::Bandwidth);
        run.links[0].utilisation = 0.1;
        run.packet_cpu = vec![PacketCpu {
            host: "b".to_owned(),
            busy_s: 20.0,
            utilisation: 1.0,
            cores: None,
            share: None,
        }];
        let busy = link_holds(&run, 10.0);
        assert_eq!(
            (busy[0].cause, busy.len()),
            (LinkCause::Processor, 2),
            "a larger buffer would only hold more that waits for the processor"
        );
        run.mirrors.clear();
        assert_eq!(link_holds(&run, 10.0), []);
    }
}
