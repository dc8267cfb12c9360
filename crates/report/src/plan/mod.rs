//! What a report says of a plan: what to buy, why, and what latency costs.
//!
//! A page shows all that [`planned`] gives; a terminal prints [`lines`](lines::lines). Plans of
//! several databases are put side by side by [`fleet`](fleet::fleet).

use blockyard_plan::Answer;
use serde::{Serialize, Serializer};

use crate::figure::{self, Figure};
use crate::text::format::{count, sentence};
use crate::text::table::Passage;
use crate::words::Tile;

mod amounts;
mod cautions;
pub mod fleet;
mod frontier;
mod impossible;
mod layout;
mod limits;
pub mod lines;
mod load;
mod others;
mod passages;
pub mod reasons;
mod replication;
mod samples;
mod tiles;
mod today;

/// What a page says of a plan.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Planned {
    /// The page's title.
    pub title: String,
    /// What to buy, and what to know before; or that nothing meets the requirement.
    pub headlines: Vec<String>,
    /// The figures that its reader came for; none if nothing meets the requirement.
    pub tiles: Vec<Tile>,
    /// What the plan is of: pairs of what, and its value.
    pub facts: Vec<(String, String)>,
    /// The Pareto frontier of cost and latency; none without a layout. Written as
    /// [`figure::json`] writes figures.
    #[serde(rename = "figures", serialize_with = "as_figures")]
    pub first: Option<Figure>,
    /// The rest, in sentences and tables.
    pub passages: Vec<Passage>,
}

/// What a page says of a plan.
#[must_use]
pub fn planned(answer: &Answer) -> Planned {
    let best = answer.bought();
    let said = match best {
        Some(best) => layout::buy(answer, best),
        None => impossible::impossible(answer).join("; "),
    };
    let headlines = [said].into_iter().chain(cautions::cautions(answer));
    Planned {
        title: title(&answer.name),
        headlines: headlines.map(|line| sentence(&line)).collect(),
        tiles: best.map_or_else(Vec::new, |best| tiles::tiles(answer, best)),
        facts: facts(answer),
        first: frontier::figure(answer),
        passages: passages::passages(answer),
    }
}

/// Of a plan. A requirement without a name is called `plan`.
fn title(name: &str) -> String {
    match name {
        "plan" => "Plan".to_owned(),
        _ => format!("Plan: {name}"),
    }
}

fn facts(answer: &Answer) -> Vec<(String, String)> {
    let terms = format!("{}, {}", answer.region, answer.term);
    let avoided = others::avoided(answer).map(|avoided| ("left out", avoided));
    let notes = answer.notes.iter().map(|note| ("note", note.clone()));
    let facts = [
        ("wanted", load::load(&answer.wanted)),
        ("prices", terms),
        ("instance types", count(answer.plan.instances as u64)),
    ];
    let facts = facts.into_iter().chain(avoided).chain(notes);
    facts.map(|(what, it)| (what.to_owned(), it)).collect()
}

fn as_figures<S: Serializer>(first: &Option<Figure>, serializer: S) -> Result<S::Ok, S::Error> {
    figure::json(first.as_slice()).serialize(serializer)
}
