//! A plan as text: what to buy, its cost and headroom, and why alternatives were rejected.

use blockyard_plan::{Answer, Current, Dropped, Family, Layout, Reason};
use indexmap::IndexMap;

use super::amounts::{dollars, money, share};
use super::cautions::cautions;
use super::impossible::impossible;
use super::layout::{assumed, buy, durability, held, in_short, name, outgrown, places};
use super::limits::{item, latencies, measured, row};
use super::load::load;
use super::others::{avoided, cheapest_possible, managed, others};
use super::reasons::{Said, text, without};
use super::replication::replication;
use super::samples::samples;
use super::today::{change, differences, today};
use crate::words::phrases::counted;

/// Families of instances that are listed, of those that hold the load and of those that do not.
const LISTED: usize = 5;

/// A line of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// It itself.
    pub text: String,
    /// How far its rest is indented where it is too long for one line of a terminal; none of what
    /// stands in columns, which is not folded.
    pub indent: Option<usize>,
}

impl Line {
    /// A line that is folded.
    fn folded(text: String) -> Self {
        let indent = Some(2);
        Self { text, indent }
    }

    /// A line that is folded below another one.
    fn below(text: String) -> Self {
        let indent = Some(4);
        Self { text, indent }
    }

    /// A line in columns.
    fn fixed(text: String) -> Self {
        let indent = None;
        Self { text, indent }
    }

    fn empty() -> Self {
        Self::fixed(String::new())
    }
}

/// The lines of a plan; with `explain` also why families of instances are not it.
#[must_use]
pub fn lines(answer: &Answer, explain: bool) -> Vec<Line> {
    let wanted = format!("{}: {}", answer.name, load(&answer.wanted));
    let notes = answer.notes.iter().cloned();
    let notes = notes.chain(answer.uncertain.as_ref().map(samples));
    let head = [wanted].into_iter().chain(notes);
    let mut lines: Vec<_> = head.map(Line::folded).collect();
    let best = answer.bought();
    match best {
        None => lines.extend(impossible(answer).into_iter().map(Line::folded)),
        Some(best) => {
            let said = [buy(answer, best)].into_iter().chain(cautions(answer));
            lines.extend(said.map(Line::folded));
            lines.extend(bought(best));
        }
    }
    if let Some(current) = &answer.current {
        lines.extend(changes(current, best));
    }
    lines.extend(next(answer, best));
    lines.extend(rejected_types(answer));
    lines.extend(dropped(&answer.plan.dropped));
    if explain {
        lines.extend(families(answer));
    }
    lines
}

/// Bill, limits, latencies, and what is known of durability.
fn bought(best: &Layout) -> Vec<Line> {
    let bill = best.bill.iter().map(|it| {
        let (what, price) = (item(it), dollars(it.usd_per_month));
        Line::fixed(format!("  {what:<40}{price:>14}"))
    });
    let assumed = assumed(best).map(|it| Line::below(format!("  {it}")));
    let columns = ["limit", "used", "of", "headroom"].map(str::to_owned);
    let limits = [columns].into_iter().chain(best.limits.iter().map(row));
    let limits = limits.map(|[name, used, has, left]| {
        Line::fixed(format!("  {name:<32}{used:>14}{has:>14}{left:>10}"))
    });
    let latencies = latencies(best)
        .into_iter()
        .map(|[of, p50, p99]| Line::fixed(format!("  {of:<18} p50 {p50}, p99 {p99}")));
    let kept = [
        measured(best),
        held(best),
        places(best),
        Some(durability(best)),
        outgrown(best),
    ];
    let kept = kept.into_iter().flatten().chain(replication(best));
    let kept = kept.map(|it| Line::below(format!("  {it}")));
    let bill = [Line::empty()].into_iter().chain(bill).chain(assumed);
    let limits = [Line::empty()].into_iter().chain(limits);
    bill.chain(limits).chain(latencies).chain(kept).collect()
}

/// What there is today, and what to change.
fn changes(current: &Current, best: Option<&Layout>) -> Vec<Line> {
    let mut lines = vec![Line::empty(), Line::folded(today(current, best))];
    let missed = current.missed.iter().map(text);
    lines.extend(missed.map(|it| Line::below(format!("  missed: {it}"))));
    let Some(best) = best else {
        return lines;
    };
    lines.push(Line::folded(change(&current.layout, best)));
    for it in differences(&current.layout, best) {
        let (what, from, to) = (it.what, it.from, it.to);
        if matches!(what, "copies" | "instance") {
            lines.push(Line::fixed(format!("  {what}: {from} -> {to}")));
        } else {
            let width = what.len();
            lines.push(Line::fixed(format!("  {what}: {from}")));
            lines.push(Line::fixed(format!("  {:width$}  -> {to}", "")));
        }
    }
    lines
}

