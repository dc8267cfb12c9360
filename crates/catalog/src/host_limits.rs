//! The limits of an instance on all its volumes together.

use blockyard_model::spec::{Applies, TopUp, Unit};
use blockyard_text::units::Date;

use crate::Catalog;
use crate::amount::ByteUnit;
use crate::db_classes::PREFIX;
use crate::depth::in_time;
use crate::grounds::{Assumption, Note};
use crate::instance::{Instance, InstanceRules};
use crate::limits::Limit;
use crate::source::Source;

/// The limits of an instance on all its volumes together.
#[derive(Clone, Debug)]
pub struct HostLimits<'a> {
    /// The instance type.
    pub instance: &'a Instance,
    /// Where its figures are published.
    pub source: Option<&'a Source>,
    /// The limits, which all hold at once; `None` where no figures are published.
    pub limits: Option<Vec<Limit<'a>>>,
    /// The unit in which throughput is stated.
    pub stated_in: ByteUnit,
}

/// The names of the limits in one unit.
struct Names {
    unit: Unit,
    maximum: &'static str,
    credits: &'static str,
}

impl Catalog {
    /// The limits of an instance on all its volumes on a day, or today.
    #[must_use]
    pub fn host_limits<'a>(&'a self, instance: &'a Instance, day: Option<Date>) -> HostLimits<'a> {
        let limits = instance.levels(day).map(|levels| {
            let (baseline, maximum) = (levels.baseline, levels.maximum);
            let mut assumptions = Vec::new();
            if let Some(day) = day.filter(|_| levels.is_assumed(day)) {
                let observed = levels.observed;
                assumptions.push(Assumption::EarlyFigures { observed, day });
            }
            assumptions.extend(self.outdated(day));
            if instance.name().starts_with(PREFIX) {
                assumptions.push(Assumption::Undocumented(&self.rds.classes.assumed));
            }
            let io = Names {
                unit: Unit::Io,
                maximum: "iops",
                credits: "iops_credits",
            };
            let byte = Names {
                unit: Unit::Byte,
                maximum: "throughput",
                credits: "throughput_credits",
            };
            let mut limits = Vec::new();
            limits.extend(self.rates(&io, baseline.iops, maximum.iops, &assumptions));
            let (baseline, maximum) = (baseline.throughput, maximum.throughput);
            limits.extend(self.rates(&byte, baseline, maximum, &assumptions));
            limits
        });
        HostLimits {
            instance,
            source: self.source_of(instance, day),
            limits,
            stated_in: self.rules.stated_in,
        }
    }

    /// The limits in one unit: the maximum, and credits where the baseline is lower.
    fn rates<'a>(
        &'a self,
        names: &Names,
        baseline: u64,
        maximum: u64,
        assumptions: &[Assumption<'a>],
    ) -> Vec<Limit<'a>> {
        let InstanceRules {
            short: ready,
            burst,
            ..
        } = &self.rules;
        let limit = |name, rate: u64, depth: u64, inferred, source| Limit {
            name,
            unit: names.unit,
            applies: Applies::Both,
            rate: rate.max(1),
            depth: depth.max(1),
            credits: false,
            top_up: None,
            assumptions: assumptions.to_vec(),
            notes: vec![Note::DepthInferred {
                reason: inferred,
                source: self.sources.get(source),
            }],
        };
        let second = in_time(maximum, ready.time);
        let mut limits = vec![limit(
            names.maximum,
            maximum,
            second,
            &ready.inferred,
            &ready.source,
        )];
        if baseline < maximum {
            let depth = in_time(maximum - baseline, burst.time);
            let limit = limit(
                names.credits,
                baseline,
                depth,
                &burst.inferred,
                &burst.source,
            );
            let kept = in_time(baseline, ready.time);
            limits.push(Limit {
                credits: true,
                top_up: Some(TopUp {
                    every: burst.every.nanos(),
                    kept: kept.clamp(1, limit.depth),
                }),
                ..limit
            });
        }
        limits
    }
}
