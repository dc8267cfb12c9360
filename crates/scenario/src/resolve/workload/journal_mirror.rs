//! The mirror that a job's journal is shipped to: its members, their links and the arbiter.

#[cfg(test)]
mod tests;

use blockyard_model::spec::{
    Acknowledged, DejournalSpec, JournalMirrorSpec, Layout, MemberSpec, StorageSpec,
};
use blockyard_model::units::{Bytes, MILLISECOND, SECOND};
use blockyard_model::workload::spec::Region;
use blockyard_text::hint;

use super::files::Files;
use super::hosts::host_of;
use super::ranwrite::LOG_BLOCK;
use crate::resolve::{HostNames, Invalid};
use crate::schema::{JournalAcknowledge, JournalMirror, MirrorMember, RanWrite};
use crate::units::Duration;

/// What the product takes as QoS timeout (class reference 2024.1, `Config.Mirrors`); the least
/// is the model's.
const QOS_TIMEOUT: [u64; 2] = [MILLISECOND, 300 * SECOND];

/// Most dejournaling jobs of the product.
const MOST_JOBS: u32 = 16;

/// Most members of a mirror, the primary and the backup included.
const MOST_MEMBERS: usize = 16;

/// Where the job is whose journal is shipped.
struct Mirrored<'a> {
    job: &'a RanWrite,
    block: Bytes,
    storage: &'a StorageSpec,
    primary: usize,
}

/// Resolves the mirror of `job` at `path`, whose own journal is `journal`.
///
/// # Errors
/// A member on the host of another, a link that does not connect them, an arbiter that is not
/// known or cannot be reached, a device that is a mirror itself, and figures out of range.
pub(super) fn resolve(
    path: &str,
    (job, block): (&RanWrite, Bytes),
    journal: Region,
    (storage, hosts): (&StorageSpec, &HostNames),
    files: &mut Files<'_>,
) -> Result<Option<JournalMirrorSpec>, Invalid> {
    let Some(mirror) = &job.mirror else {
        return Ok(None);
    };
    let primary = host_of(storage, journal.device);
    let [_, _, own] = job.roles();
    refuse_mirror(storage, &format!("{path}.{}", own.0), journal)?;
    let path = format!("{path}.mirror");
    check_figures(&path, mirror)?;
    let of = Mirrored {
        job,
        block,
        storage,
        primary,
    };
    let backup = of.member(&format!("{path}.backup"), &mirror.backup, files, &[])?;
    let mut taken = vec![(backup.host, "the backup".to_owned())];
    let mut asynchronous = Vec::new();
    for (name, member) in &mirror.asynchronous {
        let path = format!("{path}.asynchronous.{name}");
        let member = of.member(&path, member, files, &taken)?;
        taken.push((member.host, format!("`{name}`")));
        asynchronous.push(member);
    }
    let arbiter = mirror.arbiter.as_deref().map(|name| {
        let path = format!("{path}.arbiter");
        let host = hosts.find(&path, name)?;
        of.arbiter(&path, name, host, backup.host)
    });
    Ok(Some(JournalMirrorSpec {
        arbiter: arbiter.transpose()?,
        backup,
        asynchronous,
        acknowledge: match mirror.acknowledge {
            JournalAcknowledge::Received => Acknowledged::Received,
            JournalAcknowledge::Written => Acknowledged::Written,
        },
        qos_timeout: mirror.qos_timeout.nanos(),
        dejournal: DejournalSpec {
            jobs: mirror.dejournal.jobs.get(),
            read_permille: super::permille(mirror.dejournal.read),
        },
    }))
}

fn check_figures(path: &str, mirror: &JournalMirror) -> Result<(), Invalid> {
    let invalid = |key: &str, message: String| Err(Invalid::new(format!("{path}.{key}"), message));
    let [least, most] = QOS_TIMEOUT;
    let timeout = mirror.qos_timeout;
    if !(least..=most).contains(&timeout.nanos()) {
        let [least, most] = QOS_TIMEOUT.map(Duration::new);
        return invalid(
            "qos_timeout",
            format!("`{timeout}`; expected {least} to {most}"),
        );
    }
    let jobs = mirror.dejournal.jobs.get();
    if jobs > MOST_JOBS {
        let message = format!("`{jobs}` are too many; expected at most {MOST_JOBS}");
        return invalid("dejournal.jobs", message);
    }
    let members = 2 + mirror.asynchronous.len();
    if members > MOST_MEMBERS {
        let message = format!("a mirror of {members} members; expected at most {MOST_MEMBERS}");
        return invalid("asynchronous", message);
    }
    Ok(())
}

