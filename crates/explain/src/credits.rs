//! Burst credits: what is left of them, and how long that lasts.

use std::collections::HashSet;

use serde::Serialize;

use crate::series::WaitSeries;
use crate::table::{Ids, VolumeTable};

/// The credits of a volume.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Credits {
    /// The volume.
    pub volume: String,
    /// What was left at the end, in percent.
    pub left_pct: f64,
    /// How many seconds after the end nothing would be left, at the pace of the run's
    /// second half; 0 if IO waited for credits at the end, none if they did not run down.
    pub last_s: Option<f64>,
}

/// A device of which a volume had used up its credits.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UsedUp {
    /// The device.
    pub device: String,
    /// The end of the first interval in which IO waited for credits, in seconds.
    pub by_s: f64,
}

/// The credits of each volume that has any.
///
/// # Errors
/// A line that names what is no limit.
pub(crate) fn credits(table: &VolumeTable) -> Result<Vec<Credits>, String> {
    let ids = Ids::of(&table.waits_us, &table.volume)?;
    let for_credits = table.waits_us.iter(&ids, &table.volume);
    let for_credits = for_credits.filter(|(_, limit, _)| {
        let limit = &ids.ids[*limit];
        limit.kind.credits && !limit.is_host()
    });
    let waiting: HashSet<_> = for_credits.map(|(row, _, _)| row).collect();
    let volumes = table.volume.names.iter().enumerate();
    let found = volumes.filter_map(|(index, name)| {
        let rows = (0..table.t_s.len()).filter(|&row| table.volume.index[row] == index);
        let balances: Vec<_> = rows
            .filter_map(|row| Some((row, table.balance_pct[row]?)))
            .collect();
        let &(end, left_pct) = balances.last()?;
        let (middle, before_pct) = balances[balances.len() / 2];
        let pace = (before_pct - left_pct) / (table.t_s[end] - table.t_s[middle]);
        Some(Credits {
            volume: name.clone(),
            left_pct,
            last_s: match waiting.contains(&end) {
                true => Some(0.0),
                false => (end > middle && pace > 0.0).then(|| left_pct / pace),
            },
        })
    });
    Ok(found.collect())
}

/// When the first volume of each device had used up its credits, in that order.
pub(crate) fn used_up(series: &[WaitSeries], interval_s: f64) -> Vec<UsedUp> {
    let mut found: Vec<UsedUp> = Vec::new();
    for waits in series.iter().filter(|waits| waits.limit.kind.credits) {
        let crate::Owner::Device(device) = &waits.limit.owner else {
            continue;
        };
        let known = found.iter().any(|one| one.device == *device);
        if let (false, Some(first)) = (known, waits.t_s.first()) {
            found.push(UsedUp {
                device: device.clone(),
                by_s: first + interval_s,
            });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{series, table, wait};

    #[test]
    fn credits_that_run_down_have_an_end() {
        let rows: Vec<_> = (0..5).map(|t_s| (f64::from(t_s), "data", 0, 0)).collect();
        let mut table = table(&rows);
        assert_eq!(credits(&table).unwrap(), []);
        table.balance_pct = [100.0, 100.0, 90.0, 80.0, 70.0].map(Some).to_vec();
        let [data] = &credits(&table).unwrap()[..] else {
            panic!("expected one volume")
        };
        assert_eq!((data.left_pct, data.last_s), (70.0, Some(7.0)));
        table.balance_pct = [50.0, 50.0, 50.0, 60.0, 70.0].map(Some).to_vec();
        assert_eq!(credits(&table).unwrap()[0].last_s, None);
        table.balance_pct = [9.0, 8.0, 2.0, 1.0, 0.1].map(Some).to_vec();
        wait(&mut table, 4, "iops_credits", 1.0);
        assert_eq!(credits(&table).unwrap()[0].last_s, Some(0.0));
    }

    #[test]
    fn credits_are_used_up_once_io_waits_for_them() {
        let found = used_up(
            &[
                series("data.1", "iops", &[(1.0, 1.0)]),
                series("data.1", "iops_credits", &[(5.0, 1.0), (6.0, 1.0)]),
                series("host", "iops_credits", &[(3.0, 1.0)]),
                series("data.1", "throughput_credits", &[(9.0, 1.0)]),
            ],
            1.0,
        );
        let [only] = &found[..] else {
            panic!("{found:?}")
        };
        assert_eq!((only.device.as_str(), only.by_s), ("data", 6.0));
    }
}
