//! Other settings of a Galera cluster.

use blockyard_model::units::{MIB, SECOND};
use blockyard_record::thresholds::FELT;
use blockyard_scenario::EventKind;
use blockyard_scenario::schema::{Galera, SstMethod};
use blockyard_scenario::units::{Duration, Size};

use super::super::Proposal;
use super::{Replicated, as_written};

/// A proxy's checks, as HAProxy has them by default: `inter` 2 s, `fall` 3.
const FAILOVER: u64 = 6 * SECOND;

/// How long starting an engine again takes: an assumption.
const RESTART: u64 = 10 * SECOND;

/// Galera takes a shorter silence only with other settings changed beside it.
const SHORTEST_SILENCE: u64 = 3 * SECOND;

/// A longer silence, and more threads, that are tried: so many times as much.
const TIMES: u64 = 4;

/// Galera's most threads that apply.
const MOST_APPLIERS: u32 = 512;

/// Percona XtraDB Cluster's limit of a receive queue, which is tried where there is less.
const FC_LIMIT: u32 = 100;

impl Replicated<'_> {
    pub(super) fn of_galera(&self, galera: &Galera) -> Vec<Proposal> {
        let mut found: Vec<_> = self.longer_memory(galera).into_iter().collect();
        found.extend(self.other_copy(galera));
        found.extend(self.restart("galera.restart", galera.restart));
        found.extend(self.failover("galera.failover", galera.failover, FAILOVER));
        found.extend(self.other_silence(galera));
        found.extend(self.flow_control(galera));
        found
    }

    /// A gcache that holds all write sets of the run, so that a node gets what it missed.
    fn longer_memory(&self, galera: &Galera) -> Option<Proposal> {
        let copied = self.has_seen(EventKind::StateTransfer);
        if !copied && !self.has_seen(EventKind::Outdated) {
            return None;
        }
        let warmup_s = self.scenario.warmup.nanos() as f64 / 1e9;
        let whole_s = self.result.duration_s;
        let sent = self.replication.write_sets as f64 * self.replication.bytes_per_write_set;
        let all = sent * whole_s / (whole_s - warmup_s).max(1.0);
        let to = (all as u64).max(MIB).next_power_of_two();
        let larger = to > galera.gcache.bytes();
        let (from, to) = (as_written(&galera.gcache), as_written(&Size::new(to)));
        larger.then(|| self.setting("galera.gcache", from, to))
    }

    /// Where all data was copied: another way, and another donor than the node with the load.
    fn other_copy(&self, galera: &Galera) -> Vec<Proposal> {
        let mut found = Vec::new();
        if !self.has_seen(EventKind::StateTransfer) {
            return found;
        }
        if galera.sst_method == SstMethod::Rsync {
            let backup = match self.job.engine.as_str() {
                "percona" => SstMethod::XtrabackupV2,
                _ => SstMethod::Mariabackup,
            };
            let (from, to) = (as_written(&galera.sst_method), as_written(&backup));
            found.push(self.setting("galera.sst_method", from, to));
        }
        if galera.sst_donor.is_none() && galera.failover.is_some() {
            let donor = galera
                .nodes
                .keys()
                .find(|host| self.can_give(host))
                .cloned();
            found.extend(donor.map(|it| self.setting("galera.sst_donor", None, Some(it))));
        }
        found
    }

    /// Whether a node got no copy itself and was not given the load.
    fn can_give(&self, host: &str) -> bool {
        let kinds = [EventKind::StateTransfer, EventKind::Takeover];
        let mut events = kinds.into_iter().flat_map(|kind| self.happened(kind));
        events.all(|event| event.on.as_deref() != Some(host))
    }

    /// Somebody who starts engines again, where one stayed away.
    pub(super) fn restart(&self, key: &str, now: Option<Duration>) -> Option<Proposal> {
        let mut stopped = self.total.stopped.iter();
        let stays = stopped.any(|engine| engine.back_s.is_none());
        let wanted = stays || self.has_seen(EventKind::Outdated);
        let to = as_written(&Duration::new(RESTART));
        (now.is_none() && wanted).then(|| self.setting(key, None, to))
    }

    /// Another node that takes the load over, or does so earlier.
    pub(super) fn failover(&self, key: &str, now: Option<Duration>, to: u64) -> Option<Proposal> {
        let slower = now.is_none_or(|now| now.nanos() > to);
        let from = now.as_ref().and_then(as_written);
        let to = as_written(&Duration::new(to));
        (slower && self.has_lost_its_engine()).then(|| self.setting(key, from, to))
    }

    /// Shorter where commits waited for a silent node; longer where one that came back was given
    /// up.
    fn other_silence(&self, galera: &Galera) -> Vec<Proposal> {
        let now = galera.suspect_timeout.nanos();
        let to = |nanos: u64| {
            let (from, to) = (
                as_written(&galera.suspect_timeout),
                as_written(&Duration::new(nanos)),
            );
            self.setting("galera.suspect_timeout", from, to)
        };
        let mut found = Vec::new();
        if self.has_seen(EventKind::Silent) && now > SHORTEST_SILENCE {
            found.push(to(SHORTEST_SILENCE));
        }
        let returned = [EventKind::CatchUp, EventKind::StateTransfer];
        let returned = returned.into_iter().any(|kind| self.has_seen(kind));
        if self.has_seen(EventKind::Left) && returned {
            found.push(to(now.saturating_mul(TIMES).min(3600 * SECOND)));
        }
        found
    }

    /// More threads that apply, and longer queues, where flow control stopped the cluster.
    fn flow_control(&self, galera: &Galera) -> Vec<Proposal> {
        let mut found = Vec::new();
        if self.replication.paused_s < FELT * self.result.duration_s {
            return found;
        }
        let appliers = u64::from(galera.appliers.get());
        let more = (TIMES * appliers).min(MOST_APPLIERS.into());
        if more > appliers {
            let (from, to) = (appliers.to_string(), more.to_string());
            found.push(self.setting("galera.appliers", Some(from), Some(to)));
        }
        let limit = galera.fc_limit.get();
        let longer = limit.saturating_mul(TIMES as u32).max(FC_LIMIT);
        let (from, to) = (limit.to_string(), longer.to_string());
        found.push(self.setting("galera.fc_limit", Some(from), Some(to)));
        found
    }
}