/// What else there is.
fn next(answer: &Answer, best: Option<&Layout>) -> Vec<Line> {
    let others = others(answer).into_iter();
    let others = others.map(|it| format!("{}: {}{}", it.title, in_short(it.layout), it.more));
    let possible = cheapest_possible(answer);
    let possible = possible
        .map(|(layout, broken)| format!("cheapest possible: {}; {broken}", in_short(layout)));
    let managed = best.and_then(|best| managed(answer, best));
    let all = others.chain(possible).chain(managed).map(Line::folded);
    set_off(all.collect())
}

/// Lines with an empty one before them, if there are any.
fn set_off(lines: Vec<Line>) -> Vec<Line> {
    let gap = (!lines.is_empty()).then(Line::empty);
    gap.into_iter().chain(lines).collect()
}

/// Why volume types are not it.
fn rejected_types(answer: &Answer) -> Vec<Line> {
    let rejected = &answer.plan.rejected;
    let gap = (!rejected.is_empty()).then(Line::empty);
    let left_out = |reasons: &[Reason]| matches!(reasons, [Reason::Excluded { .. }]);
    let (excluded, others): (Vec<_>, Vec<_>) =
        rejected.iter().partition(|one| left_out(&one.reasons));
    let others = others.into_iter().flat_map(|one| {
        let said = one.reasons.iter().map(Said::of);
        said.map(|Said { kind, text }| format!("not {}: {kind}: {text}", one.volume_type))
    });
    let excluded: Vec<_> = excluded.iter().map(|it| it.volume_type.as_str()).collect();
    let excluded = (!excluded.is_empty())
        .then(|| format!("left out by the requirement: {}", excluded.join(", ")));
    let said = others.chain(excluded).map(Line::below);
    gap.into_iter().chain(said).collect()
}

/// The layouts that missed a goal: of each type the first; the others were tried in its place.
fn dropped(all: &[Dropped]) -> Vec<Line> {
    let mut types: IndexMap<&str, Vec<&Dropped>> = IndexMap::new();
    for one in all {
        let of_type = types.entry(&one.layout.data.volume_type).or_default();
        of_type.push(one);
    }
    let lines = types.values().filter_map(|of_type| {
        let (first, others) = of_type.split_first()?;
        let layout = &first.layout;
        let prices = others.iter().map(|it| it.layout.usd_per_month);
        let too = prices.reduce(f64::max).map_or_else(String::new, |dearest| {
            let others = counted(others.len() as u64, "other layout");
            let of_type = &layout.data.volume_type;
            let dearest = dollars(dearest);
            format!("; {others} of {of_type}, up to {dearest}, missed goals, too")
        });
        let (name, price) = (name(layout), money(layout));
        let reasons = first.reasons.iter().map(text);
        Some(reasons.map(move |it| Line::below(format!("dropped {name}, {price}: {it}{too}"))))
    });
    lines.flatten().collect()
}

/// How families of instances do.
fn families(answer: &Answer) -> Vec<Line> {
    let all = &answer.plan.families;
    let (holding, others): (Vec<_>, Vec<_>) =
        all.iter().partition(|one| one.usd_per_month.is_some());
    let (number, of) = (holding.len(), all.len());
    let head = format!("families of instances that hold it: {number} of {of}");
    let mut lines = vec![Line::empty(), Line::fixed(head)];
    lines.extend(holding.iter().take(LISTED).map(|one| {
        let price = dollars(one.usd_per_month.unwrap_or(0.0));
        let lost = one.yearly_loss.map(share);
        let lost = lost.map_or_else(String::new, |it| format!("  yearly loss {it}"));
        let (instance, built_for) = (&one.instance, &one.architecture);
        Line::fixed(format!("  {instance:<24}{built_for:<8}{price:>14}{lost}"))
    }));
    let avoided = avoided(answer);
    let avoided = avoided.map(|it| Line::folded(format!("types left out by preferences: {it}")));
    lines.extend(avoided);
    lines.extend(lacking(&others));
    lines
}

/// Families that do not hold the load, by what they lack: what most lack first.
fn lacking(families: &[&Family]) -> Vec<Line> {
    // Of each kind the first reason of each family.
    let mut kinds: IndexMap<&str, IndexMap<&str, (&str, String)>> = IndexMap::new();
    for one in families {
        for Said { kind, text } in one.reasons.iter().map(Said::of) {
            let lacking = kinds.entry(kind).or_default();
            lacking.entry(&one.family).or_insert((&one.instance, text));
        }
    }
    kinds.sort_by(|_, a, _, b| b.len().cmp(&a.len()));
    let mut lines = Vec::new();
    for (kind, lacking) in kinds {
        let number = lacking.len();
        if let Some(lacks) = without(kind) {
            lines.push(Line::fixed(format!("families without {lacks}: {number}")));
            continue;
        }
        let head = format!("families that lack {kind}: {number}, such as");
        lines.push(Line::fixed(head));
        let listed = lacking.into_values().take(LISTED);
        lines.extend(listed.map(|(instance, text)| Line::below(format!("  {instance}: {text}"))));
    }
    lines
}
