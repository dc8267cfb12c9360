//! Why layouts, volume types and families of instances were rejected, in words.

use blockyard_plan::{Answer, Reason};
use serde::Serialize;

use super::layout::what;
use crate::text::format::{count, duration, number_to, quantity};

/// A reason in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Said {
    /// Its kind in a word or two, `instance IOPS`.
    pub kind: &'static str,
    /// The reason with its figures, in one line.
    pub text: String,
}

impl Said {
    /// Of a reason.
    #[must_use]
    pub fn of(reason: &Reason) -> Self {
        Self {
            kind: kind(reason),
            text: text(reason),
        }
    }
}

/// All reasons of a plan, by what they are of: a layout that was dropped, a volume type, a family
/// of instances, or `today`.
#[must_use]
pub fn rejected(answer: &Answer) -> Vec<(String, Vec<Said>)> {
    let plan = &answer.plan;
    let dropped = plan.dropped.iter();
    let dropped = dropped.map(|one| (what(&one.layout), &one.reasons));
    let types = plan.rejected.iter();
    let types = types.map(|one| (one.volume_type.clone(), &one.reasons));
    let families = plan.families.iter();
    let families = families.map(|one| (one.family.clone(), &one.reasons));
    let today = answer.current.iter();
    let today = today.map(|one| ("today".to_owned(), &one.missed));
    let all = dropped.chain(types).chain(families).chain(today);
    let all = all.filter(|(_, reasons)| !reasons.is_empty());
    all.map(|(of, reasons)| (of, reasons.iter().map(Said::of).collect()))
        .collect()
}

/// What lacks in families of instances of whose kind of reason nothing more can be said.
pub(super) fn without(kind: &str) -> Option<&'static str> {
    match kind {
        "price unknown" => Some("a known price"),
        "no published limits" => Some("published limits"),
        _ => None,
    }
}

fn kind(reason: &Reason) -> &'static str {
    match reason {
        Reason::VolumeIops { .. } => "volume IOPS",
        Reason::VolumeThroughput { .. } => "volume throughput",
        Reason::InstanceIops { .. } => "instance IOPS",
        Reason::InstanceThroughput { .. } => "instance throughput",
        Reason::InstanceNetwork { .. } => "instance network",
        Reason::BurstExhausted { .. } => "burst",
        Reason::Attachments { .. } | Reason::SpareAttachments { .. } => "attachments",
        Reason::Quota { .. } | Reason::StorageQuota { .. } => "quota",
        Reason::Volumes { .. } => "volumes",
        Reason::FreeSpace { .. } => "free space",
        Reason::PreviousGeneration { .. } => "previous generation",
        Reason::Purpose { .. } => "purpose",
        Reason::Latency { .. } => "latency",
        Reason::Size { .. } => "size",
        Reason::Durability { .. } | Reason::Ephemeral => "durability",
        Reason::PriceUnknown { .. } => "price unknown",
        Reason::Unavailable { .. } => "not available",
        Reason::Unpublished { .. } => "no published limits",
        Reason::Simulated { .. } => "simulation",
        Reason::Excluded { .. } => "left out",
    }
}

