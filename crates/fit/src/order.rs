//! Which ranks of a sample a quantile lies between.

use statrs::distribution::{Binomial, DiscreteCDF};

/// What each side of an interval of 95 % may miss.
const TAIL: f64 = 0.025;

/// The ranks, from 1, of those of `count` IOs between whose latencies the quantile `p` lies
/// with a confidence of 95 %. None where the sample has no such rank: above the 99.9th
/// percentile only from 3,688 IOs on.
///
/// The number of IOs below the quantile is binomial, whatever the distribution of latencies.
pub(crate) fn ranks(count: u64, p: f64) -> (Option<u64>, Option<u64>) {
    let Ok(below) = Binomial::new(p, count) else {
        return (None, None);
    };
    // The IO of rank k lies above the quantile if fewer than k IOs lie below it.
    let above = |rank: u64| rank == 0 || below.cdf(rank - 1) <= TAIL;
    let low = last_where(count, above);
    let beneath = |rank: u64| below.cdf(rank - 1) >= 1.0 - TAIL;
    let high = last_where(count, |rank| rank == 0 || !beneath(rank)) + 1;
    ((low >= 1).then_some(low), (high <= count).then_some(high))
}

/// The last of 0 to `most` that `holds`, which holds up to it and not beyond.
fn last_where(most: u64, holds: impl Fn(u64) -> bool) -> u64 {
    let (mut yes, mut no) = (0, most + 1);
    while no - yes > 1 {
        let middle = yes + (no - yes) / 2;
        if holds(middle) {
            yes = middle;
        } else {
            no = middle;
        }
    }
    yes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_ten_lies_between_the_second_and_the_ninth() {
        // The sign test's interval, as tables of it have it: 97.9 %.
        assert_eq!(ranks(10, 0.5), (Some(2), Some(9)));
    }

    #[test]
    fn a_rare_latency_needs_many_ios() {
        assert_eq!(ranks(3_687, 0.999).1, None);
        assert_eq!(ranks(3_688, 0.999).1, Some(3_688));
        assert_eq!(ranks(0, 0.5), (None, None));
    }
}
