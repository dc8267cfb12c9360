//! Reads a requirement, and checks what no single field can show.

use blockyard_catalog::{Catalog, Term};
use blockyard_model::units::{Bytes, GIB, KIB, MIB};
use blockyard_text::tree::{Node, from_node, parse};
use blockyard_text::units::{Duration, Size};
use blockyard_text::{Error, hint};
use indexmap::IndexMap;

use crate::demand::{Course, Peak, Stream};
use crate::requirement::{Availability, Durability, Flow, JournalFlow, Requirement};
use crate::uncertain::{Iops, Uncertain};
use crate::volumes::Steps;
use crate::wanted::{Choice, Journal, LatencyGoal, Of, Wanted};

/// A requirement that holds together.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// As it is written.
    pub requirement: Requirement,
    /// What may be chosen.
    pub choice: Choice,
    /// Whose prices are meant.
    pub region: String,
    /// Whether the region was not stated.
    pub region_assumed: bool,
    /// How instances are paid for.
    pub term: Term,
}

/// The quantiles that goals may name.
const QUANTILES: [(&str, f64); 4] = [("p50", 0.5), ("p95", 0.95), ("p99", 0.99), ("p99_9", 0.999)];

/// The most bytes a second of a flow, and the largest IO: products stay within 64 bits.
const MOST_BYTES_PER_S: u64 = 1 << 50;
const LARGEST_IO: Bytes = 64 * MIB;

/// Reads a requirement: the file's text, then each `path=value` of `sets`; the last wins.
/// `file_name` is what errors call it.
///
/// # Errors
/// The first fault of the text, a set or a field, and what contradicts something else, with its
/// place.
pub fn load(text: &str, file_name: &str, sets: &[String]) -> Result<Loaded, Error> {
    let mut source = parse(text, file_name)?;
    for set in sets {
        source.set(set)?;
    }
    let requirement: Requirement = from_node(&source)?;
    let catalog = Catalog::get()?;
    check(requirement, catalog).map_err(|(path, message)| placed(&source, &path, &message))
}

fn placed(source: &Node, path: &str, message: &str) -> Error {
    Error::new(source.locate(path), path, message)
}

type Wrong = (String, String);

fn wrong<T>(path: &str, message: impl std::fmt::Display) -> Result<T, Wrong> {
    Err((path.to_owned(), message.to_string()))
}

fn check(requirement: Requirement, catalog: &Catalog) -> Result<Loaded, Wrong> {
    let it = &requirement;
    let flows = [("reads", &it.reads), ("writes", &it.writes)];
    if flows.iter().all(|(_, flow)| flow.is_none()) && it.journal.is_none() {
        return wrong("", "no load; expected `reads`, `writes` or `journal`");
    }
    for (name, flow) in flows {
        if let Some(flow) = flow {
            check_flow(name, (flow.iops, flow.throughput, flow.io_size))?;
        }
    }
    if let Some(journal) = &it.journal {
        check_flow(
            "journal",
            (journal.iops, journal.throughput, journal.io_size),
        )?;
    }
    check_times(it)?;
    check_goals(it)?;
    if it.headroom.permille() > 900 {
        return wrong(
            "headroom",
            format!("{} is too much; expected at most 90%", it.headroom),
        );
    }
    for (name, _) in &it.quotas {
        let known = catalog.volume_type(name);
        known.or_else(|unknown| wrong(&format!("quotas.{name}"), unknown))?;
    }
    if it.volumes.at_most == Some(0) {
        return wrong("volumes.at_most", "`0`; expected 1 or more");
    }
    for (place, name) in it.volumes.types.iter().enumerate() {
        let known = catalog.volume_type(name);
        known.or_else(|unknown| wrong(&format!("volumes.types.{place}"), unknown))?;
    }
    check_rounding(it)?;
    check_instance(it, catalog)?;
    let region = it.region.clone();
    let named = region
        .clone()
        .unwrap_or_else(|| catalog.default_region().to_owned());
    if let Err(unknown) = catalog.prices(&named, it.as_of) {
        return wrong("region", unknown);
    }
    let term = it
        .term
        .as_deref()
        .map_or(Ok(Term::default()), str::parse::<Term>);
    let term = term.or_else(|unknown| wrong("term", unknown))?;
    Ok(Loaded {
        choice: Choice {
            day: it.as_of,
            instance: it.instance.instance_type.clone(),
            architecture: it.instance.architecture.map(|it| it.name()),
            vcpu: it.instance.vcpu.unwrap_or(0),
            memory_mib: it.instance.memory.map_or(0, |it| it.bytes().div_ceil(MIB)),
            families: it.instance.families.clone(),
            volume_types: it.volumes.types.clone(),
            local: it.durability == Some(Durability::Ephemeral),
        },
        region: named,
        region_assumed: region.is_none(),
        term,
        requirement,
    })
}

