//! The burst credits that remain when a load ends.

use blockyard_catalog::Catalog;
use blockyard_model::units::Nanos;
use blockyard_text::units::Date;

use crate::answer::layout::{Layout, Volumes};
use crate::load::endurance::left;
use crate::load::hottest::hottest;
use crate::load::streams::{Counting, Stream};
use crate::requirement::needs::Needs;
use crate::search::volumes::bucket;

/// How full credits are when the simulation begins, in 1/1000.
pub(crate) struct Balances {
    pub(crate) host: u64,
    pub(crate) data: u64,
    pub(crate) journal: u64,
}

impl Balances {
    pub(crate) fn at_end(needs: &Needs, layout: &Layout, day: Option<Date>, before: Nanos) -> Self {
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
        let apart = layout.journal.is_some();
        let own: Vec<Stream> = needs.journal.iter().map(|it| it.stream).collect();
        let mut data = needs.data.clone();
        data.extend(own.iter().filter(|_| !apart));
        let of = |volumes: &Volumes, streams: &[Stream]| -> (u64, Counting) {
            let none = (
                1000,
                Counting {
                    unit: 1 << 18,
                    whole_units: false,
                    local: false,
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
            };
            let credits = got.limits.iter().filter(|limit| limit.credits);
            let lefts = credits.map(|limit| {
                let counted = |it: &Stream| it.counted(limit.unit, limit.applies, counting);
                let placement = needs.placement.as_deref();
                let share = hottest(placement, streams, volumes.count, counted);
                left(&bucket(limit), share, &needs.load_profile, before)
            });
            (lefts.min().unwrap_or(1000), counting)
        };
        let (on_data, counting) = of(&layout.data, &data);
        let (on_journal, of_journal) = layout
            .journal
            .as_ref()
            .map_or((1000, counting), |it| of(it, &own));
        let limits = catalog
            .host_limits(instance, day)
            .limits
            .unwrap_or_default();
        let host = limits.iter().filter(|limit| limit.credits).map(|limit| {
            let counted = |it: &Stream, counting| it.behind_host(limit.unit, counting);
            let data: u64 = needs.data.iter().map(|it| counted(it, counting)).sum();
            let own: u64 = own.iter().map(|it| counted(it, of_journal)).sum();
            left(&bucket(limit), data + own, &needs.load_profile, before)
        });
        Self {
            host: host.min().unwrap_or(1000),
            data: on_data,
            journal: on_journal,
        }
    }
}
