//! What is tried of a run: one thing at a time, what was waited for most first.

use blockyard_explain::{Facts, LimitId, LinkHold, Modelled, Next};
use blockyard_record::result::LinkCause;
use blockyard_scenario::Resolved;

use crate::edit::{Edit, OfLink, OtherMirror, Protocol, Reads, ScaledLimit, ScaledLink};

/// What limits are raised by.
pub const FACTOR: f64 = 1.5;

/// What they are raised by so that they hold up nothing, and how many times the IOs of the run
/// that takes, by a guess.
const FAR: f64 = 50.0;
const FAR_COST: f64 = 3.0;

/// One thing to try.
pub(super) struct Case {
    pub(super) tries: Tries,
    pub(super) edits: Vec<Edit>,
    /// How many times the IOs of the run itself it takes.
    pub(super) cost: f64,
}

/// What a case tries.
pub(super) enum Tries {
    /// A limit by a half more.
    Limit(LimitId),
    /// A limit so high that it holds up nothing, for the jobs that wait for it.
    Far { limit: LimitId, jobs: Vec<String> },
    /// By a half more of what a link lets through.
    Link(LinkHold),
    /// A mirror that asks less of its link.
    Mirror(OtherMirror),
    /// A job that issues nothing.
    Silence(String),
    /// All limits that nothing waited for, by a half more.
    Idle,
    /// A replay whose IOs come at their recorded times.
    Open(String),
}

/// All that could help a run, and how else its replays may be meant.
pub(super) fn cases(facts: &Facts, resolved: &Resolved) -> Vec<Case> {
    let undecided = resolved.recordings.iter().filter(|own| own.undecided);
    let mut found: Vec<_> = undecided.map(|own| open(&own.job)).collect();
    let Some(modelled) = &facts.modelled else {
        return found;
    };
    found.extend(of_limits(modelled));
    found.extend(of_network(facts, modelled));
    let raisings = modelled.waits.iter().filter_map(|own| own.raising.as_ref());
    let mut jobs: Vec<&String> = Vec::new();
    for taker in raisings.flat_map(|raising| &raising.takers) {
        if !jobs.contains(&&taker.job) {
            jobs.push(&taker.job);
        }
    }
    found.extend(jobs.into_iter().map(|job| Case {
        tries: Tries::Silence(job.clone()),
        edits: vec![Edit::Silence(job.clone())],
        cost: 1.0,
    }));
    let idle = modelled.idle.iter().map(|&place| &facts.limits[place]);
    let edits: Vec<_> = idle.map(|own| raise(&own.limit, FACTOR)).collect();
    if !edits.is_empty() {
        found.push(Case {
            tries: Tries::Idle,
            edits,
            cost: 1.0,
        });
    }
    found
}

/// More of what was waited for.
fn of_limits(modelled: &Modelled) -> Vec<Case> {
    let mut found = Vec::new();
    for own in &modelled.waits {
        let Some(raising) = &own.raising else {
            continue;
        };
        found.push(Case {
            tries: Tries::Limit(own.limit.clone()),
            edits: vec![raise(&own.limit, FACTOR)],
            cost: FACTOR,
        });
        if modelled.held.len() > 1 && raising.next != Next::Nothing {
            found.push(Case {
                tries: Tries::Far {
                    limit: own.limit.clone(),
                    jobs: raising.helps.clone(),
                },
                edits: vec![raise(&own.limit, FAR)],
                cost: FAR_COST,
            });
        }
    }
    found
}

/// More of what a link lets through, and mirrors that ask less of it.
fn of_network(facts: &Facts, modelled: &Modelled) -> Vec<Case> {
    let links = modelled.links.iter();
    let links = links.filter_map(|hold| Some((hold, raisable(hold.cause)?)));
    let mut found: Vec<_> = links
        .map(|(hold, what)| Case {
            tries: Tries::Link(hold.clone()),
            edits: vec![Edit::Link(ScaledLink {
                link: hold.link.clone(),
                what,
                factor: FACTOR,
            })],
            cost: FACTOR,
        })
        .collect();
    if found.is_empty() {
        return found;
    }
    for device in &facts.devices {
        let Some(mirror) = device.mirror else {
            continue;
        };
        let other = |acknowledge, read| {
            let device = device.name.clone();
            of_mirror(OtherMirror {
                device,
                read,
                acknowledge,
            })
        };
        if mirror.acknowledge == "C" {
            found.push(other(Some(Protocol::B), None));
        }
        if mirror.reads_both {
            found.push(other(None, Some(Reads::Local)));
        }
    }
    found
}

/// What of a link may be raised; none of what is cut or lossy.
fn raisable(cause: LinkCause) -> Option<OfLink> {
    match cause {
        LinkCause::SocketBuffer => Some(OfLink::SocketBuffer),
        LinkCause::FlowControl => Some(OfLink::FlowControl),
        LinkCause::Processor => Some(OfLink::Processor),
        LinkCause::Bandwidth => Some(OfLink::Bandwidth),
        LinkCause::Network => Some(OfLink::Network),
        LinkCause::Down | LinkCause::Loss => None,
    }
}

fn of_mirror(other: OtherMirror) -> Case {
    Case {
        tries: Tries::Mirror(other.clone()),
        edits: vec![Edit::Mirror(other)],
        cost: FACTOR,
    }
}

fn open(job: &str) -> Case {
    Case {
        tries: Tries::Open(job.to_owned()),
        edits: vec![Edit::set(format!("workload.{job}.loop"), "open")],
        cost: 1.0,
    }
}

fn raise(limit: &LimitId, factor: f64) -> Edit {
    Edit::Limit(ScaledLimit::of(limit, factor))
}
