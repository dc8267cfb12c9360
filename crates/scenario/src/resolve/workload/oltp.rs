//! `oltp`: an engine with its product's values, and its transactions.

use blockyard_catalog::{Catalog, Engine, Instance};
use blockyard_model::spec::StorageSpec;
use blockyard_model::units::{Bytes, MIB, Nanos};
use blockyard_model::workload::spec::{
    Flushing, Load, LogSpec, OltpSpec, Pace, TransactionLoad, TransactionSpec,
};

use super::files::Files;
use super::galera;
use super::hosts::host_of;
use super::ranwrite::LOG_BLOCK;
use super::standbys;
use super::steps::Run;
use super::{io_size, skew};
use crate::resolve::{Invalid, Zones};
use crate::schema::{Oltp, PageFlush, Scenario, TransactionKind};
use crate::units::{Duration, Size};

/// Most pages in flight of one batch, and most batches.
const MOST_BATCH: u32 = 4096;
const MOST_CLEANERS: u32 = 256;

/// Most pages of a transaction: each is looked at when it begins.
const MOST_PAGES: u32 = 1_000_000;

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
        skew: skew(path, job.skew.as_ref())?,
        kinds,
        load,
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
        certification: certification(path, job, around, host)?,
        group: None,
    };
    let own = (job, &resolved);
    let standbys = standbys::resolve(path, own, host, around, files)?;
    let cluster = galera::resolve(path, own, host, around, files)?;
    let group = standbys.or(cluster);
    Ok(OltpSpec { group, ..resolved })
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

fn kinds(path: &str, job: &Oltp) -> Result<Vec<TransactionSpec>, Invalid> {
    if job.transactions.is_empty() {
        let message = "no transactions; expected at least one kind, as `pay: {pages: 8, cpu: 1ms}`";
        return Err(Invalid::new(format!("{path}.transactions"), message));
    }
    let kind = |(name, kind): (&String, &TransactionKind)| {
        let path = format!("{path}.transactions.{name}");
        let pages = kind.pages.get();
        if pages > MOST_PAGES {
            let message = format!("`{pages}` is too large; expected at most {MOST_PAGES}");
            return Err(Invalid::new(format!("{path}.pages"), message));
        }
        if kind.changes > pages {
            let message = format!(
                "`{}` of {pages} pages; expected at most as many",
                kind.changes
            );
            return Err(Invalid::new(format!("{path}.changes"), message));
        }
        if kind.cpu.nanos() == 0 {
            let message = "`0s` takes no time at all; expected more";
            return Err(Invalid::new(format!("{path}.cpu"), message));
        }
        let log = kind.log.map_or(0, Size::bytes);
        if kind.changes > 0 && log == 0 {
            let message = "not stated; expected the bytes that its changes take in the redo log";
            return Err(Invalid::new(format!("{path}.log"), message));
        }
        Ok(TransactionSpec {
            name: name.clone(),
            weight: kind.weight.get(),
            accesses: pages,
            changes: kind.changes,
            log,
            binlog: kind.binlog.map_or(log, Size::bytes),
            processor: kind.cpu.nanos(),
        })
    };
    job.transactions.iter().map(kind).collect()
}

fn load(path: &str, job: &Oltp, engine: &Engine, run: Run<'_>) -> Result<TransactionLoad, Invalid> {
    let refused = |key: &str, message: String| Err(Invalid::new(format!("{path}.{key}"), message));
    if job.threads.is_none() && job.rate.is_none() {
        let message = "no load; expected `threads`, `rate`, or both";
        return Err(Invalid::new(path, message));
    }
    let most = job.threads.iter().flat_map(|threads| threads.iter()).max();
    if let Some(&most) = most.filter(|most| **most > engine.most_threads) {
        let (called, takes) = (&engine.called, engine.most_threads);
        return refused(
            "threads",
            format!("`{most}` are more than {called} takes, {takes}"),
        );
    }
    if job.rate.is_some()
        && job
            .threads
            .as_ref()
            .is_some_and(|threads| threads.len() != 1)
    {
        let message = "a list beside `rate`; expected one number, of threads that there are";
        return refused("threads", message.into());
    }
    if job.rate.is_some() && job.think_time.is_some() {
        return refused(
            "think_time",
            "`think_time` belongs to a closed loop, without `rate`".into(),
        );
    }
    Ok(match run.load(path, &job.load())? {
        Load::Closed { steps, .. } => TransactionLoad::Closed {
            steps,
            think: job.think_time.map_or(0, Duration::nanos),
        },
        Load::Open {
            steps,
            arrivals,
            max_outstanding,
            ..
        } => TransactionLoad::Open {
            steps,
            arrivals,
            threads: max_outstanding,
        },
    })
}