type Rates = (
    Option<Uncertain<Iops>>,
    Option<Uncertain<blockyard_text::units::Throughput>>,
    Option<Size>,
);

fn check_flow(name: &str, (iops, throughput, io_size): Rates) -> Result<(), Wrong> {
    match (iops, throughput, io_size) {
        (None, None, _) => return wrong(name, "no rate; expected `iops` or `throughput`"),
        (Some(_), Some(_), Some(_)) => {
            let path = format!("{name}.io_size");
            return wrong(
                &path,
                "stands beside `iops` and `throughput`; expected two of the three",
            );
        }
        _ => {}
    }
    if let Some(size) = io_size
        && (!size.bytes().is_multiple_of(512) || size.bytes() > LARGEST_IO)
    {
        let message = format!("`{size}`; expected a multiple of 512B, at most 64MiB");
        return wrong(&format!("{name}.io_size"), message);
    }
    if let (Some(iops), Some(throughput)) = (iops, throughput) {
        let size = throughput.mid.bytes_per_s() / iops.mid.0;
        if !(512..=LARGEST_IO).contains(&size) {
            let message = format!(
                "{} for {} IOs a second are {size} bytes for each; expected 512B to 64MiB",
                throughput.mid, iops.mid
            );
            return wrong(&format!("{name}.throughput"), message);
        }
    }
    let most = iops
        .map_or(1, |it| it.high.0)
        .saturating_mul(io_size.map_or(1, Size::bytes));
    if most > MOST_BYTES_PER_S {
        return wrong(
            &format!("{name}.iops"),
            "more than a PiB a second; expected less",
        );
    }
    Ok(())
}

fn check_times(it: &Requirement) -> Result<(), Wrong> {
    if it.duration.is_some_and(|duration| duration.nanos() == 0) {
        return wrong("duration", "`0s`; expected a time above 0");
    }
    let Some(peak) = &it.peak else { return Ok(()) };
    let (lasts, every) = (peak.lasts, peak.every);
    if lasts.nanos() == 0 {
        return wrong("peak.for", "`0s`; expected a time above 0");
    }
    if lasts > every {
        let message = format!("{lasts} is longer than the {every} after which it comes back");
        return wrong("peak.for", message);
    }
    match it.duration {
        Some(duration) if lasts > duration => {
            let message = format!("{lasts} is longer than the load, which lasts {duration}");
            wrong("peak.for", message)
        }
        _ => Ok(()),
    }
}

