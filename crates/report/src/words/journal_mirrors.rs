//! Mirrors of journals: whether commits had to wait, what was at risk, how far members were.

use blockyard_record::result::{
    BackupStatus, JournalMirrorTotal, MirrorMemberTotal, MirrorRole, MirrorStage,
};

use super::phrases::in_bytes;
use crate::text::format::{clock, count, duration};

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

fn why_paused(mirror: &JournalMirrorTotal) -> String {
    let last = |stage| {
        let mut changes = mirror.transitions.iter().rev();
        changes
            .find(|change| change.to == stage)
            .map(|change| clock(change.t_s))
    };
    if let Some(taken_over) = last(MirrorStage::TakenOver) {
        let ready = last(MirrorStage::Ready).map_or_else(
            || "and is still replaying".to_owned(),
            |at| format!("and was ready at {at}"),
        );
        return format!(
            "neither backup nor arbiter heard the primary, so the backup took over at {taken_over} \
             {ready}"
        );
    }
    let host = &mirror.primary;
    if let Some(lost) = last(MirrorStage::PrimaryLost) {
        let back = last(MirrorStage::PrimaryBack)
            .map_or_else(|| "to the end".to_owned(), |at| format!("until {at}"));
        return format!(
            "{host} was lost from {lost} {back}, and the backup did not take over: it had failed \
             too, or nobody could tell it that {host} was gone"
        );
    }
    if let Some(frozen) = last(MirrorStage::Frozen) {
        let thawed = last(MirrorStage::Thawed)
            .map_or_else(|| "to the end".to_owned(), |at| format!("until {at}"));
        return format!("the disk of {host} refused the journal from {frozen} {thawed}");
    }
    let ends = mirror.transitions.last().map(|change| change.to);
    if ends == Some(MirrorStage::Trouble) {
        return "the primary is in trouble to the end, as it reaches neither backup nor arbiter \
                and the backup may have taken over"
            .to_owned();
    }
    if last(MirrorStage::Trouble).is_none() {
        return "it waited for a backup that was in contact again before it was given up"
            .to_owned();
    }
    if mirror.trouble_s <= 0.0 {
        return "that long it took until the backup had lost active status".to_owned();
    }
    let waited = duration((mirror.paused_s - mirror.trouble_s).max(0.0));
    let trouble = duration(mirror.trouble_s);
    format!("{waited} until the backup had lost active status, and {trouble} in trouble")
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
