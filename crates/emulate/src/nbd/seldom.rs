//! What happens again and again, and is to be said now and then.

use std::time::{Duration, Instant};

/// Between two words on the same.
pub(super) const PAUSE: Duration = Duration::from_secs(60);

/// Counts what is to be said at once the first time, and at most once a
/// [`PAUSE`] from then on.
#[derive(Debug, Default)]
pub(super) struct Seldom {
    /// Since it was said last.
    count: u64,
    said: Option<Instant>,
}

impl Seldom {
    /// It happened again.
    pub(super) fn count(&mut self) {
        self.count += 1;
    }

    /// How often it has happened since this was said last; nothing if that is
    /// not to be said now.
    pub(super) fn due(&mut self, now: Instant) -> Option<u64> {
        let too_soon = |said| now.saturating_duration_since(said) < PAUSE;
        if self.count == 0 || self.said.is_some_and(too_soon) {
            return None;
        }
        self.said = Some(now);
        Some(std::mem::take(&mut self.count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_is_said_at_once_and_the_rest_together() {
        let mut seldom = Seldom::default();
        let start = Instant::now();
        assert_eq!(seldom.due(start), None);
        seldom.count();
        assert_eq!(seldom.due(start), Some(1));
        seldom.count();
        seldom.count();
        assert_eq!(seldom.due(start + PAUSE / 2), None);
        assert_eq!(seldom.due(start + PAUSE), Some(2));
        assert_eq!(seldom.due(start + PAUSE * 3), None);
    }
}
