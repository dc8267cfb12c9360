//! `oltp`: an engine with its product's values.

mod flushing;
mod items;
mod tables;
mod transactions;

use blockyard_catalog::{self as catalog, Catalog, Engine, Instance};
use blockyard_model::spec::{Layout, StorageSpec};
use blockyard_model::units::{Bytes, MIB, Nanos};
use blockyard_model::workload::spec::{LogSpec, OltpSpec, OnError, RelayLog, Start};

use self::flushing::{doublewrite, flushing};
use self::tables::tables;
use self::transactions::{kinds, load};
use super::cluster;
use super::files::Files;
use super::hosts::host_of;
use super::io_size;
use super::ranwrite::LOG_BLOCK;
use super::steps::Run;
use crate::resolve::{Invalid, Zones};
use crate::schema::{Oltp, PoolStart, Scenario};
use crate::units::Size;

/// What else of the scenario an engine is resolved with.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    pub(super) scenario: &'a Scenario,
    pub(super) storage: &'a StorageSpec,
    pub(super) zones: &'a Zones,
    pub(super) catalog: &'a Catalog,
}

pub(super) fn resolve(
    (name, path): (&str, &str),
    job: &Oltp,
    run: Run<'_>,
    around: Around<'_>,
    files: &mut Files<'_>,
) -> Result<OltpSpec, Invalid> {
    let engine = around.catalog.engine(&job.engine);
    let engine = engine.map_err(|unknown| Invalid::new(format!("{path}.engine"), unknown))?;
    let page = io_size(&format!("{path}.page"), job.page.unwrap_or(engine.page))?;
    let tables = tables(path, job, page)?;
    let kinds = kinds(path, job)?;
    let load = load(path, job, engine, run)?;
    let log = job.log.unwrap_or_default();
    let [on_data, on_log, on_area, on_binlog] = job.roles();
    let mut place = |(on, device), key: &str, size: Size, unit: Bytes| {
        files.place(path, on, device, key, size, unit)
    };
    let data = place(on_data, "data_size", job.data_size, page)?;
    let log_size = log.file_size.unwrap_or(engine.log.file_size);
    let redo = place(on_log, "log.file_size", log_size, LOG_BLOCK)?;
    let binlog = job.binlog.or(engine.binlog);
    let binlog = binlog.map(|size| place(on_binlog, "binlog", size, LOG_BLOCK));
    let flushing = flushing(path, job, page, engine)?;
    let area = doublewrite(job, engine, page * u64::from(flushing.batch));
    let area = area.map(|size| place(on_area, "doublewrite", size, LOG_BLOCK));
    let host = host_of(around.storage, data.device);
    let resolved = OltpSpec {
        name: name.to_owned(),
        data,
        page,
        pool: pool(path, job, page, around.instance(host))?,
        start: match job.start {
            Some(PoolStart::Cold) => Start::Cold,
            Some(PoolStart::Warm) | None => Start::Warm,
        },
        tables,
        kinds,
        load,
        host,
        cores: cores(path, job, around, host)?,
        log: LogSpec {
            region: redo,
            capacity: redo.size,
            durable: log.durable.unwrap_or(engine.log.durable),
            full_pages: log.full_pages.unwrap_or(engine.log.full_pages),
        },
        binlog: binlog.transpose()?,
        flushing,
        doublewrite: area.transpose()?,
        relay_log: None,
        on_error: on_error(engine),
        moves_with: moves_with([data.device, redo.device], around),
        certification: certification(path, job, around, host)?,
        group: None,
    };
    let group = cluster::resolve(path, (job, &resolved), host, around, files)?;
    if let (Some(_), Some(device)) = (&group, resolved.moves_with) {
        let nodes = if job.galera.is_some() {
            "galera"
        } else {
            "standbys"
        };
        let name = &around.storage.devices[device].name;
        let message = format!(
            "replicated from a host, while `{name}` is handed over to another; expected a device \
             that stays where it is"
        );
        return Err(Invalid::new(format!("{path}.{nodes}"), message));
    }
    let rejoins = job.standbys.as_ref().and_then(|it| it.rejoin);
    let as_replica = rejoins.and_then(|_| group.as_ref()?.nodes.first()?.relay_log);
    let relay_log = as_replica.map(|it| {
        let [.., (on, device)] = job.roles();
        let size = Size::new(it.region.size);
        let region = files.place(path, on, device, on, size, LOG_BLOCK)?;
        Ok(RelayLog { region, ..it })
    });
    Ok(OltpSpec {
        group,
        relay_log: relay_log.transpose()?,
        ..resolved
    })
}

