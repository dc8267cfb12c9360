//! For how long a side of a comparison does what it did: burst credits end.

use blockyard_explain::{Credits, Facts, LimitId, RateUnit};
use blockyard_record::thresholds::ALIKE;
use schemars::JsonSchema;
use serde::Serialize;

use super::side::Side;
use super::whole::Whole;
use crate::text::format::{duration, number};
use crate::text::limit_names::{counted, owner};
use crate::words::balances::running_out;
use crate::words::phrases::{amount, unit_name};

/// The burst credits of a side that end first.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Ends {
    /// Whose baseline is left then.
    pub limit: LimitId,
    /// How many seconds they last at the side's load; 0 if they were used up.
    pub lasts_s: f64,
    /// What is left then, with its unit.
    pub then: Option<(f64, RateUnit)>,
    /// What the side did of that with credits, in the same unit; none where it has used them up.
    pub of: Option<f64>,
}

/// What ends first in any run of a side; none where all of it lasts, or nobody knows.
pub(crate) fn of(side: &Side<'_>) -> Option<Ends> {
    let facts = side.runs().filter_map(|run| run.facts.as_ref());
    let found = facts.flat_map(|facts| {
        let balances = running_out(facts).into_iter();
        balances.map(|balance| Ends::of(facts, balance))
    });
    found.min_by(|one, other| one.lasts_s.total_cmp(&other.lasts_s))
}

impl Ends {
    fn of(facts: &Facts, balance: &Credits) -> Self {
        let lasts_s = balance.last_s.unwrap_or(0.0);
        let whole = facts.limits.iter().find(|one| one.limit == balance.limit);
        // Of some of a device's volumes it is not known what they did.
        let every = |value: f64| balance.then.is_some_and(|(then, _)| then == value);
        let whole = whole.filter(|whole| every(whole.value) && lasts_s > 0.0);
        Self {
            limit: balance.limit.clone(),
            lasts_s,
            then: balance.then,
            of: whole.and_then(|whole| whole.used).map(|used| used.mean),
        }
    }

    /// What is left, as a share of what is done with credits; none where it is none, or not known.
    fn left(&self) -> Option<f64> {
        let of = self.of.filter(|&of| of != 0.0)?;
        self.then.map(|(then, _)| then / of)
    }

    /// `2 h 7 min, then 300 of 1,000 IOPS`.
    fn briefly(&self) -> String {
        format!("{}, then {}", duration(self.lasts_s), self.what_is_left())
    }

    /// What a side does on credits, to go on after what it did.
    pub(crate) fn clause(&self, name: &str) -> String {
        if self.lasts_s == 0.0 {
            let left = self.what_is_left();
            return format!("{name} has used up its burst credits, which leaves {left}");
        }
        format!("{name} keeps this up for {}", self.briefly())
    }

    /// What to keep in mind of a side.
    pub(crate) fn note(&self) -> String {
        let whose = owner(&self.limit.owner);
        if self.lasts_s == 0.0 {
            let left = self.what_is_left();
            return format!("the burst credits of {whose} were used up, which leaves {left}");
        }
        let briefly = self.briefly();
        format!("lives on the burst credits of {whose}: at this load they last {briefly}")
    }

    fn what_is_left(&self) -> String {
        match (self.then, self.of) {
            (None, _) => "the baseline".to_owned(),
            (Some(then), None) => amount(then),
            (Some((value, unit)), Some(of)) => {
                format!("{} of {} {}", number(value), number(of), unit_name(unit))
            }
        }
    }
}

/// Whether what the other side does lasts longer than what the first does, or leaves more: better,
/// worse or alike; none where both last.
pub(crate) fn against(first: Option<&Ends>, other: Option<&Ends>) -> Option<Whole> {
    let (first, other) = match (first, other) {
        (None, None) => return None,
        (None, Some(_)) => return Some(Whole::Worse),
        (Some(_), None) => return Some(Whole::Better),
        (Some(first), Some(other)) => (first, other),
    };
    let pairs = [
        (first.left(), other.left()),
        (Some(first.lasts_s), Some(other.lasts_s)),
    ];
    for pair in pairs {
        let (Some(ours), Some(theirs)) = pair else {
            continue;
        };
        if ours == 0.0 || theirs == 0.0 {
            continue;
        }
        let gain = theirs / ours - 1.0;
        if gain.abs() > ALIKE {
            return Some(better_if(gain > 0.0));
        }
    }
    if (first.lasts_s > 0.0) != (other.lasts_s > 0.0) {
        return Some(better_if(other.lasts_s > 0.0));
    }
    Some(Whole::Alike)
}

fn better_if(better: bool) -> Whole {
    if better { Whole::Better } else { Whole::Worse }
}

/// What of two sides does not last on one: `sustained IOPS`.
pub(crate) fn what(first: Option<&Ends>, other: Option<&Ends>) -> String {
    let ends = first.or(other);
    let counts = ends.map_or("", |ends| counted(ends.limit.kind.counts));
    format!("sustained {counts}")
}