/// The size of the doublewrite area, if there is one: a batch fits it.
fn doublewrite(job: &Oltp, engine: &Engine, batch: Bytes) -> Option<Size> {
    let least = engine.doublewrite.map_or(0, Size::bytes);
    let has_it = job.doublewrite.unwrap_or(engine.doublewrite.is_some());
    has_it.then(|| Size::new(least.max(batch.next_multiple_of(LOG_BLOCK))))
}

fn flushing(path: &str, job: &Oltp, page: Bytes, engine: &Engine) -> Result<Flushing, Invalid> {
    let own = job.flush.unwrap_or_default();
    let refused =
        |key: &str, message: String| Err(Invalid::new(format!("{path}.flush.{key}"), message));
    let batch = own.batch.map_or(engine.flush.batch, Into::into);
    let cleaners = own.cleaners.map_or(engine.flush.cleaners, Into::into);
    for (key, value, most) in [
        ("batch", batch, MOST_BATCH),
        ("cleaners", cleaners, MOST_CLEANERS),
    ] {
        if value > most {
            return refused(
                key,
                format!("`{value}` is too large; expected at most {most}"),
            );
        }
    }
    Ok(Flushing {
        pace: pace(path, &own, engine)?,
        batch,
        cleaners,
        depth: own
            .depth
            .map_or(engine.flush.depth_of(job.pool), |depth| depth.get().into())
            // As InnoDB, which looks at no more than its list of pages has.
            .min((job.pool.bytes() / page).max(1)),
    })
}

fn pace(path: &str, own: &PageFlush, engine: &Engine) -> Result<Pace, Invalid> {
    let belongs = |key: &str, to: &str| {
        let message = format!(
            "`{key}` belongs to an engine with {to}; {} has none",
            engine.called
        );
        Err(Invalid::new(format!("{path}.flush.{key}"), message))
    };
    let invalid = |key: &str, message: String| Invalid::new(format!("{path}.flush.{key}"), message);
    if let Some(adaptive) = engine.flush.adaptive {
        let other = [
            ("every", own.every.is_some()),
            ("spread", own.spread.is_some()),
        ];
        if let Some((key, _)) = other.into_iter().find(|it| it.1) {
            return belongs(key, "checkpoints");
        }
        let (rate, most) = (
            own.rate.unwrap_or(adaptive.rate),
            own.most.unwrap_or(adaptive.most),
        );
        let (low, high) = (
            own.low.unwrap_or(adaptive.low),
            own.high.unwrap_or(adaptive.high),
        );
        if most.per_s() < rate.per_s().max(1) {
            return Err(invalid(
                "most",
                format!("`{most}` is less than the rate, {rate}"),
            ));
        }
        if high < low {
            return Err(invalid("high", format!("`{high}` is below `low`, {low}")));
        }
        return Ok(Pace::Adaptive {
            rate: rate.per_s(),
            most: most.per_s(),
            low: super::permille(low),
            high: super::permille(high),
        });
    }
    let keys = [
        ("rate", own.rate.is_some()),
        ("most", own.most.is_some()),
        ("low", own.low.is_some()),
        ("high", own.high.is_some()),
    ];
    if let Some((key, _)) = keys.into_iter().find(|it| it.1) {
        return belongs(key, "adaptive flushing");
    }
    // A checked engine has one of the two.
    let checkpoints = engine.flush.checkpoints;
    let every = own
        .every
        .or(checkpoints.map(|it| it.every))
        .map_or(0, Duration::nanos);
    if every == 0 {
        return Err(invalid("every", "`0s` is too short; expected more".into()));
    }
    let spread = own.spread.or(checkpoints.map(|it| it.spread));
    Ok(Pace::Checkpoints {
        every,
        spread: spread.map_or(0, super::permille),
    })
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
