//! Kinds of transactions whose number of items varies: the model gets one kind for each number.

use crate::resolve::Invalid;
use crate::schema::{Oltp, TransactionKind};

/// Most numbers of items that a kind has, each of which is a kind to the model.
const MOST_NUMBERS: u32 = 100;

/// How many items a transaction has, and the sum of the least and the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Number {
    pub(super) items: u32,
    pub(super) ends: u64,
}

impl Number {
    /// That of a kind that has no items.
    const NONE: Self = Self { items: 1, ends: 2 };

    /// What `mean` of a transaction with the mean number comes to.
    pub(super) fn of(self, mean: u64) -> u64 {
        let twice = u128::from(mean) * 2 * u128::from(self.items);
        (twice / u128::from(self.ends)) as u64
    }
}

/// The numbers of items that a kind at `path` has, one if it has none.
///
/// # Errors
/// The most are fewer than the least, there are too many numbers, or no page is of an item.
pub(super) fn numbers(path: &str, kind: &TransactionKind) -> Result<Vec<Number>, Invalid> {
    let invalid = |key: &str, message: String| Err(Invalid::new(format!("{path}.{key}"), message));
    let mut uses = kind.tables.iter();
    let of_item = uses.find(|(_, used)| used.per_item);
    let Some(items) = kind.items else {
        return match of_item {
            None => Ok(vec![Number::NONE]),
            Some((table, _)) => invalid(
                &format!("tables.{table}.per_item"),
                "stands without `items`; expected `items: {least: 5, most: 15}`".into(),
            ),
        };
    };
    let (least, most) = (items.least.get(), items.most.get());
    if most < least {
        return invalid(
            "items.most",
            format!("`{most}` is less than `least`; expected at least {least}"),
        );
    }
    if most - least >= MOST_NUMBERS {
        let message = format!(
            "`{most}` is too large; expected at most {} here",
            least.saturating_add(MOST_NUMBERS - 1)
        );
        return invalid("items.most", message);
    }
    if of_item.is_none() {
        return invalid(
            "items",
            "no table is used by item; expected `per_item: true` in one of `tables`".into(),
        );
    }
    let ends = u64::from(least) + u64::from(most);
    let numbers = least..=most;
    Ok(numbers.map(|items| Number { items, ends }).collect())
}

/// The number that all weights are multiplied by so that each kind's can be shared out among its
/// numbers of items.
pub(super) fn shares(job: &Oltp) -> u64 {
    let items = job.transactions.values().filter_map(|kind| kind.items);
    let counts = items.map(|it| u64::from(it.most.get().saturating_sub(it.least.get())) + 1);
    counts.fold(1, |shares, count| {
        let (mut divisor, mut rest) = (shares, count);
        while rest > 0 {
            (divisor, rest) = (rest, divisor % rest);
        }
        shares.saturating_mul(count / divisor)
    })
}
