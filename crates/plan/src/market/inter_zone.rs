//! What goes from zone to zone in a month: all that is written, to the other copy of a mirror, or
//! the log, to replicas.
//!
//! It depends on the load alone, so it stands on the bill and decides nothing.

use blockyard_model::units::GIB;

use crate::load::profile::{DAY, LoadProfile, MONTH};
use crate::market::prices::Prices;
use crate::requirement::copies::{Copies, Replication};
use crate::requirement::needs::Needs;

/// What goes from zone to zone in a month.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct InterZoneTraffic {
    /// How much, to the nearest GiB.
    pub(crate) gib: u64,
    /// Millionths of a dollar a month.
    pub(crate) micros: i64,
    /// How much of a month the load is taken to last, and what of it is sent.
    pub(crate) assumed: String,
}

impl InterZoneTraffic {
    /// Of a requirement; none without a copy in another zone, or without writes.
    ///
    /// # Errors
    /// If the price is not known, with what is missing.
    pub(crate) fn of(needs: &Needs, prices: &dyn Prices) -> Result<Option<Self>, String> {
        let bytes = needs.between_zones();
        if bytes == 0 {
            return Ok(None);
        }
        let lasts = match needs.load_profile.lasts {
            Some(lasts) if lasts < DAY => "the load comes once a day",
            _ => "the load lasts all the time",
        };
        let sent = match needs.copies {
            Copies::Replicated(Replication { log: None, .. }) => {
                ", and that replicas get all that is written, an upper bound of the log"
            }
            _ => "",
        };
        Ok(Some(Self {
            gib: bytes.saturating_add(GIB / 2) / GIB,
            micros: prices.cross_zone()?.times(bytes, GIB).micros(),
            assumed: format!("{lasts}{sent}"),
        }))
    }
}

impl LoadProfile {
    /// How long a month is in the load's own rates: a time counts as often as the load is then
    /// higher than these. In 1/1000 ns. What lasts less than a day comes once a day.
    pub(crate) fn a_month(&self) -> u128 {
        let month = u128::from(MONTH);
        let every = self.every();
        let lasts = self.lasts.unwrap_or(every);
        let round = self.lasts.map_or(every, |lasts| lasts.max(DAY));
        month * self.within(lasts) / u128::from(round)
    }

    /// The same of a load that lasts so long.
    fn within(&self, lasts: u64) -> u128 {
        let times = u128::from(self.times());
        let high = self.peak.map_or(0, |peak| {
            let every = peak.every.max(1);
            // Peaks end their periods, of which the first may be cut.
            let (whole, first) = (lasts / every, lasts % every);
            u128::from(whole) * u128::from(peak.lasts.min(every))
                + u128::from(first.min(peak.lasts))
        });
        u128::from(lasts) * 1000 + high * (times - 1000)
    }
}

#[cfg(test)]
mod tests {
    use blockyard_model::units::SECOND;

    use super::*;
    use crate::load::profile::Peak;

    const HOUR: u64 = 3_600 * SECOND;

    /// Hours of the load's own rates in a month.
    fn hours(load_profile: &LoadProfile) -> f64 {
        load_profile.a_month() as f64 / 1e3 / HOUR as f64
    }

    #[test]
    fn a_month_has_what_the_load_lasts_of_it() {
        let always = LoadProfile {
            lasts: None,
            peak: None,
            demand: None,
        };
        assert_eq!(hours(&always), 730.0);
        // An hour of each 24.
        let an_hour = LoadProfile {
            lasts: Some(HOUR),
            ..always.clone()
        };
        assert!((hours(&an_hour) - 730.0 / 24.0).abs() < 1e-9);
        let a_week = LoadProfile {
            lasts: Some(7 * 24 * HOUR),
            ..always.clone()
        };
        assert_eq!(hours(&a_week), 730.0);
        // Three times as high for 6 hours of 24: half more.
        let peak = Some(Peak {
            times: 3000,
            lasts: 6 * HOUR,
            every: 24 * HOUR,
        });
        let peaks = LoadProfile {
            peak,
            ..always.clone()
        };
        assert_eq!(hours(&peaks), 1.5 * 730.0);
        // Within an hour all of it is the peak that ends the load.
        let in_peak = LoadProfile {
            lasts: Some(HOUR),
            peak,
            ..always
        };
        assert!((hours(&in_peak) - 3.0 * 730.0 / 24.0).abs() < 1e-9);
    }

    /// `within` is closed; `phases` are what the load goes by.
    #[test]
    fn what_is_within_is_the_sum_of_the_phases() {
        let peak = Some(Peak {
            times: 2500,
            lasts: 7,
            every: 20,
        });
        for lasts in 1..90 {
            let load_profile = LoadProfile {
                lasts: Some(lasts),
                peak,
                demand: None,
            };
            let sum: u128 = load_profile
                .phases(&1.into())
                .map(|(long, times)| u128::from(long) * u128::from(times))
                .sum();
            assert_eq!(load_profile.within(lasts), sum, "{lasts}");
        }
    }
}
