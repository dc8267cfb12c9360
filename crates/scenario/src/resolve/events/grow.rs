//! A device gets more volumes.

use blockyard_model::spec::Layout;
use blockyard_text::hint;

use super::{EventKind, Grown, ResolvedEvent, Resolver, State};
use crate::resolve::Invalid;
use crate::schema::{Device, Grow};
use crate::units::Size;

impl Resolver<'_, '_> {
    /// The layout has the new part from the start: no file reaches there before it is there.
    pub(super) fn grow(&mut self, path: &str, it: &Grow) -> Result<(), Invalid> {
        let names = self.devices.iter().map(|device| device.name.as_str());
        let Some(index) = self.devices.iter().position(|one| one.name == it.grow) else {
            let message = format!("no device is called `{}`{}", it.grow, hint(&it.grow, names));
            return Err(Invalid::new(format!("{path}.grow"), message));
        };
        let mut own = 0;
        self.devices[index].layout.volumes(&mut |_| own += 1);
        if let Layout::Mirror(_) = self.devices[index].layout {
            let message = "a mirror cannot grow; expected a volume, a stripe or a linear device";
            return Err(Invalid::new(format!("{path}.grow"), message));
        }
        // What joins a device is attached where that is.
        self.devices[index].layout.volumes(&mut |volume| {
            let volume = &self.builder.volumes[volume];
            self.builder.host = volume.host;
            self.builder.standby.clone_from(&volume.standby);
        });
        let before = self.builder.rests_on.len();
        let path = format!("{path}.by");
        let (layout, size) = match &it.by {
            Device::Stripe(stripe) => self.builder.stripe(&it.grow, &path, stripe, own)?,
            other => {
                let name = format!("{}.{own}", it.grow);
                self.builder.device(&name, &path, other)?
            }
        };
        self.builder.check_shared(&path, &layout)?;
        self.builder.name_grounds(before, &it.grow);
        self.states
            .resize_with(self.builder.volumes.len(), || State {
                from: it.at.nanos(),
                ..State::default()
            });
        let device = &mut self.devices[index];
        let (old, before) = (device.layout.clone(), device.size);
        device.layout = Layout::Linear {
            parts: vec![(old, before), (layout, size)],
        };
        device.size = before.saturating_add(size);
        self.events.grown.push(Grown {
            device: index,
            at: it.at.nanos(),
            before,
        });
        let at = it.at.nanos();
        self.tell(ResolvedEvent {
            becomes: Size::new(size).to_string(),
            ..ResolvedEvent::new(EventKind::Grow, &it.grow, at, None, vec![index])
        });
        Ok(())
    }
}