fn check_goals(it: &Requirement) -> Result<(), Wrong> {
    let of = [
        ("read", &it.latency.read, it.reads.is_some(), "reads"),
        ("write", &it.latency.write, it.writes.is_some(), "writes"),
        (
            "journal",
            &it.latency.journal,
            it.journal.is_some(),
            "journal",
        ),
    ];
    for (name, goals, there, field) in of {
        if !goals.is_empty() && !there {
            return wrong(&format!("latency.{name}"), format!("there is no `{field}`"));
        }
        let mut last: Option<(&str, f64, Duration)> = None;
        for (quantile, goal) in goals {
            let path = format!("latency.{name}.{quantile}");
            let known = QUANTILES.iter().find(|(known, _)| known == quantile);
            let Some((quantile, at)) = known else {
                let hint = hint(quantile, QUANTILES.map(|(name, _)| name));
                return wrong(&path, format!("no such quantile{hint}"));
            };
            if goal.nanos() == 0 {
                return wrong(&path, "`0s`; expected a time above 0");
            }
            if let Some((before, lower, shorter)) = last
                && (*at > lower) != (*goal >= shorter)
            {
                let message = format!("{goal} contradicts {before} of {shorter}; expected rising");
                return wrong(&path, message);
            }
            last = Some((quantile, *at, *goal));
        }
    }
    Ok(())
}

fn check_rounding(it: &Requirement) -> Result<(), Wrong> {
    if it
        .round_to
        .size
        .is_some_and(|size| !size.bytes().is_multiple_of(GIB))
    {
        return wrong("round_to.size", "expected whole GiB");
    }
    if it.round_to.iops == Some(0) {
        return wrong("round_to.iops", "`0`; expected 1 or more");
    }
    Ok(())
}

fn check_instance(it: &Requirement, catalog: &Catalog) -> Result<(), Wrong> {
    let choice = &it.instance;
    for (place, family) in choice.families.iter().enumerate() {
        let mut all: Vec<&str> = catalog.instances().iter().map(|it| it.family()).collect();
        all.dedup();
        if !all.contains(&family.as_str()) {
            let message = format!("no family is called `{family}`{}", hint(family, all));
            return wrong(&format!("instance.families.{place}"), message);
        }
    }
    let Some(name) = &choice.instance_type else {
        return Ok(());
    };
    let instance = catalog.instance(name);
    let instance = instance.or_else(|unknown| wrong("instance.type", unknown))?;
    if let Some(built_for) = choice.architecture.map(|it| it.name())
        && built_for != instance.architecture()
    {
        let message = format!("`{built_for}`; `{name}` is {}", instance.architecture());
        return wrong("instance.architecture", message);
    }
    if choice.vcpu.is_some_and(|vcpu| vcpu > instance.vcpu()) {
        let message = format!("`{name}` has {}", instance.vcpu());
        return wrong("instance.vcpu", message);
    }
    if choice
        .memory
        .is_some_and(|memory| memory.bytes() > instance.memory_mib() * MIB)
    {
        let memory = Size::new(instance.memory_mib() * MIB);
        return wrong("instance.memory", format!("`{name}` has {memory}"));
    }
    if !choice.families.is_empty() && !choice.families.iter().any(|it| it == instance.family()) {
        return wrong("instance.families", format!("`{name}` is of none of them"));
    }
    Ok(())
}

impl Loaded {
    /// Whether any number is a range.
    #[must_use]
    pub fn is_uncertain(&self) -> bool {
        let mut uncertain = false;
        self.wanted(|_, range| {
            uncertain |= range.low != range.high;
            range.mid
        });
        uncertain
    }

