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

/// What to say of events that found no room, if there are any.
pub(crate) fn events_lost(lost: &[LostEvents]) -> Option<String> {
    let events: u64 = lost.iter().map(|lost| lost.events).sum();
    (events > 0).then(|| {
        format!(
            "{events} events were lost, in {} seconds: latencies of IOs that ended then may be \
             missing, counts are not",
            lost.len()
        )
    })
}
