//! What the prices of a region cover.

use std::fmt;

use super::Price;
use super::list::{Charge, PriceList};
use super::term::Term;

/// Nothing that could be bought has a price in a region; prints what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NothingPriced {
    /// What has no price there: `volumes`, `io2 volumes`, `instances on demand`.
    pub what: String,
    /// How instances were to be paid for, if it is those.
    pub term: Option<Term>,
    /// Where.
    pub region: String,
    /// The regions where some of it has.
    pub elsewhere: Vec<String>,
}

impl fmt::Display for NothingPriced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, region) = (&self.what, &self.region);
        write!(f, "no price is known of {what} in {region}; ")?;
        match self.term {
            Some(Term::SavingsPlan) => f.write_str(
                "state rates as `savings_plan` in a price file, or in one line what it takes off \
                 the on-demand price, `savings_plan: 28%`",
            ),
            _ => write!(
                f,
                "import AWS's price list of {region} with `blockyard prices import`, or state \
                 prices in a price file"
            ),
        }?;
        match self.elsewhere.as_slice() {
            [] => Ok(()),
            regions => write!(f, " (regions that have them: {})", regions.join(", ")),
        }
    }
}

impl std::error::Error for NothingPriced {}

impl<'a> PriceList<'a> {
    /// Whether any volume and any instance can be bought here, of the volume types and of the
    /// instance that are named, or of all.
    ///
    /// # Errors
    /// If no volume or no instance has a price.
    pub fn check_covers(
        &self,
        types: &[String],
        instance: Option<&str>,
        term: Term,
    ) -> Result<(), NothingPriced> {
        let nothing = |what, term, covered: &dyn Fn(&PriceList<'_>) -> bool| NothingPriced {
            what,
            term,
            region: self.region().to_owned(),
            elsewhere: self.others(covered),
        };
        if !self.has_volume(types) {
            let named = types.join(" or ");
            let what = format!("{named} volumes").trim_start().to_owned();
            return Err(nothing(what, None, &|list| list.has_volume(types)));
        }
        if !self.has_instance(instance, term) {
            let what = format!("{} {term}", instance.unwrap_or("instances"));
            return Err(nothing(what, Some(term), &|list| {
                list.has_instance(instance, term)
            }));
        }
        Ok(())
    }

    fn has_volume(&self, types: &[String]) -> bool {
        let all = self.catalog().volume_types();
        let mut named =
            all.filter(|it| types.is_empty() || types.iter().any(|name| name == it.name()));
        named.any(|it| {
            self.is_local(it.name()) && !types.is_empty() || self.capacity(it.name()).is_some()
        })
    }

    fn has_instance(&self, instance: Option<&str>, term: Term) -> bool {
        match instance {
            Some(name) => self.instance(name, term).is_ok(),
            None => self.priced_instances(term).next().is_some(),
        }
    }

    /// The other regions of which this holds, with the user's prices where they have any.
    fn others(&self, covered: &dyn Fn(&PriceList<'_>) -> bool) -> Vec<String> {
        let regions = self
            .catalog()
            .regions()
            .filter(|name| *name != self.region());
        let there = regions.filter(|name| self.elsewhere(name).is_some_and(|list| covered(&list)));
        there.map(str::to_owned).collect()
    }

    /// A month of a GiB of a volume type, if it is known.
    #[must_use]
    pub fn capacity(&self, volume_type: &str) -> Option<Price<'a>> {
        let tiers = self.tiers(volume_type, Charge::Capacity);
        Some(tiers.first()?.1)
    }

    /// The instance types that have a price, sorted by name, with it.
    pub fn priced_instances(&self, term: Term) -> impl Iterator<Item = (&'a str, Price<'a>)> {
        let all = self.catalog().instances().iter();
        all.filter_map(move |one| Some((one.name(), self.hour(one.name(), term)?)))
    }
}
