//! `ranwrite`: the database's three files and its writers.

use blockyard_model::spec::StorageSpec;
use blockyard_model::units::{Bytes, KIB};
use blockyard_model::workload::spec::RanWriteSpec;

use super::files::Files;
use super::steps::Run;
use super::{io_size, journal_mirror};
use crate::resolve::{HostNames, Invalid};
use crate::schema::RanWrite;
use crate::units::{Duration, Size};

/// The WIJ and the journal are written in units of this.
pub(super) const LOG_BLOCK: Bytes = 4 * KIB;

/// Most WIJ writes in flight that the product's configuration takes.
const MAX_ASYNCWIJ: u32 = 1024;

/// Most database writes in flight, well above what the product is configured
/// to.
const MAX_OUTSTANDING: u32 = 65_536;

pub(super) fn resolve(
    name: &str,
    path: &str,
    job: &RanWrite,
    run: Run<'_>,
    (storage, hosts): (&StorageSpec, &HostNames),
    files: &mut Files<'_>,
) -> Result<RanWriteSpec, Invalid> {
    let block = io_size(&format!("{path}.block"), job.block)?;
    check_writers(path, job, block)?;
    check_journal(path, job)?;
    check_logs(path, job)?;
    let [data, wij, own] = job.roles();
    let data = files.place(path, data.0, data.1, "file_size", job.file_size, block)?;
    let wij = files.place(
        path,
        wij.0,
        wij.1,
        "wij.file_size",
        job.wij.file_size,
        LOG_BLOCK,
    )?;
    let journal = files.place(
        path,
        own.0,
        own.1,
        "journal.file_size",
        job.journal.file_size,
        LOG_BLOCK,
    )?;
    let placed = (storage, hosts);
    Ok(RanWriteSpec {
        name: name.to_owned(),
        mirror: journal_mirror::resolve(path, (job, block), journal, placed, files)?,
        data,
        wij,
        journal,
        block,
        steps: run.processes(path, &job.load())?,
        updates_per_process: job.updates.per_s(),
        cycle: positive(&format!("{path}.cycle"), job.cycle)?,
        dirty_limit: dirty_limit(path, job, block)?,
        list_time_per_block: job.list_time.nanos(),
        wij_write: io_size(&format!("{path}.wij.write"), job.wij.write)?,
        wij_outstanding: wij_outstanding(job.wij.asyncwij),
        daemons: job.wdparm.daemons.get(),
        outstanding: job.wdparm.outstanding.get(),
        outstanding_per_daemon: job.wdparm.per_daemon.get(),
        coalesce_blocks: job.coalesce.get(),
        journal_record: job.journal.record.bytes(),
        journal_buffer: job.journal.buffer.bytes(),
        journal_interval: positive(&format!("{path}.journal.interval"), job.journal.interval)?,
    })
}

fn check_writers(path: &str, job: &RanWrite, block: Bytes) -> Result<(), Invalid> {
    if job.updates.per_s() == 0 {
        let message = "`0/s` updates nothing; expected at least `1/s` (0 processes rest)";
        return Err(Invalid::new(format!("{path}.updates"), message));
    }
    let bounds = [
        ("wij.asyncwij", job.wij.asyncwij, MAX_ASYNCWIJ),
        ("wdparm.daemons", job.wdparm.daemons.get(), MAX_OUTSTANDING),
        (
            "wdparm.outstanding",
            job.wdparm.outstanding.get(),
            MAX_OUTSTANDING,
        ),
        (
            "wdparm.per_daemon",
            job.wdparm.per_daemon.get(),
            MAX_OUTSTANDING,
        ),
    ];
    for (key, value, most) in bounds {
        if value > most {
            let message = format!("`{value}` is too large; expected at most {most}");
            return Err(Invalid::new(format!("{path}.{key}"), message));
        }
    }
    let coalesced = Size::new(block * u64::from(job.coalesce.get()));
    io_size(&format!("{path}.coalesce"), coalesced).map(|_| ())
}

fn check_journal(path: &str, job: &RanWrite) -> Result<(), Invalid> {
    let (record, buffer) = (job.journal.record, job.journal.buffer);
    if record > buffer {
        let message = format!("a record of {record} does not fit the buffer of {buffer}");
        return Err(Invalid::new(format!("{path}.journal.record"), message));
    }
    io_size(&format!("{path}.journal.buffer"), buffer).map(|_| ())
}

/// Refuses a WIJ or a journal that is smaller than what is written to it at once.
fn check_logs(path: &str, job: &RanWrite) -> Result<(), Invalid> {
    let (wij, journal) = (job.wij, job.journal);
    // Clearing the WIJ writes a block.
    let write = ("write", wij.write.max(job.block));
    for (key, file, (what, size)) in [
        ("wij", wij.file_size, write),
        ("journal", journal.file_size, ("buffer", journal.buffer)),
    ] {
        if file.bytes() / LOG_BLOCK < size.bytes().div_ceil(LOG_BLOCK) {
            let message = format!("a file of {file} is smaller than a {what} of {size}");
            return Err(Invalid::new(format!("{path}.{key}.file_size"), message));
        }
    }
    Ok(())
}

/// The number of dirty blocks that starts a cycle early.
fn dirty_limit(path: &str, job: &RanWrite, block: Bytes) -> Result<u64, Invalid> {
    let dirty = u128::from(job.cache.bytes()) * u128::from(job.dirty_limit.permille()) / 1000;
    match u64::try_from(dirty / u128::from(block)) {
        Ok(blocks) if blocks > 0 => Ok(blocks),
        _ => Err(Invalid::new(
            format!("{path}.dirty_limit"),
            format!(
                "{} of a cache of {} is less than one block of {}",
                job.dirty_limit,
                job.cache,
                Size::new(block)
            ),
        )),
    }
}

/// Off means one write at a time; both 1 and 2 mean 2 (class reference 2024.1,
/// `Config.config`).
fn wij_outstanding(asyncwij: u32) -> u32 {
    match asyncwij {
        0 => 1,
        1 => 2,
        more => more,
    }
}

fn positive(path: &str, duration: Duration) -> Result<u64, Invalid> {
    match duration.nanos() {
        0 => Err(Invalid::new(path, "`0s` is too short; expected more")),
        nanos => Ok(nanos),
    }
}
