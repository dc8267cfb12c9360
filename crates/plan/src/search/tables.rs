//! What volumes cost that hold the load, by type and width, before any of them are put together.

use blockyard_catalog::Provisioned;

use crate::load::streams::Stream;
use crate::market::prices::Line;
use crate::market::{Market, Variant};
use crate::reason::Reason;
use crate::requirement::needs::Needs;
use crate::search::volumes::StripeLoad;

/// The most volumes of one stripe.
pub const WIDEST: u32 = 28;

/// Equal volumes and their price.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sized {
    pub(crate) count: u32,
    /// Failures a year, of a million volumes; none if nothing is published.
    pub(crate) failures: Option<u64>,
    pub(crate) got: Provisioned,
    /// Of one volume.
    pub(crate) lines: Vec<Line>,
    /// Of all, in millionths of a dollar a month.
    pub(crate) price: i64,
}

/// By width, from 1: the cheapest volumes of a variant, or why there are none.
pub(crate) type Widths = Vec<Result<Sized, Vec<Reason>>>;

/// What every variant needs for the data alone, with the journal, and for the journal alone.
/// What is not needed has no widths.
pub(crate) struct Tables {
    pub(crate) data: Vec<Widths>,
    pub(crate) both: Vec<Widths>,
    pub(crate) journal: Vec<Widths>,
}

impl Tables {
    pub(crate) fn new(market: &Market<'_>, needs: &Needs) -> Self {
        let journal = needs.journal.as_ref();
        let shared = journal.is_none_or(|it| it.apart != Some(true));
        let apart = journal.is_some_and(|it| it.apart != Some(false));
        let of = |bytes: u64, mixes: &[Vec<Stream>], needed_at_all: bool| -> Vec<Widths> {
            let variants = market.variants.iter();
            let table = variants.map(|variant| match needed_at_all {
                true => widths(market, needs, variant, bytes, mixes),
                false => Vec::new(),
            });
            table.collect()
        };
        Self {
            data: of(needs.file_system(false), &needs.mixes(false), apart),
            both: of(needs.file_system(true), &needs.mixes(true), shared),
            journal: journal.map_or_else(Vec::new, |it| {
                of(
                    needs.with_free_space(it.size),
                    &needs.journal_mixes(),
                    apart,
                )
            }),
        }
    }
}

fn widths(
    market: &Market<'_>,
    needs: &Needs,
    variant: &Variant<'_>,
    size: u64,
    mixes: &[Vec<Stream>],
) -> Widths {
    let load = StripeLoad {
        size,
        mixes,
        load_profile: &needs.load_profile,
        steps: needs.steps,
        counting: variant.counting,
        placement: needs.placement.as_deref(),
    };
    let name = variant.volume_type.name();
    let of = |count: u32| {
        let got = load.cheapest(&variant.offer, count)?;
        let lines = market.prices.volume(name, &got);
        let lines = lines.map_err(|message| vec![Reason::PriceUnknown { message }])?;
        let one: i64 = lines.iter().map(|line| line.amount).sum();
        Ok(Sized {
            count,
            failures: variant.failures,
            got,
            price: one * i64::from(count),
            lines,
        })
    };
    let widest = needs.at_most.map_or(WIDEST, |most| most.min(WIDEST));
    let most = variant.disks.map_or(widest, |disks| disks.min(widest));
    (1..=most).map(of).collect()
}
