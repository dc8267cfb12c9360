//! How an observation ends.

use blockyard_record::result::{LostEvents, Status};

/// How an observation ended.
#[derive(Debug)]
pub(crate) enum Ended {
    InTime,
    Stopped,
    /// All devices are gone.
    NoDevice,
    /// All processes that were named have ended.
    NoProcess,
}

impl Ended {
    /// How a run ended that way; whether its length was `asked` for.
    pub(crate) fn status(&self, asked: bool) -> Status {
        match self {
            Self::NoDevice => Status::Failed,
            // Without a length it is over when somebody says so.
            Self::Stopped if asked => Status::Interrupted,
            Self::Stopped | Self::InTime | Self::NoProcess => Status::Complete,
        }
    }
}

/// What to say of events of IOs that found no room, if there are any.
pub(crate) fn events_lost(lost: &[LostEvents]) -> Option<String> {
    said(
        lost,
        "events",
        "latencies of then are missing, counts are not",
    )
}

/// The same of events of calls.
pub(crate) fn calls_lost(lost: &[LostEvents]) -> Option<String> {
    said(lost, "events of calls", "calls of then are missing")
}

fn said(lost: &[LostEvents], what: &str, missing: &str) -> Option<String> {
    let events: u64 = lost.iter().map(|one| one.events).sum();
    let from_s = lost.iter().map(|one| one.from_s).fold(f64::MAX, f64::min);
    let to_s = lost.iter().map(|one| one.to_s).fold(0.0, f64::max);
    (events > 0).then(|| {
        format!(
            "{events} {what} were lost between {from_s:.1} s and {to_s:.1} s: {missing}; --buffer \
             gives events more memory"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_are_said_as_one() {
        let lost = |from_s, to_s, events| LostEvents {
            from_s,
            to_s,
            events,
        };
        assert_eq!(events_lost(&[]), None);
        let said = events_lost(&[lost(1.0, 2.0, 5), lost(1.5, 4.0, 6)]).unwrap();
        assert!(said.starts_with("11 events were lost between 1.0 s and 4.0 s: "));
    }
}
