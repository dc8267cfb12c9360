//! How the mirrors of journals fared in a run.

use blockyard_model::spec::StorageSpec;
use blockyard_model::storage::{
    BackupState, JournalMirrorStatus, MemberStatus, Storage, Transition,
};
use blockyard_model::units::{Bytes, Nanos};
use blockyard_scenario::{EventKind, Resolved};

use crate::result::{
    BackupStatus, Event, JournalMirrorTotal, MirrorMemberTotal, MirrorRole, MirrorStage,
    MirrorTransition, seconds,
};

/// The mirrors of the journals of a run, as they were when it was last looked at them.
#[derive(Clone, Debug, Default)]
pub(crate) struct JournalMirrors {
    at: Nanos,
    all: Vec<Seen>,
}

/// One mirror.
#[derive(Clone, Debug)]
struct Seen {
    last: JournalMirrorStatus,
    /// The most bytes at risk of all looks.
    most_at_risk: Bytes,
    /// By member, the most of each figure of all looks.
    most: Vec<MemberStatus>,
}

impl JournalMirrors {
    pub(crate) fn look(&mut self, storage: &Storage, now: Nanos) {
        self.at = now;
        for (index, status) in storage.journal_mirrors(now).enumerate() {
            if index == self.all.len() {
                self.all.push(Seen {
                    most_at_risk: 0,
                    most: status.members.clone(),
                    last: status.clone(),
                });
            }
            let seen = &mut self.all[index];
            seen.most_at_risk = seen.most_at_risk.max(status.at_risk);
            for (most, is) in seen.most.iter_mut().zip(&status.members) {
                most.lag_bytes = most.lag_bytes.max(is.lag_bytes);
                most.lag = most.lag.max(is.lag);
                most.backlog_bytes = most.backlog_bytes.max(is.backlog_bytes);
                most.backlog = most.backlog.max(is.backlog);
            }
            seen.last = status;
        }
    }

    /// For results.
    pub(crate) fn totals(&self, resolved: &Resolved) -> Vec<JournalMirrorTotal> {
        let totals = self.all.iter().map(|seen| {
            let last = &seen.last;
            let transition = |&(at, to): &(Nanos, Transition)| MirrorTransition {
                t_s: seconds(at),
                to: stage(to),
            };
            let members = last.members.iter().zip(&seen.most).enumerate();
            JournalMirrorTotal {
                job: resolved.jobs[last.job].name().into(),
                primary: primary(resolved, last.job),
                backup: match last.backup {
                    BackupState::Active => BackupStatus::Active,
                    BackupState::Disconnected => BackupStatus::Disconnected,
                    BackupState::CatchingUp => BackupStatus::CatchingUp,
                    BackupState::Primary => BackupStatus::Primary,
                },
                paused_s: seconds(last.paused),
                pauses: last.pauses,
                trouble_s: seconds(trouble(&last.transitions, self.at)),
                at_risk_bytes: last.at_risk,
                most_at_risk_bytes: seen.most_at_risk,
                transitions: last.transitions.iter().map(transition).collect(),
                members: members
                    .map(|(index, (is, most))| member(&resolved.storage, index, is, most))
                    .collect(),
            }
        });
        totals.collect()
    }

    /// Their transitions, as events.
    pub(crate) fn events(&self, resolved: &Resolved) -> Vec<Event> {
        let all = self.all.iter().flat_map(|seen| {
            let job = resolved.jobs[seen.last.job].name();
            let transitions = &seen.last.transitions;
            let each = transitions.iter().enumerate();
            each.filter_map(move |(index, &(at, to))| {
                event(job, at, to, transitions.get(index + 1).copied())
            })
        });
        all.collect()
    }
}

/// A transition that begins something, until the `next`.
fn event(job: &str, at: Nanos, to: Transition, next: Option<(Nanos, Transition)>) -> Option<Event> {
    let until = next.map(|(until, _)| until).filter(|until| *until > at);
    let (kind, what) = match to {
        Transition::Trouble if next.is_some() && until.is_none() => (
            EventKind::Trouble,
            "the backup loses active status, the primary goes on without it",
        ),
        Transition::Trouble => (
            EventKind::Trouble,
            "the backup loses active status, the primary is in trouble",
        ),
        Transition::CatchingUp => (EventKind::CatchUp, "the backup is back and catches up"),
        Transition::TakenOver => (
            EventKind::Takeover,
            "the backup takes over and replays what it has",
        ),
        Transition::Alone | Transition::Disconnected | Transition::Active | Transition::Ready => {
            return None;
        }
    };
    let what = format!("{job}: {what}");
    Some(Event {
        until_s: until.map(seconds),
        ..Event::noted(seconds(at), kind, Some(job.into()), what)
    })
}

/// For how long the primary was in trouble until `end`.
fn trouble(transitions: &[(Nanos, Transition)], end: Nanos) -> Nanos {
    let each = transitions.iter().enumerate();
    let spells = each.filter(|(_, (_, to))| *to == Transition::Trouble);
    spells
        .map(|(index, (at, _))| transitions.get(index + 1).map_or(end, |next| next.0) - at)
        .sum()
}

fn stage(of: Transition) -> MirrorStage {
    match of {
        Transition::Trouble => MirrorStage::Trouble,
        Transition::Alone => MirrorStage::Alone,
        Transition::Disconnected => MirrorStage::Disconnected,
        Transition::CatchingUp => MirrorStage::CatchingUp,
        Transition::Active => MirrorStage::Active,
        Transition::TakenOver => MirrorStage::TakenOver,
        Transition::Ready => MirrorStage::Ready,
    }
}

fn member(
    storage: &StorageSpec,
    index: usize,
    is: &MemberStatus,
    most: &MemberStatus,
) -> MirrorMemberTotal {
    MirrorMemberTotal {
        host: storage.hosts[is.host].name.clone(),
        role: match index {
            0 => MirrorRole::Backup,
            _ => MirrorRole::Asynchronous,
        },
        received_bytes: is.received,
        lag_bytes: is.lag_bytes,
        lag_s: seconds(is.lag),
        most_lag_bytes: most.lag_bytes,
        most_lag_s: seconds(most.lag),
        backlog_bytes: is.backlog_bytes,
        backlog_s: seconds(is.backlog),
        most_backlog_bytes: most.backlog_bytes,
        most_backlog_s: seconds(most.backlog),
    }
}

/// The name of a job's host.
fn primary(resolved: &Resolved, job: usize) -> String {
    let storage = &resolved.storage;
    let files = resolved.jobs[job].files();
    let mut host = 0;
    if let Some(file) = files.first() {
        let layout = &storage.devices[file.region.device].layout;
        layout.volumes(&mut |volume| host = storage.volumes[volume].host);
    }
    storage.hosts[host].name.clone()
}
