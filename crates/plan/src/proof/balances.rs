//! The burst credits that are left of a load when a simulation of it begins.

use blockyard_catalog::{Catalog, Limit};
use blockyard_model::units::Nanos;
use blockyard_text::units::Date;

use crate::answer::layout::{Layout, Volumes};
use crate::load::endurance::{left, left_at_begin};
use crate::load::hottest::hottest;
use crate::load::profile::Counted;
use crate::load::streams::{Counting, Stream};
use crate::requirement::needs::Needs;
use crate::search::candidates::Combination;
use crate::search::joint_limits::taken;
use crate::search::volumes::bucket;

/// How full credits are when the simulation begins, in 1/1000.
pub(crate) struct Balances {
    pub(crate) host: u64,
    pub(crate) data: u64,
    pub(crate) journal: u64,
}

/// When a simulation begins.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Begin {
    /// So long before the load's highest ends.
    BeforeEnd(Nanos),
    /// With a period of a load by interval, after many of them.
    Period,
}

impl Balances {
    pub(crate) fn at(needs: &Needs, layout: &Layout, day: Option<Date>, begin: Begin) -> Self {
        let full = Self {
            host: 1000,
            data: 1000,
            journal: 1000,
        };
        let Ok(catalog) = Catalog::get() else {
            return full;
        };
        let Ok(instance) = catalog.instance(&layout.instance) else {
            return full;
        };
        let plain = Needs {
            headroom: 0,
            ..needs.clone()
        };
        let profile = &needs.load_profile;
        let left = |limit: &Limit<'_>, counted: &Counted| match begin {
            Begin::BeforeEnd(before) => left(&bucket(limit), counted, profile, before).then,
            Begin::Period => left_at_begin(&bucket(limit), counted, profile),
        };
        let of = |volumes: &Volumes, mixes: &[Vec<Stream>]| -> (u64, Counting) {
            let none = (
                1000,
                Counting {
                    unit: 1 << 18,
                    whole_units: false,
                    local: false,
                    striped: volumes.count > 1,
                },
            );
            let Ok(volume_type) = catalog.volume_type(&volumes.volume_type) else {
                return none;
            };
            let Ok(got) = volume_type.limits(&volumes.ask(), Some(instance), day) else {
                return none;
            };
            let row = got.offer.row();
            let counting = Counting {
                unit: row.counted_in.bytes(),
                whole_units: row.whole_units,
                local: row.local,
                striped: volumes.count > 1,
            };
            let credits = got.limits.iter().filter(|limit| limit.credits);
            let lefts = credits.map(|limit| {
                let counted = |it: &Stream| it.counted(limit.unit, limit.applies, counting);
                let placement = needs.placement.as_deref();
                let of_mix = |mix: &[Stream]| hottest(placement, mix, volumes.count, counted);
                left(limit, &Counted::of(mixes, of_mix))
            });
            (lefts.min().unwrap_or(1000), counting)
        };
        let (on_data, counting) = of(&layout.data, &plain.mixes(layout.journal.is_none()));
        let own = plain.journal_mixes();
        let journal = layout.journal.as_ref().map(|it| of(it, &own));
        let counted = Combination {
            data: counting,
            journal: journal.map(|it| it.1),
        };
        let limits = catalog
            .host_limits(instance, day)
            .limits
            .unwrap_or_default();
        let host = limits.iter().filter(|limit| limit.credits);
        let host = host.map(|limit| left(limit, &taken(&plain, limit.unit, counted)));
        Self {
            host: host.min().unwrap_or(1000),
            data: on_data,
            journal: journal.map_or(1000, |it| it.0),
        }
    }
}
