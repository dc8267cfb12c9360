//! Elastic modifications of volumes.

use std::sync::Arc;

use blockyard_model::fault::{Term, Terms};
use blockyard_model::spec::LimitSpec;
use blockyard_model::units::Nanos;
use blockyard_text::grouped;

use super::{EventKind, ResolvedEvent, Resolver};
use crate::RestsOn;
use crate::resolve::Invalid;
use crate::schema::{Modify, Volume};
use crate::units::{Duration, Size};

/// The modifications of a volume so far.
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    /// When each began.
    times: Vec<Duration>,
    /// When the last is complete.
    complete: Nanos,
    /// The limits that hold then; none before the first.
    limits: Option<Vec<LimitSpec>>,
}

impl Resolver<'_, '_> {
    /// Each volume keeps of every limit the smaller of the old and the new while it is
    /// optimised, which is the least that is published of that time: no less than before and,
    /// where less was asked for, no less than that. Credits of the old type last until then.
    pub(super) fn modify(&mut self, path: &str, it: &Modify) -> Result<(), Invalid> {
        let stated = [
            it.volume_type.is_some(),
            it.size.is_some(),
            it.iops.is_some(),
            it.throughput.is_some(),
        ];
        if !stated.contains(&true) {
            let message = "nothing to modify; expected `type`, `size`, `iops` or `throughput`";
            return Err(Invalid::new(path, message));
        }
        let volumes = self.volumes((path, "modify", &it.modify), it.at)?;
        let mut complete = it.at.nanos();
        for &volume in &volumes {
            complete = complete.max(self.modify_volume(path, it, volume)?);
        }
        let duration = self.scenario.duration.nanos();
        if duration > 0 && complete >= duration {
            self.events.notices.push(format!(
                "`{}` is in the optimising state of its modification until {}, after the end of \
                 the run: its new limits do not come into force; `optimising` states less",
                it.modify,
                rounded(complete),
            ));
        }
        let becomes = volumes.first().map(|&volume| self.words(volume));
        let devices = self.devices_of(&volumes);
        let (at, until) = (it.at.nanos(), Some(complete));
        self.tell(ResolvedEvent {
            becomes: becomes.unwrap_or_default(),
            ..ResolvedEvent::new(EventKind::Modify, &it.modify, at, until, devices)
        });
        Ok(())
    }

    /// Modifies one volume; gives when that is complete.
    fn modify_volume(&mut self, path: &str, it: &Modify, volume: usize) -> Result<Nanos, Invalid> {
        let name = self.builder.volumes[volume].name.clone();
        let invalid = |key: &str, message: String| Invalid::new(format!("{path}.{key}"), message);
        let (old, old_size) = self.builder.asked[volume].clone();
        let history = &self.states[volume].history;
        if it.at.nanos() < history.complete {
            let until = rounded(history.complete);
            let message = format!(
                "`{name}` is in the optimising state of its last modification until {until}"
            );
            return Err(invalid("at", message));
        }
        if let Some(rule) = self.builder.catalog.modification_rule(self.builder.day) {
            rule.check(&history.times, it.at)
                .map_err(|too_often| invalid("at", too_often.to_string()))?;
        }
        if let Some(size) = it.size.filter(|&size| size < old_size) {
            let message =
                format!("`{size}` is less than the {old_size} of `{name}`; a volume cannot shrink");
            return Err(invalid("size", message));
        }
        let volume_type = it.volume_type.clone().unwrap_or(old.volume_type.clone());
        let same = volume_type == old.volume_type;
        let new = Volume {
            size: Some(it.size.unwrap_or(old_size)),
            iops: it.iops.or(old.iops.filter(|_| same)),
            throughput: it.throughput.or(old.throughput.filter(|_| same)),
            volume_type,
            ..old
        };
        let spec = &self.builder.volumes[volume];
        let terms = self.builder.terms(&name, path, &new, spec.host)?;
        if !spec.behind_host || !terms.behind_host {
            let message = "a local disk cannot be modified, and no volume can become one";
            return Err(invalid("modify", message.into()));
        }
        if (spec.io_unit, spec.whole_units) != (terms.io_unit, terms.whole_units) {
            let message = format!(
                "IOs of `{}` are counted in other units than those of `{}`; a modification \
                 between the two is not modelled",
                new.volume_type, old.volume_type
            );
            return Err(invalid("type", message));
        }
        let stated = it.optimising;
        let takes = stated.unwrap_or_else(|| self.builder.catalog.optimising(terms.size).0);
        let complete = it.at.nanos().saturating_add(takes.nanos());
        let before = history
            .limits
            .clone()
            .unwrap_or_else(|| spec.limits.clone());
        let another = (spec.latency != terms.latency).then(|| Arc::new(terms.latency));
        self.plan(
            volume,
            it.at.nanos(),
            complete,
            &before,
            &terms.limits,
            another,
        );
        for resolved in terms.resolved {
            let mut known = self.builder.limits.iter_mut();
            let said = format!("modified at {}", it.at);
            match known.find(|one| one.owner == name && one.limit == resolved.limit) {
                Some(known) => known.say(&said),
                None => {
                    let mut later = resolved;
                    later.say(&format!("{said}, holds from {} on", rounded(complete)));
                    self.builder.limits.push(later);
                }
            }
        }
        self.rest_on(volume, terms.rests_on);
        let history = &mut self.states[volume].history;
        history.times.push(it.at);
        history.complete = complete;
        history.limits = Some(terms.limits);
        self.builder.asked[volume] = (new, terms.size);
        Ok(complete)
    }