    /// The requirement in plain numbers; `pick` chooses one of each range, which it is told by
    /// the field's path.
    pub fn wanted(&self, mut pick: impl FnMut(&str, Uncertain<u64>) -> u64) -> Wanted {
        let it = &self.requirement;
        let size = pick("size", map(it.size, Size::bytes));
        let flow = |name: &str, flow: &Flow, pick: &mut dyn FnMut(&str, Uncertain<u64>) -> u64| {
            let rates = (flow.iops, flow.throughput, flow.io_size);
            let (iops, io_size) = rate(name, rates, (8 * KIB, 256 * KIB), pick);
            let (write, sequential) = (name == "writes", flow.sequential.permille());
            Stream {
                write,
                iops,
                io_size,
                sequential,
            }
        };
        let mut data = Vec::new();
        for (name, one) in [("reads", &it.reads), ("writes", &it.writes)] {
            data.extend(one.iter().map(|one| flow(name, one, &mut pick)));
        }
        let goals = [
            (Of::Read, &it.latency.read),
            (Of::Write, &it.latency.write),
            (Of::Journal, &it.latency.journal),
        ];
        Wanted {
            size,
            data,
            journal: it.journal.as_ref().map(|it| journal(it, &mut pick)),
            course: Course {
                lasts: it.duration.map(Duration::nanos),
                peak: it.peak.as_ref().map(|peak| Peak {
                    times: peak.times.permille(),
                    lasts: peak.lasts.nanos(),
                    every: peak.every.nanos(),
                }),
            },
            latency: goals
                .into_iter()
                .flat_map(|(of, goals)| latency(of, goals))
                .collect(),
            failures: it.durability.and_then(Durability::losses),
            mirrored: it.availability == Availability::Mirror,
            headroom: it.headroom.permille(),
            quotas: it.quotas.clone(),
            at_most: it.volumes.at_most,
            steps: self.steps(),
        }
    }

    fn steps(&self) -> Steps {
        let (round, usual) = (&self.requirement.round_to, Steps::default());
        Steps {
            size: round.size.map_or(usual.size, Size::bytes),
            iops: round.iops.unwrap_or(usual.iops),
            throughput: round
                .throughput
                .map_or(usual.throughput, |it| it.bytes_per_s()),
        }
    }
}

fn latency(of: Of, goals: &IndexMap<String, Duration>) -> Vec<LatencyGoal> {
    let known = |name: &str| QUANTILES.into_iter().find(|(known, _)| *known == name);
    let goals = goals.iter().filter_map(|(name, most)| {
        let (quantile, at) = known(name)?;
        Some(LatencyGoal {
            of,
            quantile,
            at,
            most: most.nanos(),
        })
    });
    goals.collect()
}

fn journal(it: &JournalFlow, pick: &mut dyn FnMut(&str, Uncertain<u64>) -> u64) -> Journal {
    let rates = (it.iops, it.throughput, it.io_size);
    let (iops, io_size) = rate("journal", rates, (16 * KIB, 64 * KIB), pick);
    Journal {
        size: it.size.bytes(),
        stream: Stream {
            write: true,
            iops,
            io_size,
            sequential: 1000,
        },
        apart: it.apart,
    }
}

/// IOs a second and their size, of two of the three that say both.
fn rate(
    name: &str,
    (iops, throughput, io_size): Rates,
    (beside_iops, beside_throughput): (Bytes, Bytes),
    pick: &mut dyn FnMut(&str, Uncertain<u64>) -> u64,
) -> (u64, Bytes) {
    let iops = iops.map(|it| map(it, |iops| iops.0));
    let throughput = throughput.map(|it| map(it, |rate| rate.bytes_per_s()));
    match (iops, throughput) {
        (Some(iops), None) => {
            let size = io_size.map_or(beside_iops, Size::bytes);
            (pick(&format!("{name}.iops"), iops), size)
        }
        (None, Some(bytes)) => {
            let size = io_size.map_or(beside_throughput, Size::bytes);
            (
                pick(&format!("{name}.throughput"), bytes)
                    .div_ceil(size)
                    .max(1),
                size,
            )
        }
        (Some(iops), Some(bytes)) => {
            // The size of the likeliest values: one cannot be had without the other.
            let size = bytes.mid.div_ceil(iops.mid).next_multiple_of(512);
            (pick(&format!("{name}.iops"), iops), size)
        }
        // `check` refuses a flow without a rate.
        (None, None) => (1, beside_iops),
    }
}

fn map<T: Copy, U>(it: Uncertain<T>, f: impl Fn(T) -> U) -> Uncertain<U> {
    Uncertain {
        low: f(it.low),
        mid: f(it.mid),
        high: f(it.high),
    }
}
