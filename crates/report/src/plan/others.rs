//! What else there is beside what to buy.

use blockyard_plan::{Answer, Layout};

use super::amounts::dollars;
use super::reasons::text;
use crate::text::format::percent;

/// How many layouts of slightly more regret are listed: they are much alike.
const REGRETTED: usize = 2;

/// What layouts of more regret are called.
pub(super) const MORE_REGRET: &str = "more regret";

/// An alternative: what it is, the layout, and what to know of it.
pub(super) struct Other<'a> {
    pub(super) title: &'static str,
    pub(super) layout: &'a Layout,
    pub(super) more: String,
}

/// The alternatives. Of a requirement with ranges: layouts of more regret, and the cheapest for
/// the likeliest load.
pub(super) fn others(answer: &Answer) -> Vec<Other<'_>> {
    let alone = |title, layout| Other {
        title,
        layout,
        more: String::new(),
    };
    let plan = &answer.plan;
    let Some(uncertain) = &answer.uncertain else {
        let fewest = plan.fewest.iter().map(|it| alone("fewest volumes", it));
        let others = plan.others.iter().map(|it| alone("next best", it));
        return fewest.chain(others).collect();
    };
    let regretted = uncertain.others.iter().take(REGRETTED).map(|one| Other {
        title: MORE_REGRET,
        layout: &one.layout,
        more: format!(
            "; regret {}, suffices in {}",
            dollars(one.regret_usd),
            percent(one.suffices, 1)
        ),
    });
    let likeliest = plan.best.iter();
    let likeliest = likeliest.map(|it| alone("for the likeliest load alone", it));
    regretted.chain(likeliest).collect()
}

/// What would be cheaper without preferences, and which of them it breaks.
pub(super) fn cheapest_possible(answer: &Answer) -> Option<(&Layout, String)> {
    let found = answer.cheapest_possible.as_ref()?;
    let breaks: Vec<_> = found.breaks.iter().map(text).collect();
    Some((&found.layout, format!("it breaks: {}", breaks.join("; "))))
}

/// What services charge for the storage, beside the layout's own; none where not known.
pub(super) fn managed(answer: &Answer, best: &Layout) -> Option<String> {
    if answer.managed.is_empty() {
        return None;
    }
    let services = answer.managed.iter();
    let services = services.map(|one| format!("{} {}", one.service, dollars(one.usd_per_month)));
    let services = services.collect::<Vec<_>>().join(", ");
    // All that is on the bill beside instances and traffic.
    let storage = best.bill.iter();
    let storage = storage.filter(|one| one.what != best.instance && one.assumed.is_none());
    let own = storage.fold(0.0, |sum, one| sum + one.usd_per_month);
    let own = dollars(own);
    Some(format!(
        "as a service, storage alone: {services}; here {own} (whether a service delivers the load \
         is not checked, nor are its instances and throughput beyond what is included)"
    ))
}

/// How many instance types preferences leave out, and as what; none if none.
pub(super) fn avoided(answer: &Answer) -> Option<String> {
    let mut kinds: Vec<_> = answer.plan.avoided.iter().collect();
    kinds.sort_by_key(|(_, number)| std::cmp::Reverse(**number));
    let kinds = kinds
        .iter()
        .map(|(kind, number)| format!("{number} {kind}"));
    let said = kinds.collect::<Vec<_>>().join(", ");
    (!said.is_empty()).then_some(said)
}
