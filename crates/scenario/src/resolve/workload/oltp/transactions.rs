//! The transactions of an engine: what each kind does, and how many are under way.

use blockyard_catalog::Engine;
use blockyard_model::workload::spec::{Load, PageUse, TransactionLoad, TransactionSpec};

use super::items::{Number, numbers, shares};
use crate::resolve::Invalid;
use crate::resolve::workload::steps::Run;
use crate::schema::{Oltp, TableUse, TransactionKind};
use crate::units::{Duration, Size};

/// Most pages of a transaction: each is drawn when it begins.
const MOST_PAGES: u64 = 1_000_000;

/// What each kind of the job at `path` does.
///
/// # Errors
/// No kind at all; one that accesses too much, changes more than it accesses, or takes no time.
pub(super) fn kinds(path: &str, job: &Oltp) -> Result<Vec<TransactionSpec>, Invalid> {
    if job.transactions.is_empty() {
        let message = "no transactions; expected at least one kind, as `pay: {pages: 8, cpu: 1ms}`";
        return Err(Invalid::new(format!("{path}.transactions"), message));
    }
    let shares = shares(job);
    let mut kinds = Vec::new();
    for (name, kind) in &job.transactions {
        let path = format!("{path}.transactions.{name}");
        let numbers = numbers(&path, kind)?;
        let weight = u64::from(kind.weight.get()).saturating_mul(shares / numbers.len() as u64);
        let Ok(weight) = u32::try_from(weight) else {
            let message = format!("`{}` is too large beside `items`", kind.weight);
            return Err(Invalid::new(format!("{path}.weight"), message));
        };
        for number in numbers {
            kinds.push(kind_of((name, &path), job, kind, (number, weight))?);
        }
    }
    Ok(kinds)
}

/// The kind called `name` at `path`, with so many items and that weight.
fn kind_of(
    (name, path): (&str, &str),
    job: &Oltp,
    kind: &TransactionKind,
    (number, weight): (Number, u32),
) -> Result<TransactionSpec, Invalid> {
    let tables = uses(path, job, kind, number)?;
    let sum = |of: fn(&PageUse) -> u32| tables.iter().map(|it| u64::from(of(it))).sum::<u64>();
    let pages = sum(|it| it.accesses);
    if pages > MOST_PAGES {
        let message = format!("`{pages}` is too large; expected at most {MOST_PAGES}");
        return Err(Invalid::new(format!("{path}.pages"), message));
    }
    let (pages, changes) = (pages as u32, sum(|it| it.changes) as u32);
    if kind.cpu.nanos() == 0 {
        let message = "`0s` takes no time at all; expected more";
        return Err(Invalid::new(format!("{path}.cpu"), message));
    }
    let log = kind.log.map_or(0, Size::bytes);
    if changes > 0 && log == 0 {
        let message = "not stated; expected the bytes that its changes take in the redo log";
        return Err(Invalid::new(format!("{path}.log"), message));
    }
    Ok(TransactionSpec {
        name: name.to_owned(),
        weight,
        accesses: pages,
        changes,
        tables,
        log: number.of(log),
        binlog: number.of(kind.binlog.map_or(log, Size::bytes)),
        processor: number.of(kind.cpu.nanos()),
    })
}

/// The pages of each table that a kind of transaction at `path` uses with so many items.
fn uses(
    path: &str,
    job: &Oltp,
    kind: &TransactionKind,
    number: Number,
) -> Result<Vec<PageUse>, Invalid> {
    let Some(pages) = kind.pages else {
        if kind.tables.is_empty() {
            let message = "expected `pages: 8`, or `tables` with the pages of each";
            return Err(Invalid::new(path, message));
        }
        let of_table = |(name, own): (&String, &TableUse)| {
            let path = format!("{path}.tables.{name}");
            let Some(table) = job.tables.get_index_of(name) else {
                let hint = blockyard_text::hint(name, job.tables.keys().map(String::as_str));
                let message = format!("no table is called `{name}`{hint}");
                return Err(Invalid::new(path, message));
            };
            page_use((&path, table), own, number)
        };
        return kind.tables.iter().map(of_table).collect();
    };
    if !kind.tables.is_empty() || !job.tables.is_empty() {
        let message = "stands beside `tables`; expected `tables` with the pages of each";
        return Err(Invalid::new(format!("{path}.pages"), message));
    }
    let changes = kind.changes;
    let own = TableUse {
        pages,
        changes,
        per_item: false,
    };
    Ok(vec![page_use((path, 0), &own, number)?])
}

fn page_use(
    (path, table): (&str, usize),
    own: &TableUse,
    number: Number,
) -> Result<PageUse, Invalid> {
    let (pages, changes) = (own.pages.get(), own.changes);
    if changes > pages {
        let message = format!("`{changes}` of {pages} pages; expected at most as many");
        return Err(Invalid::new(format!("{path}.changes"), message));
    }
    let times = if own.per_item { number.items } else { 1 };
    Ok(PageUse {
        table: table as u16,
        accesses: pages.saturating_mul(times),
        changes: changes.saturating_mul(times),
    })
}

/// How many are under way, or begin in a second.
///
/// # Errors
/// No load, more threads than the engine takes, or what a load of the other kind has.
pub(super) fn load(
    path: &str,
    job: &Oltp,
    engine: &Engine,
    run: Run<'_>,
) -> Result<TransactionLoad, Invalid> {
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
