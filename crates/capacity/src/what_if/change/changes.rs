//! One change, or two or three that are made at once.

use blockyard_explain::LimitId;

use super::Change;
use super::aspect::Aspect;

/// One change, or two or three that are made at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Changes {
    first: Change,
    also: Vec<Change>,
}

impl From<Change> for Changes {
    fn from(first: Change) -> Self {
        let also = Vec::new();
        Self { first, also }
    }
}

impl Changes {
    pub(crate) fn new(first: Change, also: Vec<Change>) -> Self {
        Self { first, also }
    }

    /// The first one, and the others.
    pub(crate) fn split(self) -> (Change, Vec<Change>) {
        (self.first, self.also)
    }

    pub(crate) fn each(&self) -> impl Iterator<Item = &Change> {
        std::iter::once(&self.first).chain(&self.also)
    }

    pub(crate) fn count(&self) -> usize {
        1 + self.also.len()
    }

    /// These and others.
    pub(crate) fn and(&self, other: &Self) -> Self {
        let also = self.each().chain(other.each()).skip(1);
        Self {
            first: self.first.clone(),
            also: also.cloned().collect(),
        }
    }

    /// The device that all of them are of, if that is one.
    pub(crate) fn device(&self) -> Option<&str> {
        let all = self.aspects();
        let first = match all.first()? {
            Aspect::Volumes(of) | Aspect::Amount(of, _) | Aspect::Type(of) => *of,
            Aspect::Instance(_) | Aspect::Setting(..) | Aspect::Nodes(_) => return None,
        };
        let same = all.iter().all(|aspect| aspect.device() == Some(first));
        same.then_some(first)
    }

    /// Whether some are of the same as others, so that one would undo the other.
    pub(crate) fn exclude(&self, others: &Self) -> bool {
        let others = others.aspects();
        let own = self.aspects();
        own.iter()
            .any(|one| others.iter().any(|other| one.is_of(other)))
    }

    /// Whether they give more of a limit, or do without it.
    pub(crate) fn relieve(&self, limit: &LimitId) -> bool {
        self.aspects().iter().any(|aspect| aspect.relieves(limit))
    }

    /// Whether some are of what a job replicates to.
    pub(crate) fn are_of_replication(&self) -> bool {
        self.aspects().iter().any(Aspect::is_of_replication)
    }

    fn aspects(&self) -> Vec<Aspect<'_>> {
        self.each().flat_map(Change::aspects).collect()
    }
}
