//! Where the jobs' files lie: one after another on their device, in the order
//! of the jobs, as on a new file system.

use blockyard_model::spec::DeviceSpec;
use blockyard_model::units::{Bytes, MIB};
use blockyard_model::workload::spec::Region;
use blockyard_text::hint;

use crate::resolve::Invalid;
use crate::units::Size;

/// Files begin at multiples of this, as partitions and extents do.
const ALIGNMENT: Bytes = MIB;

/// The devices and how far each is filled.
pub(super) struct Files<'a> {
    devices: &'a [DeviceSpec],
    filled: Vec<Bytes>,
}

impl<'a> Files<'a> {
    pub(super) fn new(devices: &'a [DeviceSpec]) -> Self {
        Self {
            devices,
            filled: vec![0; devices.len()],
        }
    }

    /// Places a file of whole blocks for the job at `path`. `on` and `size_key`
    /// are the job's keys for the device and the size.
    pub(super) fn place(
        &mut self,
        path: &str,
        on: &str,
        device: &str,
        size_key: &str,
        size: Size,
        block: Bytes,
    ) -> Result<Region, Invalid> {
        let index = self.find(&format!("{path}.{on}"), device)?;
        let invalid = |message: String| Err(Invalid::new(format!("{path}.{size_key}"), message));
        if size.bytes() < block {
            let block = Size::new(block);
            return invalid(format!("a file of {size} holds no block of {block}"));
        }
        let room = self.devices[index].size;
        let offset = self.filled[index].next_multiple_of(ALIGNMENT);
        let end = offset.saturating_add(size.bytes());
        if size.bytes() > room {
            let room = Size::new(room);
            return invalid(format!(
                "a file of {size} does not fit the device `{device}` of {room}"
            ));
        }
        if end > room {
            let (room, end) = (Size::new(room), Size::new(end));
            return invalid(format!(
                "with this file the files on the device `{device}` take {end}; it has {room}"
            ));
        }
        self.filled[index] = end;
        Ok(Region {
            device: index,
            offset,
            size: size.bytes() / block * block,
        })
    }

    /// Bytes of a device that no file has yet.
    pub(super) fn free(&self, device: usize) -> Bytes {
        self.devices[device].size - self.filled[device]
    }

    fn find(&self, path: &str, name: &str) -> Result<usize, Invalid> {
        let position = self.devices.iter().position(|device| device.name == name);
        position.ok_or_else(|| {
            let hint = hint(name, self.devices.iter().map(|device| device.name.as_str()));
            Invalid::new(path, format!("no device is called `{name}`{hint}"))
        })
    }
}
