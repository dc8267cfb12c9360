//! Other settings of standbys: what commits wait for, and who takes over.

use std::num::NonZeroU32;

use blockyard_model::units::{MIB, SECOND};
use blockyard_model::workload::spec::{Shipped, Wait};
use blockyard_scenario::EventKind;
use blockyard_scenario::schema::{
    Rejoin, SemiSync, Standbys, SynchronousCommit, SynchronousMethod,
};
use blockyard_scenario::units::{Duration, Size};

use super::super::Proposal;
use super::{Replicated, as_written};

/// When a standby is promoted: Patroni's `ttl`.
const FAILOVER: u64 = 30 * SECOND;

/// How long commits wait for replicas at most: short, and longer than failures last.
const SHORT_WAIT: u64 = SECOND;
const LONG_WAIT: u64 = 3600 * SECOND;

impl Replicated<'_> {
    pub(super) fn of_standbys(&self, standbys: &Standbys) -> Vec<Proposal> {
        let failover = self.failover("standbys.failover", standbys.failover, FAILOVER);
        let mut found: Vec<_> = failover.into_iter().collect();
        found.extend(self.restart("standbys.restart", standbys.restart));
        match self.group.shipping.map(|own| (own.log, own.wait)) {
            Some((Shipped::Wal, wait)) => {
                found.extend(self.other_commit(wait));
                found.extend(self.other_count("standbys.synchronous", standbys.synchronous));
                found.extend(self.any_standby(standbys));
                found.extend(self.other_slots(standbys));
                found.extend(self.other_lag(standbys));
            }
            Some((Shipped::Binlog, _)) => {
                match &standbys.semi_sync {
                    Some(own) => found.extend(self.other_semi_sync(own)),
                    None => found.extend(self.semi_sync()),
                }
                found.extend(self.rejoin(standbys));
            }
            None => {}
        }
        found
    }

    /// Whether commits that wait for standbys are felt.
    fn is_held(&self) -> bool {
        self.waits() || self.total.outage_s > 0.0
    }

    /// PostgreSQL: commits that wait for less where waiting is felt, for more where some were lost.
    fn other_commit(&self, wait: Wait) -> Vec<Proposal> {
        use SynchronousCommit::{Local, Off, On, RemoteApply, RemoteWrite};
        let now = match wait {
            Wait::Nothing if self.engine.log.durable => Local,
            Wait::Nothing => Off,
            Wait::Received => RemoteWrite,
            Wait::Flushed => On,
            Wait::Replayed => RemoteApply,
        };
        let key = "standbys.synchronous_commit";
        let to = |to: SynchronousCommit| (as_written(&now), as_written(&to));
        let mut found = Vec::new();
        if self.total.lost > 0 && matches!(now, Off | Local | RemoteWrite) {
            let (from, to) = to(On);
            let stronger = self.setting(key, from, to);
            // The standby that acknowledged first may be lost, too.
            found.extend(self.all_standbys().map(|all| stronger.clone().and(all)));
            found.push(stronger);
        } else if self.total.lost > 0 {
            found.extend(self.all_standbys());
        }
        if !self.is_held() {
            return found;
        }
        // Queries on a standby may see less, but no disk has less.
        if now == RemoteApply {
            let (from, to) = to(On);
            found.push(self.setting(key, from, to));
        }
        if matches!(now, RemoteWrite | On | RemoteApply) {
            let (from, to) = to(Local);
            found.push(self.weaker(key, from, to));
        }
        found
    }

    /// Commits that wait for all standbys, of several.
    fn all_standbys(&self) -> Option<Proposal> {
        let now = self.group.shipping.map_or(1, |own| own.standbys);
        let all = self.group.nodes.len() as u32;
        let (from, to) = (now.to_string(), all.to_string());
        (all > now).then(|| self.setting("standbys.synchronous", Some(from), Some(to)))
    }

    /// One standby less that commits wait for.
    fn other_count(&self, key: &str, now: Option<NonZeroU32>) -> Option<Proposal> {
        let now = now.map(NonZeroU32::get).filter(|now| *now > 1)?;
        let fewer = || self.weaker(key, Some(now.to_string()), Some((now - 1).to_string()));
        self.is_held().then(fewer)
    }

    /// PostgreSQL: whichever standby is fastest.
    fn any_standby(&self, standbys: &Standbys) -> Option<Proposal> {
        let first = standbys.method == Some(SynchronousMethod::First);
        let any = as_written(&SynchronousMethod::Any);
        let from = standbys.method.as_ref().and_then(as_written);
        (first && self.is_held()).then(|| self.setting("standbys.method", from, any))
    }

    /// PostgreSQL: less log is kept for standbys where that filled its disk, and all of it where
    /// one needed a base backup.
    fn other_slots(&self, standbys: &Standbys) -> Option<Proposal> {
        let key = "standbys.max_slot_wal_keep_size";
        let most = &standbys.max_slot_wal_keep_size;
        let from = most.as_ref().and_then(as_written);
        if self.has_seen(EventKind::LogFull) {
            let room = self.group.log_rooms.first()?;
            let half = Size::new((room / 2 / MIB).max(1) * MIB);
            return Some(self.setting(key, from, as_written(&half)));
        }
        let outdated = self.has_seen(EventKind::Outdated);
        (outdated && most.is_some()).then(|| self.setting(key, from, None))
    }

    /// PostgreSQL: standbys that are behind are promoted where nobody served for that. The other
    /// way round it would lose up to the limit all the same.
    fn other_lag(&self, standbys: &Standbys) -> Option<Proposal> {
        let own = standbys.maximum_lag_on_failover.as_ref()?;
        let held_back = self.has_seen(EventKind::NotPromoted);
        let key = "standbys.maximum_lag_on_failover";
        held_back.then(|| self.weaker(key, as_written(own), None))
    }

    /// MySQL: a source that another has replaced becomes its replica.
    fn rejoin(&self, standbys: &Standbys) -> Option<Proposal> {
        let could = standbys.failover.is_some() && standbys.restart.is_some();
        let stays_away = could && standbys.rejoin != Some(Rejoin::Clone) && self.is_hurt();
        let is_replaced = self.has_seen(EventKind::Takeover);
        let from = standbys.rejoin.as_ref().and_then(as_written);
        let to = as_written(&Rejoin::Clone);
        (stays_away && is_replaced).then(|| self.setting("standbys.rejoin", from, to))
    }

    /// MySQL: commits that wait for a replica, where some were lost.
    fn semi_sync(&self) -> Option<Proposal> {
        let on = Some("{}".to_owned());
        (self.total.lost > 0).then(|| self.setting("standbys.semi_sync", None, on))
    }

    /// MySQL: commits that wait for longer where some were lost, and for fewer replicas, for a
    /// shorter time or for none where waiting is felt.
    fn other_semi_sync(&self, own: &SemiSync) -> Vec<Proposal> {
        let fallback = self.group.shipping.and_then(|own| own.fallback);
        let now = fallback.map_or(0, |own| own.timeout);
        let key = "standbys.semi_sync.timeout";
        let (from, timeout) = (as_written(&Duration::new(now)), Duration::new);
        let mut found = Vec::new();
        if self.total.lost > 0 && self.has_seen(EventKind::Asynchronous) && now < LONG_WAIT {
            found.push(self.setting(key, from.clone(), as_written(&timeout(LONG_WAIT))));
        }
        if self.is_held() {
            if now > SHORT_WAIT {
                found.push(self.weaker(key, from, as_written(&timeout(SHORT_WAIT))));
            }
            found.extend(self.other_count("standbys.semi_sync.replicas", own.replicas));
            let on = Some("{}".to_owned());
            found.push(self.weaker("standbys.semi_sync", on, None));
        }
        found
    }
}
