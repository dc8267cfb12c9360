//! In which order changes are listed: what pays most first.

use serde::Serialize;

use super::Row;

/// A gain of a smaller share is none.
const FELT: f64 = 0.01;

/// What a change comes to, in the order in which changes are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Worth {
    /// It costs no more and is no worse: the largest saving first, of equals the largest gain.
    Cheaper,
    /// It brings something for its price: the most for a dollar first.
    Pays,
    /// It brings something, and its price is not known: the largest gain first.
    Unpriced,
    /// It brings nothing, or what may be chance, and costs something: the cheapest first.
    Nothing,
    /// It is worse and cheaper: the least loss first.
    Saves,
    /// It is worse: the least loss first.
    Worse,
    /// It cannot be bought, or not be simulated.
    Refused,
    /// It was not tried, as that would take too many IOs.
    Untried,
}

/// What a change comes to: by its gain, whether that may be chance, and what more it costs.
pub(super) fn worth(gain: f64, chance: bool, dollars: Option<f64>) -> Worth {
    let moves = !chance && gain.abs() >= FELT;
    let (better, worse) = (moves && gain > 0.0, moves && gain < 0.0);
    match dollars {
        Some(dollars) if dollars < 0.0 && !worse => Worth::Cheaper,
        Some(dollars) if dollars <= 0.0 && better => Worth::Cheaper,
        Some(dollars) if dollars < 0.0 => Worth::Saves,
        Some(_) if better => Worth::Pays,
        None if better => Worth::Unpriced,
        _ if worse => Worth::Worse,
        _ => Worth::Nothing,
    }
}

/// Sorts changes; equals stay as they were.
pub(super) fn sort(rows: &mut [Row]) {
    // The smallest comes first.
    let key = |row: &Row| {
        let gain = row.came.as_ref().map_or(0.0, |came| came.gain);
        let dollars = row.dollars.unwrap_or(0.0);
        match row.worth {
            Worth::Cheaper => (dollars, -gain),
            Worth::Pays => (-row.per_dollar.unwrap_or(0.0), dollars),
            Worth::Nothing => (dollars, -gain),
            Worth::Unpriced | Worth::Saves | Worth::Worse => (-gain, dollars),
            Worth::Refused | Worth::Untried => (0.0, 0.0),
        }
    };
    rows.sort_by(|a, b| {
        let (first, second) = (key(a), key(b));
        let by_key = first
            .0
            .total_cmp(&second.0)
            .then(first.1.total_cmp(&second.1));
        a.worth.cmp(&b.worth).then(by_key)
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cheaper_and_no_worse_comes_first() {
        let cases = [
            (0.0, false, Some(-5.0), Worth::Cheaper),
            (-0.02, true, Some(-5.0), Worth::Cheaper),
            (0.1, false, Some(0.0), Worth::Cheaper),
            (0.1, false, Some(9.0), Worth::Pays),
            (0.1, true, Some(9.0), Worth::Nothing),
            (0.1, false, None, Worth::Unpriced),
            (0.009, false, Some(9.0), Worth::Nothing),
            (0.0, false, Some(0.0), Worth::Nothing),
            (-0.1, false, Some(-9.0), Worth::Saves),
            (-0.1, false, Some(9.0), Worth::Worse),
            (-0.1, false, None, Worth::Worse),
        ];
        for (gain, chance, dollars, expected) in cases {
            let found = worth(gain, chance, dollars);
            assert_eq!(found, expected, "{gain} {chance} {dollars:?}");
        }
    }
}
