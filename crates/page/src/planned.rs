//! A plan: what to buy for a requirement, and the layouts of its Pareto frontier.

use blockyard_experiment::Inline;
use blockyard_plan::{Answer, Drawing, Layout, Question, load};
use blockyard_report::plan::planned as said;
use blockyard_report::words::Tile;
use serde::Serialize;
use serde_json::Value;

use crate::error::Error;

/// What errors call the requirement's text.
const FILE: &str = "requirement.yaml";

/// What a page shows of a plan.
#[derive(Debug, Serialize)]
pub(crate) struct Planned {
    /// What to buy, in a sentence; or that nothing meets the requirement.
    buy: String,
    tiles: Vec<Tile>,
    layouts: Vec<Choice>,
    figures: Value,
}

/// A layout that can be opened.
#[derive(Debug, Serialize)]
struct Choice {
    label: String,
    usd_per_month: f64,
    p99_ms: Option<f64>,
    on_frontier: bool,
    scenario: String,
}

/// Plans for a requirement, a text of YAML. The one to buy is simulated; others are when they are
/// opened.
pub(crate) fn planned(text: &str) -> Result<Planned, Error> {
    let loaded = load(text, FILE, &[])?;
    let drawing = Drawing::default();
    let question = Question {
        loaded: &loaded,
        prices: None,
        prove: true,
        only_best: true,
        drawing: &drawing,
        since: None,
    };
    let answer = question.answer(&Inline, &mut ()).map_err(Error::new)?;
    let needs = loaded.needs(|_, range| range.mid);
    let scenario = |layout: &Layout| question.writer().scenario(&needs, layout);
    let written = serde_json::to_value(said(&answer)).map_err(Error::new)?;
    let page = said(&answer);
    Ok(Planned {
        buy: page.headlines.join(" "),
        tiles: page.tiles,
        layouts: layouts(&answer)
            .into_iter()
            .map(|layout| choice(&answer, layout, scenario(layout)))
            .collect(),
        figures: written["figures"].clone(),
    })
}

/// All layouts that do, each once.
fn layouts(answer: &Answer) -> Vec<&Layout> {
    let plan = &answer.plan;
    plan.best
        .iter()
        .chain(&plan.others)
        .chain(&plan.fewest)
        .collect()
}

fn choice(answer: &Answer, layout: &Layout, scenario: String) -> Choice {
    let same = |usd: f64| (usd - layout.usd_per_month).abs() < f64::EPSILON;
    let frontier = answer.plan.pareto_frontier.iter();
    let on_frontier = frontier
        .filter(|point| point.on_frontier)
        .any(|point| same(point.usd_per_month));
    let data = &layout.data;
    Choice {
        label: format!(
            "{} x {} on {}",
            data.count, data.volume_type, layout.instance
        ),
        usd_per_month: layout.usd_per_month,
        p99_ms: Some(layout.p99_us() / 1e3),
        on_frontier,
        scenario,
    }
}
