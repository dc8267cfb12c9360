//! What can be asked of a volume, and the limits that it then has.

use blockyard_model::spec::{Applies, TopUp, Unit};
use blockyard_text::units::{Size, Throughput};

use crate::grounds::{Assumption, Note};
use crate::instance::DiskRates;
use crate::offer::Offer;
use crate::rate::Provision;
use crate::refusal::Refusal;
use crate::volume::LimitRule;

/// What is asked of a volume; `None` where nothing is stated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ask {
    /// Its size.
    pub size: Option<Size>,
    /// Provisioned IOs a second.
    pub iops: Option<u64>,
    /// Provisioned bytes a second.
    pub throughput: Option<Throughput>,
}

/// What a volume gets: what was asked for, or what its type includes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Provisioned {
    /// Its size.
    pub size: Size,
    /// IOs a second; none where the type provisions none.
    pub iops: Option<u64>,
    /// Bytes a second; none where the type provisions none.
    pub throughput: Option<Throughput>,
    /// What one local disk of the host does.
    pub(crate) disk: Option<DiskRates>,
}

/// What a volume is limited to.
#[derive(Clone, Debug)]
pub struct Limits<'a> {
    /// The rule that the limits follow from.
    pub offer: Offer<'a>,
    /// What the volume gets.
    pub provisioned: Provisioned,
    /// The limits; all hold at once.
    pub limits: Vec<Limit<'a>>,
}

/// One limit, a token bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit<'a> {
    /// Its name within its owner, `iops`.
    pub name: &'a str,
    /// What it counts.
    pub unit: Unit,
    /// Which IOs it counts.
    pub applies: Applies,
    /// Tokens a second, at least 1.
    pub rate: u64,
    /// Tokens in the full bucket, at least 1.
    pub depth: u64,
    /// Whether its level is what users know as the burst balance.
    pub credits: bool,
    /// What comes all at once beside the flow, if anything does.
    pub top_up: Option<TopUp>,
    /// What must be assumed for it to hold, if anything.
    pub assumptions: Vec<Assumption<'a>>,
    /// What else there is to say about it.
    pub notes: Vec<Note<'a>>,
}

impl LimitRule {
    /// Whether all that its rate depends on was stated.
    fn is_stated(&self, given: &Provisioned) -> bool {
        let missing = |what, is_there: bool| self.rate.needs(what) && !is_there;
        !missing(Provision::Iops, given.iops.is_some())
            && !missing(Provision::Throughput, given.throughput.is_some())
    }
}

impl<'a> Offer<'a> {
    /// The limits of a volume that is ordered as `ask`.
    ///
    /// # Errors
    /// If the offer does not allow it; the refusal names the field and the
    /// bound.
    pub fn limits(&self, ask: &Ask) -> Result<Limits<'a>, Refusal<'a>> {
        let provisioned = self.provision(ask)?;
        let rules = self.row.limits.iter();
        let limits = rules
            .filter(|rule| rule.below.is_none_or(|size| provisioned.size < size))
            .filter(|rule| !self.row.as_stated || rule.is_stated(&provisioned))
            .map(|rule| self.limit(rule, &provisioned));
        Ok(Limits {
            offer: *self,
            provisioned,
            limits: limits.collect(),
        })
    }

    fn limit(&self, rule: &'a LimitRule, provisioned: &Provisioned) -> Limit<'a> {
        let volumes = &self.of.catalog.volumes;
        let mut assumptions = self.assumptions();
        assumptions.extend(self.of.catalog.outdated(self.day));
        let mut notes = Vec::new();
        let mut rate = rule.rate.apply(provisioned);
        let cap = rule.max_unless.as_ref();
        if let Some(cap) = cap.filter(|cap| cap.rate.per_s < rate)
            && let Some(kind) = volumes.hosts.get(&cap.host)
        {
            match self.host {
                Some(host) if !kind.fits(self.host) => {
                    rate = cap.rate.per_s;
                    notes.push(Note::Capped {
                        instance: host.name(),
                        not: kind,
                        most: cap.rate,
                    });
                }
                Some(_) => {}
                None => assumptions.push(Assumption::NoHost { taken_for: kind }),
            }
        }
        let store = self.host.and_then(|host| host.store.as_ref());
        if let Some(store) = store.filter(|_| rule.rate.is_stream()) {
            let rules = &self.of.catalog.rules.streams;
            assumptions.extend(store.streams.assumption());
            notes.push(store.streams.note(rules, &self.of.catalog.sources));
        }
        // A checked catalog has every depth that its limits name.
        let depth = volumes.depths.get(&rule.depth);
        notes.extend(depth.and_then(|depth| depth.note(&self.of.catalog.sources)));
        Limit {
            name: &rule.name,
            unit: rule.unit,
            applies: rule.applies,
            rate,
            depth: depth.map_or(rate, |depth| depth.tokens(rate, provisioned.size.bytes())),
            credits: rule.credits,
            top_up: None,
            assumptions,
            notes,
        }
    }
}