impl Mirrored<'_> {
    /// The member at `path`, on none of the hosts that are `taken`.
    fn member(
        &self,
        path: &str,
        member: &MirrorMember,
        files: &mut Files<'_>,
        taken: &[(usize, String)],
    ) -> Result<MemberSpec, Invalid> {
        let sizes = [
            (self.job.file_size, self.block),
            (self.job.wij.file_size, LOG_BLOCK),
            (self.job.journal.file_size, LOG_BLOCK),
        ];
        let mut regions = Vec::with_capacity(sizes.len());
        for ((role, device), (size, block)) in member.roles().into_iter().zip(sizes) {
            let region = files.place(path, role, device, role, size, block)?;
            refuse_mirror(self.storage, &format!("{path}.{role}"), region)?;
            regions.push((region, format!("{path}.{role}")));
        }
        let [(data, at), (wij, _), (journal, _)] = &regions[..] else {
            return Err(Invalid::new(path, "expected three files"));
        };
        let host = host_of(self.storage, data.device);
        let here = self.called(host);
        let apart = regions
            .iter()
            .find(|it| host_of(self.storage, it.0.device) != host);
        if let Some((region, at)) = apart {
            let (one, other) = (self.device(*data), self.device(*region));
            let there = self.called(host_of(self.storage, region.device));
            let message = format!(
                "`{other}` is attached to `{there}` and `{one}` to `{here}`; expected devices of \
                 one host"
            );
            return Err(Invalid::new(at, message));
        }
        let taken = taken.iter().map(|(host, who)| (*host, who.as_str()));
        let primary = (self.primary, "the job itself");
        let mut others = std::iter::once(primary).chain(taken);
        if let Some((_, who)) = others.find(|(other, _)| *other == host) {
            let message = format!(
                "`{}` is attached to `{here}`, as {who} is; expected a host of its own",
                self.device(*data)
            );
            return Err(Invalid::new(at, message));
        }
        Ok(MemberSpec {
            host,
            link: self.link(&format!("{path}.link"), &member.link, host)?,
            data: *data,
            wij: *wij,
            journal: *journal,
        })
    }

    /// The link called `name`, and the end of it at which the primary is.
    fn link(&self, path: &str, name: &str, host: usize) -> Result<(usize, usize), Invalid> {
        let links = &self.storage.links;
        let Some(index) = links.iter().position(|link| link.name == name) else {
            let hint = hint(name, links.iter().map(|link| link.name.as_str()));
            return Err(Invalid::new(
                path,
                format!("no link is called `{name}`{hint}"),
            ));
        };
        let ends = links[index].ends;
        match ends {
            [a, b] if [a, b] == [self.primary, host] => Ok((index, 0)),
            [a, b] if [b, a] == [self.primary, host] => Ok((index, 1)),
            _ => {
                let [a, b] = ends.map(|host| self.called(host));
                let (here, there) = (self.called(self.primary), self.called(host));
                let message = format!(
                    "`{name}` is between `{a}` and `{b}`; expected one between `{here}` and \
                     `{there}`"
                );
                Err(Invalid::new(path, message))
            }
        }
    }

    /// The links from the primary and from the backup to the arbiter.
    fn arbiter(
        &self,
        path: &str,
        name: &str,
        arbiter: usize,
        backup: usize,
    ) -> Result<[usize; 2], Invalid> {
        if [self.primary, backup].contains(&arbiter) {
            let message = format!(
                "`{name}` is a failover member; expected a host that would not fail with it"
            );
            return Err(Invalid::new(path, message));
        }
        let to = |member: usize| {
            let mut links = self.storage.links.iter();
            let found = links
                .position(|link| link.ends == [arbiter, member] || link.ends == [member, arbiter]);
            found.ok_or_else(|| {
                let member = self.called(member);
                let message = format!(
                    "no link is between `{name}` and `{member}`; expected one of `links`, by \
                     which they can lose each other"
                );
                Invalid::new(path, message)
            })
        };
        Ok([to(self.primary)?, to(backup)?])
    }

    fn called(&self, host: usize) -> &str {
        &self.storage.hosts[host].name
    }

    fn device(&self, file: Region) -> &str {
        &self.storage.devices[file.device].name
    }
}

/// A mirror of a journal writes to volumes itself.
fn refuse_mirror(storage: &StorageSpec, path: &str, file: Region) -> Result<(), Invalid> {
    let device = &storage.devices[file.device];
    match device.layout {
        Layout::Mirror(_) => {
            let message = format!(
                "`{}` keeps two copies itself; expected a volume, a stripe or a linear device \
                 under a journal that is shipped",
                device.name
            );
            Err(Invalid::new(path, message))
        }
        _ => Ok(()),
    }
}
