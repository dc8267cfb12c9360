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

/// How the mirror of a journal served.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct JournalService {
    /// The longest time in which the journal's writes waited for a decision, or for a backup that
    /// took over to be ready.
    pub(crate) longest_pause: Nanos,
    /// Committed bytes that a backup that took over did not have.
    pub(crate) lost: Bytes,
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

impl Seen {
    /// How it served, for goals and for results.
    fn service(&self) -> JournalService {
        JournalService {
            longest_pause: self.last.longest_pause,
            lost: self.last.lost,
        }
    }
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

    /// How the mirror of a job's journal served, if it has one.
    pub(crate) fn of(&self, job: usize) -> Option<JournalService> {
        let mut all = self.all.iter();
        let own = all.find(|seen| seen.last.job == job)?;
        Some(own.service())
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
                primary: resolved.storage.hosts[last.primary].name.clone(),
                backup: match last.backup {
                    BackupState::Active => BackupStatus::Active,
                    BackupState::Disconnected => BackupStatus::Disconnected,
                    BackupState::CatchingUp => BackupStatus::CatchingUp,
                    BackupState::Primary => BackupStatus::Primary,
                },
                paused_s: seconds(last.paused),
                pauses: last.pauses,
                outage_s: Some(seen.service().longest_pause)
                    .filter(|&longest| longest > 0)
                    .map(seconds),
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
            let name = |host: usize| resolved.storage.hosts[host].name.as_str();
            // Each takeover ends with the other as primary, so the last of them is known.
            let [is, was] = [seen.last.primary, seen.last.members[0].host].map(name);
            let reigns: Vec<_> = seen
                .last
                .transitions
                .split_inclusive(|it| it.1 == Transition::Ready)
                .collect();
            let ready = seen.last.transitions.iter();
            let takeovers = ready.filter(|it| it.1 == Transition::Ready).count();
            let of = move |reign: usize| match (takeovers - reign.min(takeovers)) % 2 {
                0 => [is, was],
                _ => [was, is],
            };
            let each = reigns.into_iter().enumerate();
            each.flat_map(move |(reign, of_it)| reign_events(job, of(reign), of_it))
        });
        all.collect()
    }
}

/// What became of a mirror while one host was primary: this and its backup's `hosts`.
fn reign_events(job: &str, hosts: [&str; 2], transitions: &[(Nanos, Transition)]) -> Vec<Event> {
    let (own, control): (Vec<(Nanos, Transition)>, Vec<_>) =
        transitions.iter().copied().partition(|it| is_own(it.1));
    let next = |all: &[(Nanos, Transition)], index: usize| all.get(index + 1).copied();
    let end = control.iter().find(|it| it.1 == Transition::TakenOver);
    let mut said: Vec<_> = (own.iter().enumerate())
        .filter_map(|(index, &(at, to))| {
            let until = next(&own, index).or(end.copied()).map(|it| it.0);
            lost(job, hosts[0], at, to, until)
        })
        .collect();
    let each = control.iter().enumerate();
    said.extend(each.filter_map(|(index, &(at, to))| {
        let is_lost = own.iter().rfind(|it| it.0 <= at);
        let is_lost = is_lost.is_some_and(|it| it.1 == Transition::PrimaryLost);
        let at = (at, next(&control, index));
        event((job, hosts[1]), at, to, is_lost)
    }));
    said
}

/// Whether a transition is of the primary by itself, whatever the backup does.
fn is_own(to: Transition) -> bool {
    use Transition::{Frozen, PrimaryBack, PrimaryLost, Thawed};
    matches!(to, PrimaryLost | PrimaryBack | Frozen | Thawed)
}

/// A transition of the primary that begins something, `until` then.
fn lost(job: &str, host: &str, at: Nanos, to: Transition, until: Option<Nanos>) -> Option<Event> {
    let what = match to {
        Transition::PrimaryLost => {
            format!("{job}: the primary, {host}, is lost, and nothing is committed")
        }
        Transition::Frozen => {
            format!("{job}: the disk of {host} refuses the journal, and updates are frozen")
        }
        _ => return None,
    };
    Some(Event {
        until_s: until.map(seconds),
        ..Event::noted(seconds(at), EventKind::Frozen, Some(job.into()), what)
    })
}

/// A transition that begins something, until the `next`. `is_lost`: the primary's host is.
fn event(
    (job, backup): (&str, &str),
    (at, next): (Nanos, Option<(Nanos, Transition)>),
    to: Transition,
    is_lost: bool,
) -> Option<Event> {
    let until = next.map(|(until, _)| until).filter(|until| *until > at);
    let taken_over = next.is_some_and(|next| next.1 == Transition::TakenOver);
    let (kind, what) = match to {
        // The primary does not know of it, or is lost.
        Transition::Trouble if taken_over && until.is_none() => return None,
        Transition::Trouble if is_lost => (
            EventKind::Trouble,
            "loses active status, and does not take over",
        ),
        Transition::Trouble if next.is_some() && until.is_none() => (
            EventKind::Trouble,
            "loses active status, the primary goes on without it",
        ),
        Transition::Trouble => (
            EventKind::Trouble,
            "loses active status, the primary is in trouble",
        ),
        Transition::CatchingUp => (EventKind::CatchUp, "is back and catches up"),
        Transition::TakenOver => (EventKind::Takeover, "takes over and replays what it has"),
        _ => return None,
    };
    let what = format!("{job}: the backup, {backup}, {what}");
    Some(Event {
        until_s: until.map(seconds),
        ..Event::noted(seconds(at), kind, Some(job.into()), what)
    })
}

/// For how long the primary was in trouble until `end`.
fn trouble(transitions: &[(Nanos, Transition)], end: Nanos) -> Nanos {
    let control: Vec<_> = transitions.iter().filter(|it| !is_own(it.1)).collect();
    let each = control.iter().enumerate();
    let spells = each.filter(|(_, (_, to))| *to == Transition::Trouble);
    spells
        .map(|(index, (at, _))| control.get(index + 1).map_or(end, |next| next.0) - at)
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
        Transition::PrimaryLost => MirrorStage::PrimaryLost,
        Transition::PrimaryBack => MirrorStage::PrimaryBack,
        Transition::Frozen => MirrorStage::Frozen,
        Transition::Thawed => MirrorStage::Thawed,
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
