//! The share of another load, than that which it was planned for, that a purchase meets.

use crate::answer::purchase::Purchase;
use crate::load::endurance::{Bucket, exhausted_after};
use crate::load::profile::Counted;
use crate::requirement::needs::Needs;
use crate::search::joint_limits::taken_of;
use crate::search::latency::estimate;
use crate::search::volumes::bucket;

impl Purchase<'_, '_> {
    /// The share of a requirement that it holds, sizes included: 1 if all of it.
    pub(crate) fn holds(&self, needs: &Needs) -> f64 {
        self.bears(needs).min(self.has_room(needs))
    }

    /// The share that the file systems have of what is needed.
    pub(crate) fn has_room(&self, needs: &Needs) -> f64 {
        let of = |(has, needed): (u64, u64)| has as f64 / needed.max(1) as f64;
        self.file_systems(needs)
            .map(of)
            .fold(f64::INFINITY, f64::min)
    }

    /// Of each file system the bytes that it has, and those that are needed.
    pub(crate) fn file_systems(&self, needs: &Needs) -> impl Iterator<Item = (u64, u64)> {
        let data = (
            self.data.file_system(),
            needs.file_system(self.journal.is_none()),
        );
        let journal = self.journal.as_ref().zip(needs.journal.as_ref());
        let journal = journal.map(|(set, it)| (set.file_system(), needs.with_free_space(it.size)));
        [data].into_iter().chain(journal)
    }

    /// The share of the load that it bears: 1 if all of it. Of limits what they grant of what is
    /// needed, of credits for how much of the time they last, of latency goals the ratio; the
    /// least of these.
    pub(crate) fn bears(&self, needs: &Needs) -> f64 {
        let apart = self.journal.is_some();
        let mut share: f64 = 1.0;
        let mut least = |it: f64| share = share.min(it);
        let sets = [
            Some((&self.data, needs.mixes(!apart))),
            self.journal.as_ref().map(|it| (it, needs.journal_mixes())),
        ];
        for (set, mixes) in sets.into_iter().flatten() {
            for limit in &set.limits {
                let share = set.share(limit, &mixes, needs);
                least(held(&bucket(limit), &share, needs));
            }
        }
        for (limit, taken) in taken_of(self.host, needs, self.counted()) {
            least(held(&limit.bucket, &taken, needs));
        }
        for goal in &needs.latency {
            if let Some(estimate) = estimate(self.variant(goal.of), needs, goal.of, goal.at) {
                least(goal.most as f64 / estimate as f64);
            }
        }
        share
    }
}

fn held(bucket: &Bucket, counted: &Counted, needs: &Needs) -> f64 {
    match (
        exhausted_after(bucket, counted, &needs.load_profile),
        needs.load_profile.lasts,
    ) {
        (None, _) => 1.0,
        (Some(after), Some(lasts)) if bucket.credits => after as f64 / lasts as f64,
        // Of a load without end what comes in counts, whatever was saved up.
        _ => {
            let needed = needs.load_profile.most_in_1000_s(counted) as f64 / 1000.0;
            bucket.rate as f64 / needed
        }
    }
}
