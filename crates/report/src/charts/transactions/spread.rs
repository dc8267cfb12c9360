//! How transactions differ from one interval of 5 s to another.

use blockyard_record::result::{Quartiles, Spread};

use crate::Run;
use crate::figure::{Axis, Figure, Lane, Lanes, Plot};

const QUARTERS: [&str; 4] = [
    "lowest to 1st quartile",
    "1st quartile to median",
    "median to 3rd quartile",
    "3rd quartile to highest",
];

/// Boxes of the intervals of 5 s, a lane for each job of each run.
pub(super) fn spread(runs: &[&Run]) -> Vec<Figure> {
    let totals = runs.iter().flat_map(|run| {
        let totals = run.result.transactions.iter();
        totals.map(move |total| (&run.name, total))
    });
    let boxes: Vec<_> = totals
        .filter_map(|(run, total)| {
            let label = if runs.len() == 1 {
                total.job.clone()
            } else {
                format!("{run} {}", total.job)
            };
            Some((label, total.by_5s?))
        })
        .collect();
    if boxes.is_empty() {
        return Vec::new();
    }
    let tps = boxes_of(&boxes, |spread| spread.tps, 1.0);
    let p99_ms = boxes_of(&boxes, |spread| spread.p99_us, 1e-3);
    let figure = |name: &str, what: &str, x: Axis, lanes| Figure {
        name: name.to_owned(),
        title: format!("{what}, every 5 s by itself"),
        caption: "Intervals of 5 s, without the warm-up: a quarter of them in each piece, half \
                  between the quartiles."
            .to_owned(),
        plot: Plot::Lanes(Lanes {
            x,
            kinds: QUARTERS.map(str::to_owned).into(),
            lanes,
            levels: Vec::new(),
        }),
        group: "transactions-5s".to_owned(),
    };
    vec![
        figure(
            "tps-5s",
            "Transactions a second",
            Axis::new("TPS", "TPS"),
            tps,
        ),
        figure(
            "p99-5s",
            "p99 of transactions",
            Axis::new("p99", "ms"),
            p99_ms,
        ),
    ]
}

fn boxes_of(
    boxes: &[(String, Spread)],
    of: impl Fn(&Spread) -> Quartiles,
    scale: f64,
) -> Vec<Lane> {
    let lanes = boxes.iter().map(|(label, spread)| {
        let Quartiles {
            min,
            q1,
            median,
            q3,
            max,
        } = of(spread);
        let pieces = [(min, q1), (q1, median), (median, q3), (q3, max)];
        let pieces = pieces.into_iter().enumerate();
        Lane {
            label: label.clone(),
            pieces: pieces
                .map(|(kind, (from, to))| (scale * from, scale * to, kind))
                .collect(),
        }
    });
    lanes.collect()
}
