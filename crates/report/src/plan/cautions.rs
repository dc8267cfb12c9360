//! What to know of an instance before it is bought.

use blockyard_plan::{Answer, Layout};

use super::amounts::{dollars, size};
use super::layout::USUAL;
use crate::text::format::count;

/// All that is to be known of what to buy.
pub(super) fn cautions(answer: &Answer) -> Vec<String> {
    let best = answer.bought();
    let all = [
        kept(answer),
        best.and_then(|best| unsized_instance(answer, best)),
        best.and_then(|best| architecture(answer, best)),
        best.and_then(burstable),
        best.and_then(zones),
        unpriced(answer),
    ];
    all.into_iter().flatten().collect()
}

/// Whether programs cannot run as most are built on an instance that nobody has asked for.
pub(super) fn needs_arm(answer: &Answer) -> bool {
    let asked = answer.architecture.as_deref().unwrap_or_default();
    let best = answer.bought();
    asked.is_empty() && best.is_some_and(|best| best.architecture != USUAL)
}

/// That the instance is to be no smaller than today's; none if it was said how large it is.
fn kept(answer: &Answer) -> Option<String> {
    let (name, vcpu, memory_mib) = answer.instance_kept.as_ref()?;
    let memory = size(memory_mib << 20);
    Some(format!(
        "the instance has at least {vcpu} vCPU and {memory} of memory, as {name} has today: \
         --vcpu and --memory say otherwise"
    ))
}

/// That the instance is as small as storage lets it be; none if it was said how large it is.
fn unsized_instance(answer: &Answer, best: &Layout) -> Option<String> {
    (!answer.instance_sized).then(|| {
        format!(
            "{} is what the storage takes, and may be too small for a database: --vcpu and \
             --memory say what that needs",
            best.instance
        )
    })
}

/// What to do if programs cannot run on an instance that nobody has asked for; none if that is
/// what most programs are built for, or there is nothing else.
fn architecture(answer: &Answer, best: &Layout) -> Option<String> {
    if !needs_arm(answer) {
        return None;
    }
    let (instance, built_for) = (&best.instance, &best.architecture);
    let runs = format!("on {instance} programs must be built for {built_for}");
    if answer.uncertain.is_some() {
        return Some(format!(
            "{runs}; --architecture {USUAL} leaves such instances out"
        ));
    }
    let mut usual = answer.plan.families.iter();
    let (price, instance) = usual.find_map(|family| {
        let price = family.usd_per_month?;
        (family.architecture == USUAL).then_some((dollars(price), &family.instance))
    })?;
    Some(format!(
        "{runs}; for {USUAL} it is {price} on {instance}: --architecture {USUAL}"
    ))
}

/// That the instance slows down when its CPU credits are used up; none if it does not.
fn burstable(best: &Layout) -> Option<String> {
    best.burstable.then(|| {
        format!(
            "{} is burstable: it slows down once its CPU credits are used up, or costs more in \
             unlimited mode, which is not on the bill",
            best.instance
        )
    })
}

/// In which zones the instance type is offered; none if in all, or that is not known.
fn zones(best: &Layout) -> Option<String> {
    let (offered, of) = best.zones.as_ref()?;
    let number = offered.len();
    (number != *of).then(|| {
        format!(
            "{} is offered in {number} of {of} zones: {}",
            best.instance,
            offered.join(", ")
        )
    })
}

/// That most instance types are left out for their price; none if that is not so.
fn unpriced(answer: &Answer) -> Option<String> {
    let (missing, of) = (answer.plan.unpriced as u64, answer.plan.instances as u64);
    (2 * missing > of).then(|| {
        format!(
            "no {} price in {} is known of {} of {} instance types, which leaves them out; \
             `blockyard prices import` reads AWS's price list, --price-file states yours",
            answer.term,
            answer.region,
            count(missing),
            count(of)
        )
    })
}