/// A reason with its figures, in one line.
pub(super) fn text(reason: &Reason) -> String {
    match reason {
        Reason::VolumeIops {
            needed,
            has,
            volumes: number,
        } => format!("{} on {}", iops(*needed, *has), volumes((*number).into())),
        Reason::VolumeThroughput {
            needed,
            has,
            volumes: number,
        } => format!(
            "{} on {}",
            throughput(*needed, *has),
            volumes((*number).into())
        ),
        Reason::InstanceIops {
            instance,
            needed,
            has,
        } => format!("{} on {instance}", iops(*needed, *has)),
        Reason::InstanceThroughput {
            instance,
            needed,
            has,
        } => format!("{} on {instance}", throughput(*needed, *has)),
        Reason::InstanceNetwork {
            instance,
            needed,
            has,
        } => format!("{} to replicas from {instance}", throughput(*needed, *has)),
        Reason::BurstExhausted {
            owner,
            limit,
            after_s,
            lasts_s,
            ..
        } => {
            let lasts = lasts_s.map(|lasts| format!("lasts {}", duration(lasts)));
            let load = lasts.unwrap_or_else(|| "is sustained".to_owned());
            let after = duration(*after_s);
            format!("{limit} of {owner} last {after}, the load {load}")
        }
        Reason::Attachments {
            instance,
            needed,
            has,
        } => format!(
            "{needed} volumes with the root's and spare attachments, {has} can be attached to \
             {instance}"
        ),
        Reason::Quota {
            volume_type,
            needed,
            has,
        } => {
            let needed = format!("{} provisioned IOPS", count(*needed));
            over_quota("quotas", volume_type, &needed, &count(*has))
        }
        Reason::StorageQuota {
            volume_type,
            needed,
            has,
        } => over_quota("storage_quotas", volume_type, &gib(*needed), &gib(*has)),
        Reason::Volumes { needed, has } => format!("{}, {has} at most", volumes(*needed)),
        Reason::SpareAttachments {
            instance,
            needed,
            has,
        } => format!("of {instance} {has} stay free, {needed} wanted"),
        Reason::FreeSpace { needed, has } => format!(
            "a file system of {}, {} with free space",
            gib(*has),
            gib(*needed)
        ),
        Reason::PreviousGeneration { instance } => {
            format!("{instance} is of a previous generation")
        }
        Reason::Purpose { instance, purpose } => format!("{instance} {}", made_for(purpose)),
        Reason::Latency {
            of,
            quantile,
            goal_us,
            estimate_us,
        } => {
            let [estimate, goal] = [estimate_us, goal_us].map(|us| quantity(us / 1e3, "ms"));
            format!("{quantile} of {of} is {estimate} without any queue, the goal {goal}")
        }
        Reason::Size { needed, has } => format!("{} needed, {} at most", gib(*needed), gib(*has)),
        Reason::Durability { allowed, expected } => match expected {
            None => "no durability is published".to_owned(),
            Some(expected) => {
                format!("{expected} of a million lost in a year, {allowed} allowed")
            }
        },
        Reason::Ephemeral => "what is on disks of the instance is lost when it stops; \
                              `durability: ephemeral` allows that"
            .to_owned(),
        // These say themselves why.
        Reason::PriceUnknown { message } | Reason::Unavailable { message } => message.clone(),
        Reason::Unpublished { instance } => {
            format!("no limits over the volumes of {instance} are published")
        }
        Reason::Simulated {
            goal,
            measured,
            seeds,
            met,
        } => format!("{goal}: holds in {met} of {seeds} seeds, missed with {measured}"),
        Reason::Excluded { by } => format!("left out by {by}"),
    }
}

/// What an instance is that is made for something else than a database.
fn made_for(purpose: &str) -> String {
    let known = match purpose {
        "burstable" => "is burstable, and slows down once its CPU credits are used up",
        "HPC" => "is made for high-performance computing",
        "macOS" => "runs macOS",
        accelerator => return format!("pays for an accelerator ({accelerator})"),
    };
    known.to_owned()
}

/// What is needed and what there is.
fn iops(needed: u64, has: u64) -> String {
    format!("{} IOPS needed, {}", count(needed), count(has))
}

fn throughput(needed: u64, has: u64) -> String {
    format!("{} needed, {}", mib(needed), mib(has))
}

/// What is above a quota of an account; `key` of the requirement states another.
fn over_quota(key: &str, name: &str, needed: &str, has: &str) -> String {
    format!("{needed} of {name} needed, the quota is {has}; `{key}: {{{name}: …}}` states yours")
}

fn volumes(number: u64) -> String {
    match number {
        1 => "1 volume".to_owned(),
        _ => format!("{number} volumes"),
    }
}

/// `593.8 MiB/s`: rounded up to a tenth, so that too little never looks like enough.
fn mib(bytes_per_s: u64) -> String {
    let tenths = (u128::from(bytes_per_s) * 10).div_ceil(1 << 20);
    format!("{} MiB/s", number_to(tenths as f64 / 10.0, 5))
}

fn gib(size: u64) -> String {
    format!("{} GiB", count(size.div_ceil(1 << 30)))
}

#[cfg(test)]
#[path = "reasons_tests.rs"]
mod tests;
