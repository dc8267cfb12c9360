//! Checks of `volumes.yaml` that its types' form alone does not make.

use super::depth::Depths;
use super::rate::Provision;
use super::source::Sources;
use super::volume::{HostRule, LimitRule, VolumeRow, Volumes};

impl Volumes {
    /// Checks names of other entries, units, and that every type has a row for
    /// every host. The error is (path, message).
    pub(super) fn check(
        &self,
        sources: &Sources,
        profile: impl Fn(&str) -> Result<(), String>,
    ) -> Result<(), (String, String)> {
        for (name, depth) in &self.depths {
            let at = |message| (format!("depths.{name}"), message);
            depth.check(sources).map_err(at)?;
        }
        for (name, launch) in &self.launched {
            let at = |message| (format!("launched.{name}"), message);
            sources.check(&launch.source).map_err(at)?;
            let rows = self.types.get(name);
            if rows.is_none_or(|rows| rows.iter().any(|row| row.period().start() < launch.day)) {
                let message = format!("expected a type without rules before {}", launch.day);
                return Err(at(message));
            }
        }
        for (name, rows) in &self.types {
            if !rows.iter().any(|row| row.host == HostRule::Any) {
                let message = "expected at least one row without `host`".to_owned();
                return Err((format!("types.{name}"), message));
            }
            for (index, row) in rows.iter().enumerate() {
                let at = |message| (format!("types.{name}.{index}"), message);
                row.check(sources, &self.depths).map_err(at)?;
                profile(&row.latency).map_err(at)?;
            }
        }
        Ok(())
    }
}

impl VolumeRow {
    fn check(&self, sources: &Sources, depths: &Depths) -> Result<(), String> {
        // A row without limits claims nothing.
        if self.sources.is_empty() && !self.limits.is_empty() {
            return Err("`sources` is empty; expected at least one key".into());
        }
        self.sources.iter().try_for_each(|key| sources.check(key))?;
        if !self.counted_in.bytes().is_power_of_two() {
            return Err(format!(
                "`counted_in` is {}; expected a power of two",
                self.counted_in
            ));
        }
        self.limits.iter().try_for_each(|limit| {
            self.check_limit(limit, depths)
                .map_err(|message| format!("limit `{}`: {message}", limit.name))
        })
    }

    fn check_limit(&self, limit: &LimitRule, depths: &Depths) -> Result<(), String> {
        limit.rate.check(limit.unit)?;
        if !depths.contains_key(&limit.depth) {
            return Err(format!("`{}` is not in `depths`", limit.depth));
        }
        if limit
            .max_off_nitro
            .is_some_and(|most| most.unit != limit.unit)
        {
            return Err("`max_off_nitro` is in another unit than the limit".into());
        }
        if limit.rate.needs(Provision::Iops) && self.iops.is_none() {
            return Err("its rate needs `iops` in the row".into());
        }
        if limit.rate.needs(Provision::Throughput) && self.throughput.is_none() {
            return Err("its rate needs `throughput` in the row".into());
        }
        Ok(())
    }
}
