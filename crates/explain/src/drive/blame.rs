//! The cause that most time of a device was waited for.

use blockyard_record::thresholds::HELD_BACK;

use super::cause::FLUSHING;
use super::watched::Watched;
use super::{Cause, Verdict};

/// What intervals with the same cause waited.
struct Blame {
    cause: Cause,
    intervals: usize,
    us: f64,
}

impl Watched<'_> {
    /// What its IO waited for, and how much in all, in microseconds; none if it did not wait.
    pub(super) fn verdict(&self, others: &[&Self]) -> Option<(Verdict, f64)> {
        let hung = self.hung();
        let mut blames: Vec<Blame> = Vec::new();
        for (place, own) in self.device.intervals.iter().enumerate() {
            let us = (own.us() - self.expected_us[place]).max(0.0);
            let (cause, us) = match hung.iter().find(|gap| gap.holds(place)) {
                Some(gap) => (gap.cause(self.seen.interval_s), us),
                None if self.is_slow(place) => (self.cause(place, others), us),
                None => continue,
            };
            match blames.iter_mut().find(|blame| alike(&blame.cause, &cause)) {
                Some(blame) => {
                    blame.intervals += 1;
                    blame.us += us;
                }
                None => blames.push(Blame {
                    cause,
                    intervals: 1,
                    us,
                }),
            }
        }
        let waited: f64 = blames.iter().map(|blame| blame.us).sum();
        if waited < HELD_BACK * self.us() {
            blames = self.piled_up().into_iter().collect();
        }
        let most = blames
            .into_iter()
            .max_by(|one, other| one.us.total_cmp(&other.us))?;
        let whole = self.us() + self.flush_us();
        let verdict = Verdict {
            device: Some(self.device.name.clone()),
            time: (most.intervals as f64 / self.active() as f64).min(1.0),
            waited: most.us / whole,
            cause: most.cause,
        };
        Some((verdict, most.us))
    }

    /// That flushes wait for each other, if there nearly always is one in flight. Writes that ask
    /// for a flush wait with them.
    fn piled_up(&self) -> Option<Blame> {
        let slower = self.us() - self.expected_us.iter().sum::<f64>();
        (self.flushes_in_flight() >= FLUSHING).then(|| Blame {
            cause: self.flushes(),
            intervals: self.active(),
            us: self.flush_us() + slower.max(0.0),
        })
    }
}

/// Whether two causes are one, apart from their figures.
fn alike(one: &Cause, other: &Cause) -> bool {
    use Cause::{Credits, InstanceLimit, VolumeLimit};
    match (one, other) {
        (VolumeLimit { limit, .. }, VolumeLimit { limit: same, .. })
        | (InstanceLimit { limit, .. }, InstanceLimit { limit: same, .. })
        | (Credits { limit, .. }, Credits { limit: same, .. }) => limit == same,
        _ => std::mem::discriminant(one) == std::mem::discriminant(other),
    }
}
