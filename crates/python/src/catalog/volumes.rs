//! Volume types as rows to print.

use blockyard_catalog::{Catalog, Confidence, Grounds, HostKind, Offer, Profile, VolumeType};
use blockyard_text::grouped;
use blockyard_text::units::Date;
use schemars::JsonSchema;
use serde::Serialize;

use super::{in_full, law, matches};

/// One rule of a volume type, in words.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "VolumeRule")]
pub(crate) struct Row<'a> {
    /// The volume type, `gp3`.
    #[serde(rename = "type")]
    volume_type: &'a str,
    /// What these hosts get, `Block Express`, where it has a name.
    variant: Option<&'a str>,
    /// Which hosts the rule is for.
    host: String,
    /// Sizes that can be had.
    size: String,
    /// IOPS that can be provisioned; empty where none are.
    iops: String,
    /// Throughput that can be provisioned; empty where none is.
    throughput: String,
    /// The limits that a volume has, one each.
    limits: Vec<String>,
    /// Size of the unit in which IOs are counted.
    counted_in: String,
    /// In which order what waits for the limits is served, and what that rests on.
    discipline: String,
    /// Name of the latency profile.
    latency: &'a str,
    /// The latency profile's parts, and what each rests on.
    latency_basis: Vec<Part<'a>>,
    /// The first day on which a source shows the rule.
    observed: Date,
    /// The day it came into force, where that is known.
    valid_from: Option<Date>,
    /// Its last day, where it has been replaced.
    valid_to: Option<Date>,
    /// Where the figures come from.
    sources: Vec<String>,
    /// How sure they are.
    confidence: Confidence,
    /// What of the rule is assumed, if anything.
    assumed: Option<String>,
    /// Provisioned IOPS of the type that an account may have in a region by
    /// default, with its source; none where none is known.
    default_quota: Option<String>,
}

/// A part of a latency profile.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "LatencyPart")]
struct Part<'a> {
    /// Its name, `per_kib`.
    part: &'static str,
    /// As it is written in a profile.
    value: serde_json::Value,
    /// How it was obtained, `measured`.
    basis: &'static str,
    /// From what, or why.
    why: &'a str,
    /// The measurements that it comes from, by their ids.
    rows: &'a [String],
    /// The document that it comes from.
    source: Option<String>,
}

/// The volume types whose name or variant contains `filter`, whatever its case:
/// all rules, or with a day those that held.
///
/// # Errors
/// Nothing matches; names the nearest type. Or what matches was not to be had on
/// the day.
pub(super) fn rows<'a>(
    catalog: &'a Catalog,
    day: Option<Date>,
    filter: Option<&str>,
) -> Result<Vec<Row<'a>>, String> {
    let mut rows = Vec::new();
    let mut too_early = None;
    for volume_type in catalog.volume_types().filter(|one| called(one, filter)) {
        match volume_type.offers(day) {
            Ok(offers) => rows.extend(offers.iter().map(|offer| row(catalog, offer, day))),
            Err(refusal) => too_early = Some(refusal.to_string()),
        }
    }
    match (too_early, filter) {
        (Some(message), _) if rows.is_empty() => Err(message),
        (None, Some(filter)) if rows.is_empty() => catalog
            .volume_type(filter)
            .map_or_else(|unknown| Err(unknown.to_string()), |_| Ok(rows)),
        _ => Ok(rows),
    }
}

fn called(volume_type: &VolumeType<'_>, filter: Option<&str>) -> bool {
    // Without a day nothing is refused.
    let offers = volume_type.offers(None).unwrap_or_default();
    let mut variants = offers
        .iter()
        .filter_map(|offer| offer.row().variant.as_deref());
    matches(volume_type.name(), filter) || variants.any(|variant| matches(variant, filter))
}

fn row<'a>(catalog: &'a Catalog, offer: &Offer<'a>, day: Option<Date>) -> Row<'a> {
    let (row, period) = (offer.row(), offer.period());
    let early = day.filter(|_| !period.holds(day));
    let early = early.map(|day| format!("the earliest rule, used for {day}"));
    let assumed: Vec<String> = row
        .assumed
        .iter()
        .chain(&row.start_assumed)
        .cloned()
        .chain(early)
        .collect();
    let profile = catalog.profile(&row.latency);
    Row {
        volume_type: offer.volume_type().name(),
        variant: row.variant.as_deref(),
        host: (offer.host_kind()).map_or_else(|| "any instance".to_owned(), HostKind::to_string),
        size: match row.size {
            Some(size) => format!("{} to {}", size.min, size.max),
            None => "set by the instance".to_owned(),
        },
        iops: row.iops.map_or_else(String::new, |range| {
            let (min, max) = (grouped(range.min), grouped(range.max));
            format!("{min} to {max}, at most {} per GiB", range.max_per_gib)
        }),
        throughput: row.throughput.map_or_else(String::new, |range| {
            let (min, max) = (range.min, range.max);
            format!("{min} to {max}, at most {} per IOPS", range.max_per_iops)
        }),
        limits: (row.limits.iter())
            .map(|limit| law::limit(catalog, limit))
            .collect(),
        counted_in: row.counted_in.to_string(),
        discipline: discipline(offer),
        latency: &row.latency,
        latency_basis: profile.map_or_else(|_| Vec::new(), |profile| parts(catalog, profile)),
        observed: period.observed,
        valid_from: period.valid_from,
        valid_to: period.valid_to,
        sources: offer.sources().map(in_full).collect(),
        confidence: row.confidence,
        assumed: (!assumed.is_empty()).then(|| assumed.join("; ")),
        default_quota: quota(offer.volume_type()),
    }
}

/// `per_direction; discipline inferred: ...`, or `fifo`.
fn discipline(offer: &Offer<'_>) -> String {
    let (order, note) = offer.discipline();
    let order = order.name();
    note.map_or(order.to_owned(), |note| format!("{order}; {note}"))
}

fn parts<'a>(catalog: &Catalog, profile: &'a Profile) -> Vec<Part<'a>> {
    let text = serde_json::to_value(&profile.text).unwrap_or_default();
    let part = |grounds: &'a Grounds| Part {
        part: grounds.field,
        value: text[grounds.field]["value"].clone(),
        basis: grounds.basis.name(),
        why: &grounds.why,
        rows: &grounds.rows,
        source: grounds.source(catalog).map(in_full),
    };
    profile.grounds().iter().map(part).collect()
}

fn quota(volume_type: VolumeType<'_>) -> Option<String> {
    let (iops, source) = volume_type.default_quota()?;
    let source = source.map_or_else(String::new, in_full);
    Some(format!("{} IOPS a region ({source})", grouped(iops)))
}
