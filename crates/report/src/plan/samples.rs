//! How the chosen layout does over all samples of a requirement with ranges.

use blockyard_plan::LeastRegret;

use super::amounts::dollars;
use crate::text::format::{count, grouped, percent, significant};

/// What the cheapest layouts of the samples cost, and how often the chosen one suffices.
pub(super) fn samples(found: &LeastRegret) -> String {
    let [low, mid, high] = found.usd_per_month.map(|usd| grouped(usd, 0));
    let mut said = format!(
        "over {} samples (seed {}) the cheapest layouts cost ${low} to ${high}, median ${mid}; the \
         layout of least regret suffices in {} of them, with a regret of {} a month (a shortfall \
         counts {} times)",
        count(found.samples.into()),
        found.seed,
        percent(found.suffices, 1),
        dollars(found.regret_usd),
        significant(found.factor, 6)
    );
    if found.impossible > 0 {
        let impossible = count(found.impossible.into());
        said += &format!("; no layout meets {impossible} samples, which are left out");
    }
    said
}
