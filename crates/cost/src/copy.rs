//! What it costs that all data goes from one zone to another once: to a node that has missed too
//! much, to a new standby, or to a mirror's other leg.

use blockyard_catalog::PriceList;
use blockyard_model::spec::Layout;
use blockyard_model::units::{Bytes, GIB};
use blockyard_model::workload::spec::{JobSpec, Shipped};
use blockyard_scenario::Resolved;
use blockyard_scenario::units::Money;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::line::in_words;

/// One copy of all data from zone to zone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FullCopy {
    /// The job or the device whose data it is.
    pub of: String,
    /// Who needs it.
    pub kind: CopyKind,
    /// Its size.
    pub gib: f64,
    /// Dollars per GiB between zones.
    pub price: Money,
    /// Dollars for each copy.
    pub each: Money,
    /// Source of the price; from a user's price file, its words.
    pub source: String,
    /// Day on which it was seen.
    pub observed: String,
    /// Whether it is from the user's price file.
    pub users: bool,
}

/// Who needs a copy of all data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CopyKind {
    /// A node of a Galera cluster that has missed more than the gcache holds (SST).
    StateTransfer,
    /// A new PostgreSQL standby.
    BaseBackup,
    /// A new MySQL or MariaDB replica.
    Replica,
    /// A mirror's leg that is new, or of which no log says what differs.
    Resync,
}

/// The copies that may go from zone to zone, and what there is to say about them.
pub(crate) fn copies(list: &PriceList<'_>, resolved: &Resolved) -> (Vec<FullCopy>, Option<String>) {
    let of_jobs = resolved.jobs.iter().filter_map(|job| of_job(job, resolved));
    let found: Vec<_> = of_jobs.chain(of_mirrors(resolved)).collect();
    if found.is_empty() {
        return (Vec::new(), None);
    }
    let Ok(price) = list.cross_zone() else {
        let note = "a copy of all data from zone to zone is not priced: no price is known of that \
                    traffic";
        return (Vec::new(), Some(note.to_owned()));
    };
    let (source, users) = in_words(price.source);
    let priced = found.into_iter().map(|(of, kind, bytes)| FullCopy {
        of: of.to_owned(),
        kind,
        gib: bytes as f64 / GIB as f64,
        price: price.amount,
        each: price.amount.times(bytes, GIB),
        source: source.clone(),
        observed: price.observed.to_string(),
        users,
    });
    (priced.collect(), None)
}

type Copied<'a> = (&'a str, CopyKind, Bytes);

/// What a new node of a job gets, if one is in another zone than who has it.
fn of_job<'a>(job: &'a JobSpec, resolved: &Resolved) -> Option<Copied<'a>> {
    let engine = job.transactions()?;
    let group = engine.group.as_ref()?;
    let mut others = group.hosts();
    let crosses = others.any(|host| is_other_zone(resolved, group.own_host(), host));
    let kind = match group.shipping.map(|own| own.log) {
        None => CopyKind::StateTransfer,
        Some(Shipped::Wal) => CopyKind::BaseBackup,
        Some(Shipped::Binlog) => CopyKind::Replica,
    };
    crosses.then_some((&engine.name, kind, engine.data.size))
}

/// The whole of each mirror whose legs are in two zones.
fn of_mirrors(resolved: &Resolved) -> impl Iterator<Item = Copied<'_>> {
    resolved.storage.devices.iter().filter_map(|device| {
        let Layout::Mirror(mirror) = &device.layout else {
            return None;
        };
        let [one, other] = [0, 1].map(|leg| host_of(&mirror.legs[leg].layout, resolved));
        let crosses = is_other_zone(resolved, one?, other?);
        crosses.then_some((device.name.as_str(), CopyKind::Resync, mirror.size))
    })
}

fn host_of(layout: &Layout, resolved: &Resolved) -> Option<usize> {
    let mut first = None;
    layout.volumes(&mut |volume| first = first.or(Some(volume)));
    Some(resolved.storage.volumes.get(first?)?.host)
}

/// Whether two hosts are known to be in different zones.
fn is_other_zone(resolved: &Resolved, one: usize, other: usize) -> bool {
    let zone = |host: usize| resolved.zones.of_hosts.get(host).copied().flatten();
    zone(one)
        .zip(zone(other))
        .is_some_and(|(one, other)| one != other)
}