impl<'a> Around<'a> {
    /// The instance of a host, if it is stated.
    pub(super) fn instance(self, host: usize) -> Option<&'a Instance> {
        let mut hosts = self
            .scenario
            .host
            .iter()
            .chain(self.scenario.hosts.values());
        self.catalog.instance(&hosts.nth(host)?.instance).ok()
    }
}

/// As the product does.
fn on_error(engine: &Engine) -> OnError {
    match engine.on_error.page_read {
        catalog::OnError::Abort => OnError::Abort,
        catalog::OnError::Stop => OnError::Stop,
    }
}

/// The first of its devices that is handed over to another host, which starts it again.
fn moves_with(devices: [usize; 2], around: Around<'_>) -> Option<usize> {
    let clusters = || around.scenario.clusters.values();
    let is_handed_over = |device: &usize| {
        let of = &around.storage.devices[*device];
        let fails_over = match &of.layout {
            Layout::Mirror(mirror) => mirror.partition.failover.is_some(),
            _ => false,
        };
        fails_over || clusters().any(|it| it.disks.contains(&of.name))
    };
    devices.into_iter().find(is_handed_over)
}

fn cores(path: &str, job: &Oltp, around: Around<'_>, host: usize) -> Result<u32, Invalid> {
    let vcpu = around.instance(host).map(Instance::vcpu);
    let vcpu = vcpu.and_then(|vcpu| u32::try_from(vcpu).ok());
    job.cores.map(Into::into).or(vcpu).ok_or_else(|| {
        let message = "not stated, and no instance says how many there are; expected `cores: 8`";
        Invalid::new(format!("{path}.cores"), message)
    })
}

fn pool(path: &str, job: &Oltp, page: Bytes, instance: Option<&Instance>) -> Result<u64, Invalid> {
    let invalid = |message: String| Err(Invalid::new(format!("{path}.pool"), message));
    let bytes = job.pool.bytes();
    if bytes < page {
        return invalid(format!(
            "a pool of {} holds no page of {}",
            job.pool,
            Size::new(page)
        ));
    }
    check_memory(&format!("{path}.pool"), job, instance)?;
    Ok(bytes / page)
}

/// Refuses a pool that does not fit a host's instance, if that is stated.
pub(super) fn check_memory(
    path: &str,
    job: &Oltp,
    instance: Option<&Instance>,
) -> Result<(), Invalid> {
    if let Some(instance) = instance {
        let memory = Size::new(instance.memory_mib() * MIB);
        if job.pool > memory {
            let name = instance.name();
            let pool = job.pool;
            let message = format!("a pool of {pool} does not fit {name}, which has {memory}");
            return Err(Invalid::new(path, message));
        }
    }
    Ok(())
}

/// The round trip to the farthest replica.
fn certification(path: &str, job: &Oltp, around: Around<'_>, own: usize) -> Result<Nanos, Invalid> {
    let zones = around.zones;
    let mut longest = 0;
    for (number, name) in job.replicas.iter().enumerate() {
        let invalid = |message: String| Invalid::new(format!("{path}.replicas.{number}"), message);
        let Some(host) = around.scenario.hosts.get_index_of(name) else {
            let known = around.scenario.hosts.keys().map(String::as_str);
            let hint = blockyard_text::hint(name, known);
            return Err(invalid(format!("no host is called `{name}`{hint}")));
        };
        if host == own {
            let message = "is the engine's own host; expected another";
            return Err(invalid(format!("`{name}` {message}")));
        }
        let zone_of = |host: usize| zones.of_hosts.get(host).copied().flatten();
        let between = || zones.round_trips[zone_of(own)?][zone_of(host)?];
        let Some(trip) = between() else {
            let message = "how far is it? expected `zone` of both hosts and their time in `zones`";
            return Err(invalid(format!("`{name}`: {message}")));
        };
        longest = longest.max(trip);
    }
    Ok(longest)
}

#[cfg(test)]
mod tests;
