//! In which order changes are listed: what meets goals first, then what pays most.

use schemars::JsonSchema;
use serde::Serialize;

use super::Row;
use super::judged::Judged;

/// What a change is worth, in the order in which changes are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Worth {
    /// It meets a goal that is missed now: the most goals first, of equals the cheapest.
    Meets,
    /// It costs no more, no job is worse off and nothing else is given up: the largest saving
    /// first, of equals the largest gain.
    Cheaper,
    /// It saves money and gives something up, but nothing that was asked for: all goals stay met,
    /// or no job is worse off. The largest saving first.
    Trades,
    /// It brings something for its price: the largest gain for a dollar first.
    Pays,
    /// It brings something, and its price is not known: the largest gain first.
    Unpriced,
    /// It brings nothing, or what may be chance, and costs something: the cheapest first.
    Nothing,
    /// One job gets better, another worse: the most goals first, then the least loss.
    Mixed,
    /// It is worse and cheaper: the most goals first, then the least loss.
    Saves,
    /// It is worse: the most goals first, then the least loss.
    Worse,
    /// It cannot be bought, or not be simulated.
    Refused,
    /// It was not tried, as that would take too many IOs.
    Untried,
}

/// What a change leaves as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kept {
    /// All goals, which are met without it, and whatever no goal speaks of.
    pub(super) goals: bool,
    /// Everything that is known beside what jobs do: durability, vCPUs, memory.
    pub(super) all: bool,
    /// For how long the load is served.
    pub(super) lasting: bool,
}

/// What a change is worth: by what it does to all jobs and goals, what more it costs, and what it
/// leaves as it is. Of the job called `only`, if one is named, what gets better counts alone.
pub(super) fn worth(
    judged: &Judged,
    only: Option<&str>,
    dollars: Option<f64>,
    kept: Kept,
) -> Worth {
    let (better, worse) = (judged.is_better(only), judged.is_worse());
    let is_saving = dollars.is_some_and(|dollars| dollars < 0.0);
    let saves = is_saving && kept.lasting && (kept.goals || !worse);
    match dollars {
        _ if judged.repairs() => Worth::Meets,
        _ if saves && !worse && kept.all => Worth::Cheaper,
        _ if saves => Worth::Trades,
        _ if worse && better => Worth::Mixed,
        Some(dollars) if dollars == 0.0 && better && kept.all => Worth::Cheaper,
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
        let met = row.came.as_ref().map_or(0.0, |came| came.share_met());
        let per_dollar = || row.dollars.map_or(0.0, |dollars| gain / dollars);
        match row.worth {
            // What has no price comes last of equals.
            Worth::Meets => [-met, row.dollars.unwrap_or(f64::INFINITY), -gain],
            Worth::Mixed | Worth::Saves | Worth::Worse => [-met, -gain, dollars],
            Worth::Cheaper | Worth::Trades | Worth::Nothing => [dollars, -gain, 0.0],
            Worth::Pays => [-per_dollar(), dollars, 0.0],
            Worth::Unpriced => [-gain, 0.0, 0.0],
            Worth::Refused | Worth::Untried => [0.0; 3],
        }
    };
    rows.sort_by(|a, b| {
        let both = key(a).into_iter().zip(key(b));
        let mut by_key = both.map(|(one, other)| one.total_cmp(&other));
        let first = by_key.find(|order| order.is_ne());
        let by_key = first.unwrap_or(std::cmp::Ordering::Equal);
        a.worth.cmp(&b.worth).then(by_key)
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Kept = Kept {
        goals: false,
        all: true,
        lasting: true,
    };

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
            let alone = Judged::of_gains(&[(gain, chance)]);
            let found = worth(&alone, None, dollars, ALL);
            assert_eq!(found, expected, "{gain} {chance} {dollars:?}");
            // A job that nothing happens to changes nothing, and one that gets worse does.
            let beside = Judged::of_gains(&[(0.0, false), (gain, chance)]);
            assert_eq!(worth(&beside, None, dollars, ALL), expected);
            let worse = Judged::of_gains(&[(gain, chance), (-0.5, false)]);
            let no_worse = [Worth::Cheaper, Worth::Pays, Worth::Unpriced, Worth::Nothing];
            assert!(!no_worse.contains(&worth(&worse, None, dollars, ALL)));
        }
        // What another job gains does not count where one is named.
        let other = Judged::of_gains(&[(0.0, false), (0.5, false)]);
        assert_eq!(worth(&other, Some("0"), Some(1.0), ALL), Worth::Nothing);
        assert_eq!(worth(&other, Some("1"), Some(1.0), ALL), Worth::Pays);
    }

    #[test]
    fn what_gives_something_up_is_never_called_no_worse() {
        let [same, slower] = [0.0, -0.5].map(|gain| Judged::of_gains(&[(gain, false)]));
        let of = |judged: &Judged, kept: Kept| worth(judged, None, Some(-5.0), kept);
        let less = Kept { all: false, ..ALL };
        assert_eq!(of(&same, less), Worth::Trades);
        // Slower, and all goals stay met.
        let met = Kept {
            goals: true,
            ..less
        };
        assert_eq!(of(&slower, met), Worth::Trades);
        assert_eq!(of(&slower, less), Worth::Saves);
        // On credits that will end.
        for judged in [&same, &slower] {
            let ending = Kept {
                lasting: false,
                ..met
            };
            assert_eq!(of(judged, ending), Worth::Saves);
        }
    }
}
