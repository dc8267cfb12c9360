//! io2 for the journal alone: of a database that is updated, or of a transactional engine.

use blockyard_catalog::Catalog;
use blockyard_experiment::{Edit, places};
use blockyard_scenario::Resolved;
use blockyard_scenario::schema::{Device, Job, NameOr, OltpRoles, RanWrite, Roles, Scenario};

use super::super::need::Need;
use super::device::Of;
use super::{Change, GIB, Proposal};

/// The IOPS of a journal's own volume: what a gp3 comes with.
const IOPS: u64 = 3000;

/// Sizes begin here, so that any type has this many IOPS.
const LEAST_GIB: u64 = 10;

/// A journal, and what it lies on.
struct Journal<'a> {
    job: &'a str,
    /// The device.
    on: &'a str,
    /// The job's devices with the journal on `{}`.
    apart: String,
    /// The bytes of its file.
    bytes: u64,
    /// The first of the job's files that is a journal.
    first: usize,
}

/// For each job with a journal one, but where the journal has io2 already.
pub(super) fn proposals(scenario: &Scenario, resolved: &Resolved, need: &Need) -> Vec<Proposal> {
    let jobs = scenario.workload.iter().zip(&resolved.jobs);
    let journals = jobs.filter_map(|((name, job), spec)| {
        // Of a database data, WIJ and journal; of an engine data, log and what else there is.
        let files = spec.files();
        let first = match job {
            Job::RanWrite(_) => 2,
            _ => 1,
        };
        journal(name, job, first, files.get(first)?.region.size)
    });
    let all: Vec<_> = journals.collect();
    all.iter()
        .filter_map(|journal| journal.proposal(scenario, resolved, need))
        .collect()
}

fn journal<'a>(job: &'a str, of: &'a Job, first: usize, bytes: u64) -> Option<Journal<'a>> {
    let (on, apart) = match of {
        Job::RanWrite(RanWrite { on, .. }) => match on {
            NameOr::Name(one) => (one, format!("{{data: {one}, wij: {one}, journal: {{}}}}")),
            NameOr::Given(Roles { data, wij, journal }) => (
                journal,
                format!("{{data: {data}, wij: {wij}, journal: {{}}}}"),
            ),
        },
        Job::Oltp(engine) => {
            let binlog = engine.binlog.map_or("", |_| ", binlog: {}");
            match &engine.on {
                NameOr::Name(one) => (one, format!("{{data: {one}, log: {{}}{binlog}}}")),
                NameOr::Given(roles) => {
                    let OltpRoles { data, log, .. } = roles;
                    let area = roles.doublewrite.as_ref();
                    let area = area
                        .map(|it| format!(", doublewrite: {it}"))
                        .unwrap_or_default();
                    (
                        log.as_ref().unwrap_or(data),
                        format!("{{data: {data}{area}, log: {{}}{binlog}}}"),
                    )
                }
            }
        }
        Job::RanRead(_) | Job::AccessSpec(_) | Job::Demand(_) | Job::Replay(_) => return None,
    };
    Some(Journal {
        job,
        on,
        apart,
        bytes,
        first,
    })
}

impl Journal<'_> {
    fn proposal(&self, scenario: &Scenario, resolved: &Resolved, need: &Need) -> Option<Proposal> {
        let device = scenario.storage.get(self.on)?;
        let mut own = Vec::new();
        places(format!("storage.{}", self.on), device, 1, &mut own);
        let is_alone = self.is_alone(resolved);
        if own.iter().all(|spot| spot.volume.volume_type == "io2") && is_alone {
            return None;
        }
        let catalog = Catalog::get().ok()?;
        let edits = match is_alone {
            true => {
                let of = Of {
                    name: self.on,
                    device,
                    scenario,
                    catalog,
                    need,
                    files: 0,
                };
                own.iter()
                    .flat_map(|spot| of.as_type(spot, "io2"))
                    .collect()
            }
            // A mirror's journal would need one on either host.
            false if matches!(device, Device::Mirror(_)) => return None,
            false => self.apart(scenario, device, own.first()?.volume.host.as_ref()),
        };
        let change = Change::Journal {
            job: self.job.to_owned(),
            device: self.on.to_owned(),
            apart: !is_alone,
        };
        Some(Proposal::of(change, edits))
    }

    /// Whether nothing lies on its device but this job's journals.
    fn is_alone(&self, resolved: &Resolved) -> bool {
        let devices = &resolved.storage.devices;
        let mut on_it = resolved.jobs.iter().flat_map(|job| {
            let files = job.files().into_iter().enumerate();
            let own = files.filter(|(_, file)| devices[file.region.device].name == self.on);
            own.map(|(place, _)| (job.name().to_owned(), place))
        });
        on_it.all(|(job, place)| job == self.job && place >= self.first)
    }

    /// The overrides that give it a device of its own, on the host of its old one.
    fn apart(&self, scenario: &Scenario, old: &Device, host: Option<&String>) -> Vec<Edit> {
        let taken = |name: &String| {
            scenario.storage.contains_key(name) || scenario.hosts.contains_key(name)
        };
        let names = (1..).map(|number| match number {
            1 => "journal".to_owned(),
            _ => format!("journal{number}"),
        });
        let name = names
            .into_iter()
            .find(|name| !taken(name))
            .unwrap_or_default();
        let host = match old {
            Device::Stripe(stripe) => stripe.host.as_ref(),
            Device::Linear(linear) => linear.host.as_ref(),
            Device::Mirror(_) | Device::Volume(_) => None,
        }
        .or(host);
        let host = host
            .map(|host| format!(", host: {host}"))
            .unwrap_or_default();
        // A tenth of room, and twice the redo log's bytes where a binary log lies beside it.
        let gib = (self.bytes * 2 + self.bytes / 10)
            .div_ceil(GIB)
            .max(LEAST_GIB);
        vec![
            Edit::set(
                format!("storage.{name}"),
                format!("{{type: io2, size: {gib}GiB, iops: {IOPS}{host}}}"),
            ),
            Edit::set(
                format!("workload.{}.on", self.job),
                self.apart.replace("{}", &name),
            ),
        ]
    }
}
