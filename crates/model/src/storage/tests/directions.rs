//! Limits for reads, for writes and for both, next to each other: against the
//! obvious buckets, filled and emptied nanosecond by nanosecond.

use alloc::collections::VecDeque;

use super::*;

const NS: u64 = 1_000_000_000;

/// The obvious bucket, in tokens x 10^-9: a nanosecond brings `rate` of them.
struct Bucket {
    spec: LimitSpec,
    level: i128,
}

impl Bucket {
    fn new(spec: &LimitSpec) -> Self {
        let level = i128::from(spec.level) * i128::from(NS);
        Self {
            spec: spec.clone(),
            level,
        }
    }

    fn fill(&mut self) {
        let full = i128::from(self.spec.depth) * i128::from(NS);
        self.level = full.min(self.level + i128::from(self.spec.rate));
    }

    fn cost(&self, request: &Request) -> i128 {
        let takes = match self.spec.applies {
            Applies::Both => true,
            Applies::Reads => request.op == Op::Read,
            Applies::Writes => request.op == Op::Write,
        };
        let tokens = match self.spec.unit {
            _ if !takes => 0,
            Unit::Io => 1,
            Unit::Byte => request.len,
        };
        i128::from(tokens) * i128::from(NS)
    }

    fn conforms(&self, request: &Request) -> bool {
        let full = i128::from(self.spec.depth) * i128::from(NS);
        let cost = self.cost(request);
        cost == 0 || self.level >= cost.min(full)
    }
}

/// Requests in line, and the limits that the first of them waits for.
struct Line {
    buckets: Vec<Bucket>,
    waiting: VecDeque<(u32, Request)>,
}

impl Line {
    fn new<'a>(limits: impl Iterator<Item = &'a LimitSpec>) -> Self {
        Self {
            buckets: limits.map(Bucket::new).collect(),
            waiting: VecDeque::new(),
        }
    }

    /// Lets through what conforms now, in the order of arrival.
    fn pass(&mut self, through: &mut impl FnMut(u32, Request)) {
        while let Some((ticket, request)) = self.waiting.front().copied() {
            if !self.buckets.iter().all(|bucket| bucket.conforms(&request)) {
                return;
            }
            for bucket in &mut self.buckets {
                bucket.level -= bucket.cost(&request);
            }
            self.waiting.pop_front();
            through(ticket, request);
        }
    }
}

/// When each request is granted by a host and then by its volume.
fn grants(
    host: &[LimitSpec],
    limits: &[LimitSpec],
    requests: &[(Nanos, Request)],
) -> BTreeMap<u32, Nanos> {
    let apart = !limits.is_empty() && limits.iter().all(|l| l.applies != Applies::Both);
    let of = |applies| {
        limits
            .iter()
            .filter(move |l| !apart || l.applies == applies)
    };
    let mut host = Line::new(host.iter());
    let mut lines = [
        Line::new(of(Applies::Reads)),
        Line::new(of(Applies::Writes)),
    ];
    let line = |request: &Request| usize::from(apart && request.op == Op::Write);
    let mut granted = BTreeMap::new();
    let mut arriving: VecDeque<_> = (0..).zip(requests).collect();
    for now in 0.. {
        while let Some(&(ticket, &(_, request))) = arriving.front().filter(|next| next.1.0 == now) {
            arriving.pop_front();
            host.waiting.push_back((ticket, request));
        }
        host.pass(&mut |ticket, request| {
            lines[line(&request)].waiting.push_back((ticket, request))
        });
        for line in &mut lines {
            line.pass(&mut |ticket, _| assert!(granted.insert(ticket, now).is_none()));
        }
        if granted.len() == requests.len() {
            break;
        }
        let all = host
            .buckets
            .iter_mut()
            .chain(lines.iter_mut().flat_map(|l| &mut l.buckets));
        all.for_each(Bucket::fill);
    }
    granted
}

/// Up to three limits of any kind, of some tokens a microsecond.
fn limits() -> impl Strategy<Value = Vec<LimitSpec>> {
    let one = (direction(), any::<bool>(), 20_u64..900, 1_u64..6).prop_map(
        |(applies, io, per_us, depth)| {
            let unit = if io { Unit::Io } else { Unit::Byte };
            LimitSpec {
                applies,
                ..limit("limit", unit, per_us * 1_000_000, depth)
            }
        },
    );
    prop::collection::vec(one, 0..4)
}

/// Reads and writes of a few bytes, none of which continues another.
fn reads_and_writes() -> impl Strategy<Value = Vec<(Nanos, Request)>> {
    let one = (0_u64..30, any::<bool>(), 1_u64..9);
    prop::collection::vec(one, 1..30).prop_map(|drawn| {
        let mut now = 0;
        let drawn = (0_u64..).zip(drawn);
        drawn
            .map(|(place, (gap, read, len))| {
                now += gap.saturating_sub(15);
                let op = if read { Op::Read } else { Op::Write };
                (now, request(op, place * 512 * KIB, len))
            })
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]
    #[test]
    fn each_limit_holds_those_that_it_applies_to(
        host in limits(), limits in limits(), requests in reads_and_writes(),
    ) {
        let mut spec = one(limits.clone(), flat(0));
        spec.host_limits.clone_from(&host);
        let expected = grants(&host, &limits, &requests);
        for mode in [Mode::Reserved, Mode::Stepwise] {
            let replies = replies(&spec, mode, &requests);
            let at: BTreeMap<_, _> = replies.iter().map(|(ticket, reply)| (*ticket, reply.at)).collect();
            prop_assert_eq!(&at, &expected, "{:?}", mode);
        }
    }
}

/// When the last of `count` requests is done, all asked for at the start.
fn done_ms(spec: &StorageSpec, op: Op, count: u64) -> Nanos {
    let requests = (0..count).map(|place| (0, request(op, place * 1024 * KIB, 4 * KIB)));
    let replies = replies(spec, Mode::Reserved, &requests.collect::<Vec<_>>());
    replies.values().map(|reply| reply.at).max().unwrap_or(0) / MILLISECOND
}

#[test]
fn a_limit_for_both_holds_beside_one_for_reads() {
    let reads = LimitSpec {
        applies: Applies::Reads,
        ..limit("read throughput", Unit::Byte, 1 << 40, 1 << 30)
    };
    let spec = one(vec![limit("iops", Unit::Io, 100, 1), reads], flat(0));
    assert_eq!(done_ms(&spec, Op::Read, 1000), 9_990);
    assert_eq!(done_ms(&spec, Op::Write, 1000), 9_990);
}

#[test]
fn a_hosts_limit_on_reads_holds_no_writes() {
    let reads = LimitSpec {
        applies: Applies::Reads,
        ..limit("read iops", Unit::Io, 100, 1)
    };
    let spec = StorageSpec {
        host_limits: vec![reads],
        ..one(vec![], flat(0))
    };
    assert_eq!(done_ms(&spec, Op::Write, 1000), 0);
    assert_eq!(done_ms(&spec, Op::Read, 1000), 9_990);
}
