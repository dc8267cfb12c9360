//! Cheaper instances: smaller ones of a family, and others that have no less.

use blockyard_catalog::{Catalog, Instance};
use blockyard_experiment::Edit;
use blockyard_scenario::schema::{Host, Job, Scenario};

use super::super::need::Need;
use super::instance::{holds, hosts};
use super::{Change, Least, Proposal};

/// How many sizes below the one that there is are tried.
const SMALLER: usize = 2;

/// How many types of other families are tried for each architecture: the cheapest.
const OTHERS: usize = 1;

/// Families for databases: general purpose, compute, memory, fast cores, local disks. Those with
/// accelerators, and those that earn processor credits, are taken by whom they are meant for.
const FAMILIES: [&str; 9] = ["m", "c", "r", "x", "z", "i", "d", "im", "is"];

/// Cheaper instances for each host, the cheapest first of each kind; `price` says what one costs.
pub(super) fn proposals(
    scenario: &Scenario,
    catalog: &Catalog,
    need: &Need,
    least: Least,
    price: &dyn Fn(&str) -> Option<f64>,
) -> Vec<Proposal> {
    let mut found = Vec::new();
    for (name, path, host) in hosts(scenario) {
        let Ok(from) = catalog.instance(&host.instance) else {
            continue;
        };
        let Some(now) = price(from.name()) else {
            continue;
        };
        let jobs = least.for_jobs(scenario);
        let takes = need.of_host();
        let may_be = |other: &&Instance| {
            let holds = holds(other, takes);
            let has = jobs.vcpu.is_none_or(|vcpu| other.vcpu() >= vcpu)
                && jobs.memory_mib.is_none_or(|mib| other.memory_mib() >= mib);
            holds && has && !other.name().contains("metal") && other.name() != from.name()
        };
        let cheaper = |other: &Instance| price(other.name()).filter(|dollars| *dollars < now);
        let all = catalog.instances().iter().filter(may_be);
        let mut all: Vec<_> = all.filter_map(|it| Some((it, cheaper(it)?))).collect();
        all.sort_by(|a, b| a.1.total_cmp(&b.1));
        let own = |other: &&Instance| other.family() == from.family();
        let mut sizes: Vec<_> = all.iter().map(|it| it.0).filter(own).collect();
        sizes.sort_by_key(|other| std::cmp::Reverse(other.vcpu()));
        let mut chosen: Vec<&Instance> = sizes.into_iter().take(SMALLER).collect();
        for architecture in [from.architecture(), "arm64"] {
            let others = all.iter().map(|it| it.0).filter(|other| {
                other.architecture() == architecture
                    && !own(other)
                    && is_no_older(from, other)
                    && (least.is_stated() || has_no_less(from, other))
            });
            chosen.extend(others.take(OTHERS));
        }
        for other in chosen {
            found.push(proposal(name, &path, host, other));
        }
    }
    found
}

fn proposal(name: Option<&String>, path: &str, host: &Host, to: &Instance) -> Proposal {
    let change = Change::Instance {
        host: name.cloned(),
        from: host.instance.clone(),
        to: Some(to.name().to_owned()),
    };
    let edits = vec![Edit::set(format!("{path}.instance"), to.name())];
    Proposal::saving(change, edits)
}

fn has_no_less(from: &Instance, other: &Instance) -> bool {
    other.vcpu() >= from.vcpu() && other.memory_mib() >= from.memory_mib()
}

/// Whether it is of a family for databases and of no earlier generation.
fn is_no_older(from: &Instance, other: &Instance) -> bool {
    let (own, others) = (family(from.family()), family(other.family()));
    let known = FAMILIES.contains(&others.0) || own.0 == others.0;
    known && others.1 >= own.1
}

/// The letters and the generation of a family: `r` and 6 of `r6id`.
fn family(name: &str) -> (&str, u32) {
    let digit = name.find(|letter: char| letter.is_ascii_digit());
    let (letters, rest) = name.split_at(digit.unwrap_or(name.len()));
    let end = rest.find(|letter: char| !letter.is_ascii_digit());
    let generation = rest[..end.unwrap_or(rest.len())].parse();
    (letters, generation.unwrap_or(0))
}

impl Least {
    fn is_stated(self) -> bool {
        self.vcpu.is_some() || self.memory_mib.is_some()
    }

    /// The same, and at least what the engines of the scenario are given.
    fn for_jobs(self, scenario: &Scenario) -> Self {
        let engines = scenario.workload.values().filter_map(|job| match job {
            Job::Oltp(engine) => Some(engine),
            Job::RanRead(_)
            | Job::AccessSpec(_)
            | Job::RanWrite(_)
            | Job::Demand(_)
            | Job::Replay(_) => None,
        });
        let pools: u64 = engines
            .clone()
            .map(|engine| engine.pool.bytes() >> 20)
            .sum();
        let cores = engines.filter_map(|engine| Some(u64::from(engine.cores?.get())));
        let cores = cores.sum::<u64>();
        Self {
            vcpu: self.vcpu.max((cores > 0).then_some(cores)),
            memory_mib: self.memory_mib.max((pools > 0).then_some(pools)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_family_has_letters_and_a_generation() {
        assert_eq!(family("r6id"), ("r", 6));
        assert_eq!(family("im4gn"), ("im", 4));
        assert_eq!(family("u-12tb1"), ("u-", 12));
        assert_eq!(family("mac"), ("mac", 0));
    }
}
