//! What jobs have on which device.

use blockyard_scenario::schema::{Job, MirrorMember, NameOr, RanWrite};

use super::{Files, Settings};

/// Which files a job has on which devices, and those of members of its mirror.
pub(super) fn files(name: &str, job: &Job) -> Vec<Files> {
    let files = |kind, on| Files {
        job: name.to_owned(),
        kind,
        on,
        member: None,
        settings: None,
    };
    match job {
        Job::RanRead(job) => {
            vec![files("ranread", [("database", job.on.clone())].into())]
        }
        Job::AccessSpec(job) => {
            vec![files("access_spec", [("file", job.on.clone())].into())]
        }
        Job::Demand(job) => {
            vec![files("demand", [("file", job.on.clone())].into())]
        }
        Job::Replay(job) => {
            vec![files("replay", [("file", job.on.clone())].into())]
        }
        Job::RanWrite(job) => databases(name, job),
        Job::Oltp(job) => {
            let on = match &job.on {
                NameOr::Name(device) => [("data", device.clone())].into(),
                NameOr::Given(roles) => {
                    let all = [
                        ("data", Some(&roles.data)),
                        ("log", roles.log.as_ref()),
                        ("doublewrite", roles.doublewrite.as_ref()),
                        ("binlog", roles.binlog.as_ref()),
                    ];
                    let named = all.into_iter();
                    named
                        .filter_map(|(role, on)| Some((role, on?.clone())))
                        .collect()
                }
            };
            vec![files("oltp", on)]
        }
    }
}

/// A database and its mirror's, with what their servers are configured with.
fn databases(name: &str, job: &RanWrite) -> Vec<Files> {
    let mirror = job.mirror.as_deref();
    let others = mirror.into_iter().flat_map(|mirror| {
        let backup = ("backup", &mirror.backup);
        let far = mirror.asynchronous.iter();
        std::iter::once(backup).chain(far.map(|(name, member)| (name.as_str(), member)))
    });
    let others = others.map(|(member, of)| (Some(member), MirrorMember::roles(of)));
    let members = std::iter::once((None, job.roles())).chain(others);
    members
        .map(|(member, [data, wij, journal])| Files {
            job: name.to_owned(),
            kind: "ranwrite",
            on: [("database", data), ("wij", wij), ("journal", journal)]
                .map(|(role, (_, device))| (role, device.to_owned()))
                .into(),
            member: member.map(str::to_owned),
            settings: Some(Settings {
                size: job.file_size.bytes(),
                block: job.block.bytes(),
                cache: job.cache.bytes(),
                asyncwij: job.wij.asyncwij,
                wij_size: job.wij.file_size.bytes(),
                journal_size: job.journal.file_size.bytes(),
                daemons: job.wdparm.daemons.get(),
                outstanding: job.wdparm.outstanding.get(),
                per_daemon: job.wdparm.per_daemon.get(),
            }),
        })
        .collect()
}
