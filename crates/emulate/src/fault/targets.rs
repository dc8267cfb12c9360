//! What the names of devices, volumes and links stand for.

use blockyard_model::spec::{Layout, StorageSpec};
use blockyard_scenario::hint;

/// The devices and volumes that are served, and the links between their hosts.
#[derive(Clone, Debug)]
pub(super) struct Targets {
    devices: Vec<(String, Layout)>,
    volumes: Vec<String>,
    links: Vec<String>,
}

impl Targets {
    pub(super) fn new(spec: &StorageSpec) -> Self {
        let devices = spec.devices.iter();
        let volumes = spec.volumes.iter();
        Self {
            devices: devices
                .map(|device| (device.name.clone(), device.layout.clone()))
                .collect(),
            volumes: volumes.map(|volume| volume.name.clone()).collect(),
            links: spec.links.iter().map(|link| link.name.clone()).collect(),
        }
    }

    /// The volumes of the device or volume `name`; without a name all.
    pub(super) fn volumes_of(&self, name: Option<&str>) -> Result<Vec<usize>, String> {
        let Some(name) = name else {
            return Ok((0..self.volumes.len()).collect());
        };
        if let Some((_, layout)) = self.devices.iter().find(|(device, _)| device == name) {
            let mut volumes = Vec::new();
            layout.volumes(&mut |volume| volumes.push(volume));
            return Ok(volumes);
        }
        let volume = self.volumes.iter().position(|volume| volume == name);
        let devices = self.devices.iter().map(|(device, _)| device.as_str());
        let known = devices.chain(self.volumes.iter().map(String::as_str));
        volume.map(|volume| vec![volume]).ok_or_else(|| {
            let hint = hint(name, known);
            format!("on: `{name}` is neither a device nor a volume that is served{hint}")
        })
    }

    /// The link `name`; without a name all.
    pub(super) fn links_of(&self, name: Option<&str>) -> Result<Vec<usize>, String> {
        if self.links.is_empty() {
            return Err("on: nothing that is served has a link".into());
        }
        let Some(name) = name else {
            return Ok((0..self.links.len()).collect());
        };
        let link = self.links.iter().position(|link| link == name);
        link.map(|link| vec![link]).ok_or_else(|| {
            let hint = hint(name, self.links.iter().map(String::as_str));
            format!("on: `{name}` is not a link of what is served{hint}")
        })
    }

    /// The device `name`; without a name all.
    pub(super) fn devices_of(&self, name: Option<&str>) -> Result<Vec<usize>, String> {
        let Some(name) = name else {
            return Ok((0..self.devices.len()).collect());
        };
        let device = self.devices.iter().position(|(device, _)| device == name);
        device.map(|device| vec![device]).ok_or_else(|| {
            let hint = hint(name, self.devices.iter().map(|(device, _)| device.as_str()));
            format!("on: `{name}` is not a device that is served{hint}")
        })
    }
}
