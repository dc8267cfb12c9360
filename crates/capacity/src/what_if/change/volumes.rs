//! One volume more.

use std::num::NonZeroU32;

use blockyard_experiment::Edit;
use blockyard_scenario::schema::{Device, Stripe, StripeLayout, Volume};
use blockyard_scenario::units::Size;

use super::device::Of;
use super::{Change, Proposal};

/// The chunk of a stripe that a single volume becomes: that of the published layouts, 4 MiB.
const CHUNK: u64 = 4 << 20;

impl Of<'_> {
    pub(super) fn more_volumes(&self) -> Option<Proposal> {
        let mut edits = Vec::new();
        widen(&format!("storage.{}", self.name), self.device, &mut edits);
        let from = self.volumes();
        let added: u64 = edits.iter().map(|(_, added)| added).sum();
        let change = Change::Volumes {
            device: self.name.to_owned(),
            from,
            to: from + added,
            size: None,
        };
        let edits: Vec<_> = edits.into_iter().map(|(edit, _)| edit).collect();
        (!edits.is_empty()).then(|| Proposal::of(change, edits))
    }
}

/// The overrides that give each stripe of a device one volume more, each with how many that is.
/// What is linear or nested stays.
fn widen(path: &str, device: &Device, found: &mut Vec<(Edit, u64)>) {
    match device {
        Device::Stripe(stripe) if matches!(*stripe.of, Device::Volume(_)) => {
            let width = stripe.stripe.width.get() + 1;
            found.push((Edit::set(format!("{path}.stripe.width"), width), 1));
        }
        Device::Volume(volume) => {
            let host = volume.host.clone();
            let volume = Volume {
                host: None,
                ..volume.clone()
            };
            let striped = Stripe {
                stripe: StripeLayout {
                    chunk: Size::new(CHUNK),
                    width: NonZeroU32::MIN.saturating_add(1),
                },
                of: Box::new(Device::Volume(volume)),
                host,
            };
            if let Ok(text) = serde_json::to_string(&striped) {
                found.push((Edit::set(path, text), 1));
            }
        }
        Device::Mirror(mirror) => {
            for (name, leg) in &mirror.mirror.legs {
                widen(&format!("{path}.mirror.legs.{name}"), leg, found);
            }
        }
        Device::Stripe(_) | Device::Linear(_) => {}
    }
}
