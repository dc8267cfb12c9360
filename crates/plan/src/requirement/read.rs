//! Reads a requirement, and takes plain numbers of it.

use std::sync::{Arc, OnceLock};

use blockyard_catalog::{Catalog, Term};
use blockyard_model::units::{Bytes, GIB, KIB};
use blockyard_scenario::demand::put_text;
use blockyard_scenario::schema::Scenario;
use blockyard_text::Error;
use blockyard_text::tree::{Node, from_node, parse};
use blockyard_text::units::{Duration, Size, Throughput};
use indexmap::IndexMap;

use crate::load::demand::Demand;
use crate::load::hottest::{Placement, SkewedFile};
use crate::load::profile::{LoadProfile, Peak};
use crate::load::streams::Stream;
use crate::requirement::check::check;
use crate::requirement::copies::Copies;
use crate::requirement::durability::Durability;
use crate::requirement::growth::Horizon;
use crate::requirement::needs::{Choice, Growing, Journal, LatencyGoal, Needs, Of};
use crate::requirement::preferences::Preferences;
use crate::requirement::range::{Iops, Uncertain};
use crate::requirement::schema::{Flow, JournalFlow, Requirement};
use crate::search::volumes::Steps;

/// A requirement that holds together.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// As it is written.
    pub requirement: Requirement,
    /// What may be chosen.
    pub choice: Choice,
    /// What the requirement prefers, and what holds where it does not say.
    pub preferences: Preferences,
    /// Whose prices are meant.
    pub region: String,
    /// Whether the region was not stated.
    pub region_assumed: bool,
    /// How instances are paid for.
    pub term: Term,
    /// The load by interval; none if it is `reads` and `writes`.
    pub(crate) demand: Option<Arc<Demand>>,
    /// Where skewed files lie, once it was asked for.
    pub(crate) placed: OnceLock<Option<Arc<Placement>>>,
}

/// Reads a requirement: the file's text, then each `path=value` of `sets`; the last wins.
/// `file_name` is what errors call it.
///
/// # Errors
/// The first fault of the text, a set or a field, and what contradicts something else, with its
/// place.
pub fn load(text: &str, file_name: &str, sets: &[String]) -> Result<Loaded, Error> {
    load_with(text, file_name, None, sets)
}

/// The same with a `base`, text and name, whose keys stand for those that the text does not have.
///
/// # Errors
/// As [`load`].
pub fn load_with(
    text: &str,
    file_name: &str,
    base: Option<(&str, &str)>,
    sets: &[String],
) -> Result<Loaded, Error> {
    let mut source = parse(text, file_name)?;
    if let Some((text, name)) = base {
        source.complete_from(parse(text, name)?);
    }
    for set in sets {
        source.set(set)?;
    }
    let mut requirement: Requirement = from_node(&source)?;
    let demand = requirement.demand.as_deref().unwrap_or_default();
    if put_text(&mut source, "demand", demand)? {
        requirement = from_node(&source)?;
    }
    let catalog = Catalog::get()?;
    check(requirement, catalog).map_err(|(path, message)| placed(&source, &path, &message))
}

impl Loaded {
    /// The same without the preferences that the requirement does not state.
    ///
    /// # Errors
    /// None: the catalog was read before.
    pub fn without_preferences(&self) -> Result<Self, Error> {
        let preferences = Preferences::of(&self.requirement, Catalog::get()?, false);
        let mut bare = self.clone();
        bare.choice.avoided = preferences.avoided;
        bare.preferences = preferences;
        Ok(bare)
    }

    /// Asks for an instance no smaller than that of a `scenario`, as far as the requirement does
    /// not say how large it is to be: gives its type, virtual processors and MiB of memory.
    pub fn keep_instance(&mut self, scenario: &Scenario) -> Option<(String, u64, u64)> {
        let name = &scenario.host.as_ref()?.instance;
        let has = Catalog::get().ok()?.instance(name).ok()?;
        let choice = &mut self.choice;
        if choice.instance.is_some() || (choice.vcpu > 0 && choice.memory_mib > 0) {
            return None;
        }
        if choice.vcpu == 0 {
            choice.vcpu = has.vcpu();
        }
        if choice.memory_mib == 0 {
            choice.memory_mib = has.memory_mib();
        }
        Some((name.clone(), choice.vcpu, choice.memory_mib))
    }
}

fn placed(source: &Node, path: &str, message: &str) -> Error {
    Error::new(source.locate(path), path, message)
}

/// What is smaller counts as that: no volume is smaller, and any IO goes into it.
const LEAST: Bytes = GIB;

/// The quantiles that goals may name.
pub(crate) const QUANTILES: [(&str, f64); 4] =
    [("p50", 0.5), ("p95", 0.95), ("p99", 0.99), ("p99_9", 0.999)];

/// IOs a second, bytes a second and bytes of an IO, as far as they are stated.
#[derive(Clone, Copy)]
pub(crate) struct Rates {
    pub(crate) iops: Option<Uncertain<Iops>>,
    pub(crate) throughput: Option<Uncertain<Throughput>>,
    pub(crate) io_size: Option<Size>,
}

impl Flow {
    pub(crate) fn rates(&self) -> Rates {
        Rates {
            iops: self.iops,
            throughput: self.throughput,
            io_size: self.io_size,
        }
    }
}

impl JournalFlow {
    pub(crate) fn rates(&self) -> Rates {
        Rates {
            iops: self.iops,
            throughput: self.throughput,
            io_size: self.io_size,
        }
    }
}

/// The size of an IO where none is stated: beside IOs a second, and beside bytes a second.
#[derive(Clone, Copy)]
struct UsualIoSize {
    beside_iops: Bytes,
    beside_throughput: Bytes,
}

