//! Which of the changes that were made together are told.

use blockyard_record::thresholds::GAIN;

use super::Row;
use super::order::Worth;

/// As many combinations are told, of those that save and of those that bring more.
const TOLD: usize = 3;

/// Drops the combinations that are no better than what they are made of, or than a change by
/// itself that does as much; keeps the best of the others.
pub(super) fn keep_useful(rows: &mut Vec<Row>) {
    let (single, mut together): (Vec<_>, Vec<_>) = std::mem::take(rows)
        .into_iter()
        .partition(|row| row.also.is_empty());
    together.sort_by(|a, b| dollars(a).total_cmp(&dollars(b)));
    let mut told: Vec<Row> = Vec::new();
    for row in together {
        let beside = |known: &&Row| known.worth == row.worth;
        let mut others = single.iter().chain(&told).filter(beside);
        let alike = told.iter().filter(beside).count();
        let is_better = match row.worth {
            // A part gives up no more than the whole, so the whole must save more; or, of what
            // costs nothing, bring what the part does not.
            Worth::Cheaper | Worth::Trades => {
                let mut parts = single
                    .iter()
                    .filter(|it| row.changes().each().any(|part| *part == it.change));
                let brings_more = |part: &Row| row.is_free() && part.worth == Worth::Nothing;
                let saves_more =
                    parts.all(|part| dollars(&row) < dollars(part) || brings_more(part));
                saves_more && (row.changes().device().is_some() || !others.any(|it| it.beats(&row)))
            }
            Worth::Meets => others.all(|other| {
                let (own, others) = (row.met(), other.met());
                own > others || (own == others && dollars(&row) < dollars(other))
            }),
            Worth::Pays => others.all(|other| row.gain() > other.gain() + GAIN),
            _ => false,
        };
        if is_better && (alike < TOLD || row.changes().device().is_some()) {
            told.push(row);
        }
    }
    *rows = single;
    rows.extend(told);
}

pub(super) fn dollars(row: &Row) -> f64 {
    row.dollars.unwrap_or(f64::INFINITY)
}

impl Row {
    /// Whether it saves money and nothing that was asked for is lost.
    pub(super) fn saves(&self) -> bool {
        matches!(self.worth, Worth::Cheaper | Worth::Trades) && dollars(self) < 0.0
    }

    /// Whether it brings something.
    pub(super) fn gains(&self) -> bool {
        self.is_free() || matches!(self.worth, Worth::Meets | Worth::Pays | Worth::Unpriced)
    }

    /// Whether it costs nothing: it is called no dearer as it brings something.
    fn is_free(&self) -> bool {
        self.worth == Worth::Cheaper && self.dollars == Some(0.0)
    }

    /// Whether it saves more than another one, and gives up nothing but what that gives up.
    fn beats(&self, other: &Self) -> bool {
        let mut gives_up = self.gives_up.iter();
        dollars(self) < dollars(other)
            && gives_up.all(|own| other.gives_up.iter().any(|its| own.is_as(its)))
    }

    fn met(&self) -> f64 {
        let came = self.came.as_ref();
        came.map_or(0.0, super::Brought::share_met)
    }

    fn gain(&self) -> f64 {
        self.came.as_ref().map_or(0.0, |came| came.gain)
    }

    /// Whether there are goals, and all are met with all seeds.
    pub(super) fn meets_all(&self) -> bool {
        self.came.as_ref().is_some_and(|came| {
            let mut goals = came.goals.iter();
            !came.goals.is_empty() && goals.all(|goal| goal.seeds_met == came.seeds)
        })
    }
}
