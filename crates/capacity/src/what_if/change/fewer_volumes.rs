//! Fewer volumes in a stripe.

use blockyard_experiment::Edit;
use blockyard_scenario::schema::{Device, Stripe, Volume};
use blockyard_scenario::units::Size;

use super::super::need::Rates;
use super::device::Of;
use super::{Change, GIB, Proposal};

impl Of<'_> {
    /// One volume fewer in each stripe of the device, and as few as hold the load: each as it is
    /// now, or larger where the files need that.
    pub(super) fn fewer_volumes(&self) -> Vec<Proposal> {
        let Some(stripes) = self.stripes() else {
            return Vec::new();
        };
        let Some(width) = stripes.first().map(|(_, it)| it.stripe.width.get()) else {
            return Vec::new();
        };
        if stripes.iter().any(|(_, it)| it.stripe.width.get() != width) {
            return Vec::new();
        }
        let fewest = (1..width).find(|&fewer| self.striped_over(&stripes, fewer).is_some());
        let mut widths: Vec<u32> = fewest.into_iter().chain(width.checked_sub(1)).collect();
        widths.dedup();
        let proposals = widths.into_iter().filter(|&fewer| fewer > 0);
        proposals
            .filter_map(|fewer| self.striped_over(&stripes, fewer))
            .collect()
    }

    /// The stripes of volumes that a device is made of, with their paths; none of other layouts.
    fn stripes(&self) -> Option<Vec<(String, &Stripe)>> {
        let path = format!("storage.{}", self.name);
        match self.device {
            Device::Mirror(mirror) => {
                let legs = mirror.mirror.legs.iter();
                let leg = |(name, leg)| striped(format!("{path}.mirror.legs.{name}"), leg);
                legs.map(leg).collect()
            }
            device => Some(vec![striped(path, device)?]),
        }
    }

    /// Each stripe over `width` volumes; none where these do not hold the load.
    fn striped_over(&self, stripes: &[(String, &Stripe)], width: u32) -> Option<Proposal> {
        let fits = self.size_for_files(width.into())?;
        let mut edits = Vec::new();
        let mut larger = None;
        for spot in self.places() {
            let each = self
                .takes(&spot, &spot.volume.volume_type)?
                .times(spot.count as f64 / f64::from(width));
            let now = spot.volume.size?;
            let new = Volume {
                size: Some(now.max(fits)),
                ..spot.volume.clone()
            };
            if !self.holds(&new, Rates::with_headroom(each)) {
                return None;
            }
            if fits > now {
                larger = Some(fits);
                edits.push(Edit::set(format!("{}.size", spot.path), gib(fits)));
            }
        }
        for (path, _) in stripes {
            edits.push(Edit::set(format!("{path}.stripe.width"), width));
        }
        let change = Change::Volumes {
            device: self.name.to_owned(),
            from: self.volumes(),
            to: u64::from(width) * stripes.len() as u64,
            size: larger.map(|size| size.bytes() / GIB),
        };
        Some(Proposal::saving(change, edits))
    }
}

/// A stripe of volumes with its path; none of other layouts.
fn striped(path: String, device: &Device) -> Option<(String, &Stripe)> {
    match device {
        Device::Stripe(stripe) if matches!(*stripe.of, Device::Volume(_)) => Some((path, stripe)),
        _ => None,
    }
}

fn gib(size: Size) -> String {
    format!("{}GiB", size.bytes() / GIB)
}