const USUAL_OF_DATA: UsualIoSize = UsualIoSize {
    beside_iops: 8 * KIB,
    beside_throughput: 256 * KIB,
};

const USUAL_OF_JOURNAL: UsualIoSize = UsualIoSize {
    beside_iops: 16 * KIB,
    beside_throughput: 64 * KIB,
};

impl Loaded {
    /// Whether any number is a range.
    #[must_use]
    pub fn is_uncertain(&self) -> bool {
        let mut uncertain = false;
        self.needs(|_, range| {
            uncertain |= range.low != range.high;
            range.mid
        });
        uncertain
    }

    /// The requirement in plain numbers; `pick` chooses one of each range and gets
    /// the field's path.
    pub fn needs(&self, mut pick: impl FnMut(&str, Uncertain<u64>) -> u64) -> Needs {
        let it = &self.requirement;
        let today = pick("size", map(it.size, Size::bytes)).max(LEAST);
        let growing = it.growth.map(|growth| Growing {
            today,
            growth,
            horizon: it.horizon.unwrap_or(Horizon::YEAR),
        });
        let size = growing.map_or(today, |it| it.growth.of(today, it.horizon));
        let preferences = &self.preferences;
        let flow = |name: &str, flow: &Flow, pick: &mut dyn FnMut(&str, Uncertain<u64>) -> u64| {
            let (iops, io_size) = rate(name, flow.rates(), USUAL_OF_DATA, pick);
            let (write, sequential) = (name == "writes", flow.sequential.permille());
            Stream {
                write,
                iops,
                io_size,
                sequential,
                skew: flow.skew.and_then(|it| it.resolve(name).ok()),
            }
        };
        let mut data = Vec::new();
        for (name, one) in [("reads", &it.reads), ("writes", &it.writes)] {
            data.extend(one.iter().map(|one| flow(name, one, &mut pick)));
        }
        let busiest = self.demand.iter().flat_map(|demand| demand.busiest());
        data.extend(busiest);
        let goals = [
            (Of::Read, &it.latency.read),
            (Of::Write, &it.latency.write),
            (Of::Journal, &it.latency.journal),
        ];
        Needs {
            size,
            growing,
            free_space: preferences.free_space,
            data,
            journal: it.journal.as_ref().map(|it| journal(it, &mut pick)),
            load_profile: LoadProfile {
                lasts: it.duration.map(Duration::nanos),
                peak: it.peak.as_ref().map(|peak| Peak {
                    times: peak.times.permille(),
                    lasts: peak.lasts.nanos(),
                    every: peak.every.nanos(),
                }),
                demand: self.demand.clone(),
            },
            latency: goals
                .into_iter()
                .flat_map(|(of, goals)| latency(of, goals))
                .collect(),
            failures: it.durability.and_then(Durability::losses),
            copies: Copies::of(it),
            headroom: preferences.headroom,
            quotas: preferences.quotas.clone(),
            at_most: preferences.at_most,
            spare_attachments: preferences.spare_attachments,
            steps: self.steps(),
            probability: it.probability.permille(),
            placement: self.placement(),
        }
    }

    /// Where skewed files lie at their likeliest sizes: other sizes change next to nothing.
    fn placement(&self) -> Option<Arc<Placement>> {
        let it = &self.requirement;
        let of = || {
            let files = it.reads.iter().count() + it.writes.iter().count();
            let size = it.size.mid.bytes().max(LEAST) / files.max(1) as u64;
            let first = u16::from(it.journal.is_some());
            let file = |name: &str, flow: &Option<Flow>, job: u16| {
                let flow = flow.as_ref()?;
                let skew = flow.skew?.resolve(name).ok()?;
                let (_, io_size) = rate(name, flow.rates(), USUAL_OF_DATA, &mut |_, it| it.mid);
                Some(SkewedFile {
                    skew,
                    io_size,
                    size,
                    job,
                })
            };
            let reads = file("reads", &it.reads, first);
            let writes = file("writes", &it.writes, first + u16::from(it.reads.is_some()));
            Placement::of(reads, writes, it.probability.permille()).map(Arc::new)
        };
        self.placed.get_or_init(of).clone()
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
    let (iops, io_size) = rate("journal", it.rates(), USUAL_OF_JOURNAL, pick);
    Journal {
        size: it.size.bytes().max(LEAST),
        stream: Stream {
            write: true,
            iops,
            io_size,
            sequential: 1000,
            skew: None,
        },
        apart: it.apart,
    }
}

/// IOs a second and their size, of two of the three that say both.
fn rate(
    name: &str,
    rates: Rates,
    usual: UsualIoSize,
    pick: &mut dyn FnMut(&str, Uncertain<u64>) -> u64,
) -> (u64, Bytes) {
    let io_size = rates.io_size;
    let iops = rates.iops.map(|it| map(it, |iops| iops.0));
    let throughput = rates
        .throughput
        .map(|it| map(it, |rate| rate.bytes_per_s()));
    match (iops, throughput) {
        (Some(iops), None) => {
            let size = io_size.map_or(usual.beside_iops, Size::bytes);
            (pick(&format!("{name}.iops"), iops), size)
        }
        (None, Some(bytes)) => {
            let size = io_size.map_or(usual.beside_throughput, Size::bytes);
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
        (None, None) => (1, usual.beside_iops),
    }
}

fn map<T: Copy, U>(it: Uncertain<T>, f: impl Fn(T) -> U) -> Uncertain<U> {
    Uncertain {
        low: f(it.low),
        mid: f(it.mid),
        high: f(it.high),
    }
}
