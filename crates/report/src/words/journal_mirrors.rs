//! Mirrors of journals: whether commits had to wait, what was at risk, how far members were.

use blockyard_record::result::{BackupStatus, JournalMirrorTotal, MirrorMemberTotal, MirrorRole};

use super::journal_pauses::why_paused;
use super::phrases::in_bytes;
use crate::text::format::{count, duration};

/// Shorter times by which a member is behind are those of what is just under way.
const BRIEF_S: f64 = 1.0;

/// A sentence on the commits, one on the backup, and one for each member that is behind.
pub(crate) fn journal_mirror(mirror: &JournalMirrorTotal) -> Vec<String> {
    let mut said = Vec::new();
    if mirror.pauses > 0 {
        said.push(paused(mirror));
    }
    said.extend(mirror.members.first().map(|one| backup(mirror, one)));
    let behind = |member: &MirrorMemberTotal| {
        [lag(&mirror.job, member), backlog(&mirror.job, member)]
            .into_iter()
            .flatten()
    };
    said.extend(mirror.members.iter().flat_map(behind));
    said
}

fn backup(mirror: &JournalMirrorTotal, backup: &MirrorMemberTotal) -> String {
    let ends = match mirror.backup {
        BackupStatus::Active => "active",
        BackupStatus::Disconnected => "not active: it is out of contact",
        BackupStatus::CatchingUp => "not active yet: it is catching up",
        BackupStatus::Primary => "replaying what it has, as it takes over",
    };
    let risk = match mirror.most_at_risk_bytes {
        0 => "nothing at risk".to_owned(),
        bytes => format!("up to {} of committed journal at risk", in_bytes(bytes)),
    };
    let (job, host) = (&mirror.job, &backup.host);
    format!("The backup of {job}, {host}, ends {ends}, with {risk} while it ran.")
}

/// For how long nothing was committed, and why.
fn paused(mirror: &JournalMirrorTotal) -> String {
    let times = match (mirror.pauses, mirror.outage_s) {
        (1, _) => String::new(),
        (pauses, None) => format!(" in {} pauses", count(pauses)),
        (pauses, Some(longest)) => {
            let (pauses, longest) = (count(pauses), duration(longest));
            format!(" in {pauses} pauses, the longest of {longest}")
        }
    };
    let (job, paused_s) = (&mirror.job, duration(mirror.paused_s));
    let why = why_paused(mirror);
    format!("No update of {job} was committed for {paused_s}{times}: {why}.")
}

/// How much of the journal an asynchronous member had yet to receive, if that was for long.
fn lag(job: &str, member: &MirrorMemberTotal) -> Option<String> {
    let lags = member.role == MirrorRole::Asynchronous && member.most_lag_s >= BRIEF_S;
    lags.then(|| {
        let (host, most) = (&member.host, duration(member.most_lag_s));
        let bytes = in_bytes(member.most_lag_bytes);
        format!("The journal of {job} at {host} lags by up to {most}, {bytes}.")
    })
}

/// How much of the journal a member had yet to replay, if that was for long.
fn backlog(job: &str, member: &MirrorMemberTotal) -> Option<String> {
    if member.most_backlog_s < BRIEF_S {
        return None;
    }
    let left = if member.backlog_s >= BRIEF_S {
        let bytes = in_bytes(member.backlog_bytes);
        format!("{bytes} are left at the end")
    } else {
        "at the end it has caught up".to_owned()
    };
    let (host, most) = (&member.host, duration(member.most_backlog_s));
    let bytes = in_bytes(member.most_backlog_bytes);
    Some(format!(
        "Dejournaling of {job} at {host} is behind by up to {most}, {bytes}; {left}."
    ))
}