    /// The figures of a volume's device rest on what it is modified to as well.
    fn rest_on(&mut self, volume: usize, grounds: Vec<RestsOn>) {
        for device in self.devices_of(&[volume]) {
            let first = self.builder.rests_on.len();
            self.builder.rests_on.extend(grounds.iter().cloned());
            let name = &self.devices[device].name;
            self.builder.name_grounds(first, name);
        }
    }

    /// A volume has other limits from its modification on, and when that is complete.
    fn plan(
        &mut self,
        volume: usize,
        at: Nanos,
        complete: Nanos,
        before: &[LimitSpec],
        after: &[LimitSpec],
        latency: Option<Arc<blockyard_model::spec::LatencySpec>>,
    ) {
        let term = |limit: &LimitSpec| Term {
            name: limit.name.clone(),
            holds: Some((limit.rate, limit.depth)),
        };
        let lifted = |limit: &LimitSpec| Term {
            name: limit.name.clone(),
            holds: None,
        };
        let lacks =
            |limits: &[LimitSpec], one: &LimitSpec| limits.iter().all(|it| it.name != one.name);
        let less = |limit: &&LimitSpec| {
            let of = before.iter().find(|it| it.name == limit.name);
            of.is_some_and(|old| limit.rate < old.rate)
        };
        let while_optimised = after.iter().filter(less).map(term).collect();
        let gone = before
            .iter()
            .filter(|limit| lacks(after, limit))
            .map(lifted);
        let then = after.iter().map(term).chain(gone).collect();
        let own = &mut self.builder.volumes[volume].limits;
        let new: Vec<_> = after
            .iter()
            .filter(|limit| lacks(own, limit))
            .cloned()
            .collect();
        let not_yet: Vec<_> = new.iter().map(lifted).collect();
        own.extend(new);
        let terms = [
            (0, not_yet, None),
            (at, while_optimised, None),
            (complete, then, latency),
        ];
        let terms = terms.into_iter().map(|(at, limits, latency)| Terms {
            at,
            volume,
            limits,
            latency,
            host: None,
            reconnects: false,
        });
        let some = terms.filter(|terms| !terms.limits.is_empty() || terms.latency.is_some());
        self.events.schedule.terms.extend(some);
    }

    /// What a volume is now, in words.
    fn words(&self, volume: usize) -> String {
        let (asked, size) = &self.builder.asked[volume];
        let iops = asked.iops.map(|iops| format!(", {} IOPS", grouped(iops)));
        let throughput = asked.throughput.map(|it| format!(", {it}"));
        let more = iops.into_iter().chain(throughput).collect::<String>();
        format!("{} of {size}{more}", asked.volume_type)
    }
}

/// A time in whole seconds, to be read.
fn rounded(time: Nanos) -> Duration {
    const SECOND: Nanos = blockyard_model::units::SECOND;
    Duration::new(time.div_ceil(SECOND).saturating_mul(SECOND))
}

/// What a volume gets by another ask.
pub(in crate::resolve) struct NewTerms {
    pub(in crate::resolve) size: Size,
    pub(in crate::resolve) io_unit: u64,
    pub(in crate::resolve) whole_units: bool,
    pub(in crate::resolve) behind_host: bool,
    pub(in crate::resolve) limits: Vec<LimitSpec>,
    pub(in crate::resolve) resolved: Vec<crate::ResolvedLimit>,
    pub(in crate::resolve) rests_on: Vec<RestsOn>,
    pub(in crate::resolve) latency: blockyard_model::spec::LatencySpec,
}
