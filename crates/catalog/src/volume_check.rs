//! Checks of `volumes.yaml` that go beyond the form of its types.

use blockyard_model::spec::{Applies, Discipline, Unit};
use blockyard_text::hint;

use crate::discipline::Named;
use crate::host::HostKinds;
use crate::rate::Provision;
use crate::source::Sources;
use crate::volume::{LimitRule, VolumeRow, Volumes};

impl Volumes {
    /// Checks names of other entries, units, and that every type has a row for
    /// an unstated host. The error is (path, message).
    pub(super) fn check(
        &self,
        sources: &Sources,
        platforms: &[String],
        profile: impl Fn(&str) -> Result<(), String>,
    ) -> Result<(), (String, String)> {
        for (name, depth) in &self.depths {
            let at = |message| (format!("depths.{name}"), message);
            depth.check(sources).map_err(at)?;
        }
        for (Named(order), grounds) in &self.disciplines {
            let at = |message| (format!("disciplines.{}", order.name()), message);
            grounds.check(sources).map_err(at)?;
        }
        for (name, kind) in &self.hosts {
            let at = |message| (format!("hosts.{name}"), message);
            kind.check(platforms).map_err(at)?;
        }
        for (index, entry) in self.queues.iter().enumerate() {
            let at = |message| (format!("queues.{index}"), message);
            entry.check(&self.hosts, sources).map_err(at)?;
        }
        let at = |message| ("multi_attach".to_owned(), message);
        self.multi_attach.check(&self.hosts, sources).map_err(at)?;
        for (name, launch) in &self.launched {
            let at = |message| (format!("launched.{name}"), message);
            sources.check(&launch.source).map_err(at)?;
            let rows = self.types.get(name);
            if rows.is_none_or(|rows| rows.iter().any(|row| row.period().start() < launch.day)) {
                let message = format!("expected a type without rules before {}", launch.day);
                return Err(at(message));
            }
        }
        for (name, failures) in &self.failures {
            let at = |message| (format!("failures.{name}"), message);
            sources.check(&failures.source).map_err(at)?;
            if !self.types.contains_key(name) {
                return Err(at("no type is called so".into()));
            }
        }
        for (name, rows) in &self.types {
            for (index, row) in rows.iter().enumerate() {
                let at = |message| (format!("types.{name}.{index}"), message);
                row.check(self, sources).map_err(at)?;
                profile(&row.latency).map_err(at)?;
            }
            let assumed = |key| self.hosts.get(key).is_some_and(|kind| kind.assumed);
            if !rows
                .iter()
                .any(|row| row.host.as_deref().is_none_or(assumed))
            {
                let message = "expected at least one row for a host that is not stated".to_owned();
                return Err((format!("types.{name}"), message));
            }
        }
        Ok(())
    }
}

impl VolumeRow {
    fn check(&self, volumes: &Volumes, sources: &Sources) -> Result<(), String> {
        // A row whose limits are as stated claims nothing.
        if self.sources.is_empty() && !self.as_stated {
            return Err("`sources` is empty; expected at least one key".into());
        }
        self.sources.iter().try_for_each(|key| sources.check(key))?;
        if let Some(key) = &self.host {
            check_kind(key, &volumes.hosts)?;
        }
        if !self.counted_in.bytes().is_power_of_two() {
            return Err(format!(
                "`counted_in` is {}; expected a power of two",
                self.counted_in
            ));
        }
        let order = self.discipline;
        if order != Discipline::Fifo && !volumes.disciplines.contains_key(&Named(order)) {
            return Err("its `discipline` is not in `disciplines`".into());
        }
        self.limits.iter().try_for_each(|limit| {
            self.check_limit(limit, volumes)
                .map_err(|message| format!("limit `{}`: {message}", limit.name))
        })
    }

    fn check_limit(&self, limit: &LimitRule, volumes: &Volumes) -> Result<(), String> {
        check_name(limit)?;
        limit.rate.check(limit.unit)?;
        if !volumes.depths.contains_key(&limit.depth) {
            return Err(format!("`{}` is not in `depths`", limit.depth));
        }
        if let Some(cap) = &limit.max_unless {
            check_kind(&cap.host, &volumes.hosts)?;
            if cap.rate.unit != limit.unit {
                return Err("`max_unless` is in another unit than the limit".into());
            }
        }
        if limit.rate.needs(Provision::Iops) && self.iops.is_none() && !self.as_stated {
            return Err("its rate needs `iops` in the row".into());
        }
        let throughput = self.throughput.is_some() || self.as_stated;
        if limit.rate.needs(Provision::Throughput) && !throughput {
            return Err("its rate needs `throughput` in the row".into());
        }
        Ok(())
    }
}

/// Limits are known by their names to results, reports and sentences, which read from them
/// what is limited.
fn check_name(limit: &LimitRule) -> Result<(), String> {
    let direction = match limit.applies {
        Applies::Both => "",
        Applies::Reads => "read_",
        Applies::Writes => "write_",
    };
    let unit = match limit.unit {
        Unit::Io => "iops",
        Unit::Byte => "throughput",
    };
    let credits = if limit.credits { "_credits" } else { "" };
    let expected = format!("{direction}{unit}{credits}");
    if limit.name != expected {
        return Err(format!(
            "a limit that counts so is called `{expected}`, of the form [read_|write_](iops|throughput)[_credits]"
        ));
    }
    Ok(())
}

fn check_kind(key: &str, kinds: &HostKinds) -> Result<(), String> {
    if kinds.contains_key(key) {
        return Ok(());
    }
    let hint = hint(key, kinds.keys().map(String::as_str));
    Err(format!("`{key}` is not in `hosts`{hint}"))
}
