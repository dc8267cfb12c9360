//! What a page shows of one run, or of a run after a change beside the run before it.

use blockyard_report::comparison::{Asked, Side, compare};
use blockyard_report::text::table::Passage;
use blockyard_report::words::{Tile, headline, paragraphs, tiles};
use blockyard_report::{Run, charts, figure};
use serde::Serialize;
use serde_json::Value;

use crate::error::Error;
use crate::run::Recorded;

/// What the runs are called beside each other.
const NAMES: [&str; 2] = ["before", "after"];

/// What a page shows.
#[derive(Debug, Serialize)]
pub(crate) struct Shown {
    headline: String,
    tiles: Vec<Tile>,
    /// Those of the run before; empty of one run.
    before: Vec<Tile>,
    /// How the second run differs from the first, in a sentence.
    conclusion: Vec<String>,
    passages: Vec<Passage>,
    figures: Value,
}

/// Of one run, or of two: before a change and after it.
pub(crate) fn shown(runs: Vec<Recorded>) -> Result<Shown, Error> {
    if runs.is_empty() || runs.len() > NAMES.len() {
        return Err(Error::new(format!(
            "{} runs; expected one or two",
            runs.len()
        )));
    }
    let alone = runs.len() == 1;
    let named = runs.into_iter().zip(NAMES);
    let named = named.map(|(run, name)| {
        let own = run.name().to_owned();
        run.for_report(if alone { &own } else { name })
    });
    let runs: Vec<Run> = named.collect::<Result<_, _>>()?;
    let each: Vec<_> = runs.iter().collect();
    let last = each[each.len() - 1];
    let compared = (!alone).then(|| compared(&each)).transpose()?;
    let (conclusion, differences) = compared.unwrap_or_default();
    Ok(Shown {
        headline: headline(last),
        tiles: tiles(last),
        before: if alone { Vec::new() } else { tiles(each[0]) },
        conclusion,
        passages: [differences, paragraphs(last)].concat(),
        figures: figure::json(&charts::all_figures(&each, None, None)),
    })
}

/// What a change comes to, in a sentence for each further run, and under headings.
fn compared(runs: &[&Run]) -> Result<(Vec<String>, Vec<Passage>), Error> {
    let sides: Vec<_> = runs.iter().map(|run| Side::of(run)).collect();
    let asked = Asked {
        // Another load is what many a change is.
        anyway: true,
        ..Asked::default()
    };
    let found = compare(&sides, &asked).map_err(Error::new)?;
    let said = found.conclusions.iter().map(|one| plain(&one.sentence));
    // The first is the sentences themselves.
    let passages = found.passages().into_iter().skip(1);
    Ok((said.collect(), passages.collect()))
}

/// A conclusion without the names of the runs, which nobody gave.
fn plain(sentence: &str) -> String {
    let [before, after] = NAMES;
    match sentence.strip_prefix(&format!("`{after}` vs `{before}`: ")) {
        Some(found) => format!("After the change: {found}"),
        None => sentence.to_owned(),
    }
}
