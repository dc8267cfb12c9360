//! The passages of a plan: its bill, its headroom, what else there is, and why not.

use blockyard_plan::{Answer, Layout, Reason};
use indexmap::IndexMap;

use super::amounts::{dollars, money, ms, share};
use super::layout::{assumed, durability, held, in_short, outgrown, p99_ms, places, what};
use super::limits::{item, latencies, measured, row};
use super::others::{MORE_REGRET, cheapest_possible, managed, others};
use super::reasons::{Said as Reasoned, text, without};
use super::replication::replication;
use super::samples::samples;
use super::today::{change, differences, today};
use crate::text::format::{percent, sentence};
use crate::text::table::{Passage, Said, Table};

/// All that there is something to say in.
pub(super) fn passages(answer: &Answer) -> Vec<Passage> {
    let best = answer.bought();
    let bought = best.map(|best| [bill(best), headroom(best), replicas(best), outlasts(best)]);
    let bought = bought.into_iter().flatten();
    let rest = [
        over_all_samples(answer),
        today_of(answer, best),
        Some(other_layouts(answer, best)),
        Some(why_not(answer)),
    ];
    let all = bought.chain(rest.into_iter().flatten());
    all.filter(|passage| !passage.content.is_empty()).collect()
}

fn passage(heading: &str, content: Vec<Said>) -> Passage {
    Passage {
        heading: heading.to_owned(),
        content,
    }
}

fn said(line: &str) -> Said {
    sentence(line).into()
}

fn bill(best: &Layout) -> Passage {
    let lines = best.bill.iter();
    let lines = lines.map(|it| vec![item(it), dollars(it.usd_per_month)]);
    let all = vec!["all".to_owned(), money(best)];
    let rows = lines.chain([all]).collect();
    let table = Table::new("A month", &["", "cost"], rows, 1);
    let assumed = assumed(best).map(|line| said(&line));
    passage("Bill", [table.into()].into_iter().chain(assumed).collect())
}

fn headroom(best: &Layout) -> Passage {
    let rows = best.limits.iter().map(|it| row(it).to_vec()).collect();
    let columns = ["limit", "used", "of", "headroom"];
    let limits = Table::new("Peak use of each limit", &columns, rows, 1);
    let rows = latencies(best).into_iter().map(Vec::from).collect();
    let latencies = Table::new("Latency", &["", "p50", "p99"], rows, 1);
    let proven = [measured(best), held(best), places(best)]
        .into_iter()
        .flatten();
    let tables = [limits.into(), latencies.into()].into_iter();
    let content = tables.chain(proven.map(|line| said(&line)));
    passage("Headroom", content.collect())
}

fn replicas(best: &Layout) -> Passage {
    let lines = replication(best).into_iter();
    passage("Replicas", lines.map(|line| said(&line)).collect())
}

fn outlasts(best: &Layout) -> Passage {
    let lines = [durability(best)].into_iter().chain(outgrown(best));
    passage("Durability", lines.map(|line| said(&line)).collect())
}

fn over_all_samples(answer: &Answer) -> Option<Passage> {
    let uncertain = answer.uncertain.as_ref()?;
    let rows = uncertain.others.iter().map(|one| {
        vec![
            what(&one.layout),
            money(&one.layout),
            dollars(one.regret_usd),
            percent(one.suffices, 1),
        ]
    });
    let columns = ["layout", "cost", "regret", "suffices in"];
    let table = table("More regret", &columns, rows.collect(), 1);
    let content = [said(&samples(uncertain))].into_iter().chain(table);
    Some(passage("Over all samples", content.collect()))
}

fn today_of(answer: &Answer, best: Option<&Layout>) -> Option<Passage> {
    let current = answer.current.as_ref()?;
    let mut content = vec![said(&today(current, best))];
    let missed = current.missed.iter();
    content.extend(missed.map(|reason| said(&format!("missed: {}", text(reason)))));
    if let Some(best) = best {
        content.push(said(&change(&current.layout, best)));
        let rows = differences(&current.layout, best).into_iter();
        let rows = rows.map(|it| vec![it.what.to_owned(), it.from, it.to]);
        content.extend(table(
            "What to change",
            &["", "from", "to"],
            rows.collect(),
            3,
        ));
    }
    Some(passage("Today", content))
}

fn other_layouts(answer: &Answer, best: Option<&Layout>) -> Passage {
    let rows = others(answer).into_iter();
    // Those of more regret have a table of their own.
    let rows = rows.filter(|other| other.title != MORE_REGRET).map(|it| {
        vec![
            it.title.to_owned(),
            what(it.layout),
            money(it.layout),
            p99_ms(it.layout).map(ms).unwrap_or_default(),
            it.layout.yearly_loss.map(share).unwrap_or_default(),
        ]
    });
    let columns = ["", "layout", "cost", "p99", "yearly loss"];
    let table = table("That do as well", &columns, rows.collect(), 2);
    let possible = cheapest_possible(answer).map(|(layout, broken)| {
        said(&format!(
            "cheapest possible: {}; {broken}",
            in_short(layout)
        ))
    });
    let managed = best.and_then(|best| managed(answer, best));
    let managed = managed.map(|line| said(&line));
    let content: Vec<_> = table.into_iter().chain(possible).chain(managed).collect();
    passage("Other layouts", content)
}

fn why_not(answer: &Answer) -> Passage {
    let plan = &answer.plan;
    let types = plan.rejected.iter();
    let types = types.map(|one| (one.volume_type.clone(), &one.reasons));
    let dropped = plan.dropped.iter();
    let dropped = dropped.map(|one| (what(&one.layout), &one.reasons));
    let missed = "Dropped, as they missed a goal in the simulation";
    let tables = [reasons("Volume types", types), reasons(missed, dropped)];
    let tables = tables.into_iter().flatten();
    let content = tables.chain(families(answer)).collect();
    passage("Why not the rest", content)
}

/// Why families of instances are not it; those of which nothing is known in a sentence.
fn families(answer: &Answer) -> Vec<Said> {
    let mut rows = Vec::new();
    let mut lacking: IndexMap<&str, Vec<&str>> = IndexMap::new();
    for one in &answer.plan.families {
        for reason in one.reasons.iter().map(Reasoned::of) {
            match without(reason.kind) {
                Some(lacks) => lacking.entry(lacks).or_default().push(&one.family),
                None => rows.push(reason_row(&one.family, reason)),
            }
        }
    }
    let table = table("Families of instances", &REASONS, rows, 3);
    let lacking = lacking.into_iter().map(|(lacks, families)| {
        let families = families.join(", ");
        Said::Sentence(format!(
            "Families of instances without {lacks}: {families}."
        ))
    });
    table.into_iter().chain(lacking).collect()
}

/// The columns of a table of reasons.
const REASONS: [&str; 3] = ["", "reason", "in numbers"];

/// Why some things are not it, in a table.
fn reasons<'a>(caption: &str, of: impl Iterator<Item = (String, &'a Vec<Reason>)>) -> Option<Said> {
    let rows = of.flat_map(|(name, reasons)| {
        let reasons = reasons.iter().map(Reasoned::of);
        reasons.map(move |reason| reason_row(&name, reason))
    });
    table(caption, &REASONS, rows.collect(), 3)
}

fn reason_row(name: &str, reason: Reasoned) -> Vec<String> {
    vec![name.to_owned(), reason.kind.to_owned(), reason.text]
}

/// A table that has rows.
fn table(caption: &str, columns: &[&str], rows: Vec<Vec<String>>, words: usize) -> Option<Said> {
    (!rows.is_empty()).then(|| Table::new(caption, columns, rows, words).into())
}
