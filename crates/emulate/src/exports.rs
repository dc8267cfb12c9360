//! Which devices are served: those of the scenario, or each volume alone.

use blockyard_machine::Error;
use blockyard_model::spec::{DeviceSpec, Layout, StorageSpec};
use blockyard_record::limit_names::device_of;
use blockyard_scenario::{EventKind, ResolvedEvent};

/// The storage with the devices that are to be served: `chosen` ones or all,
/// and in place of each its volumes if `each_volume`. All volumes stay, so
/// that host limits hold over them.
pub(crate) fn view(
    storage: &StorageSpec,
    chosen: &[String],
    each_volume: bool,
) -> Result<StorageSpec, Error> {
    for name in chosen {
        if !storage.devices.iter().any(|device| device.name == *name) {
            let names: Vec<_> = storage.devices.iter().map(|d| d.name.as_str()).collect();
            return Err(Error::Input(format!(
                "--device: `{name}` is not in the scenario's storage; expected {}",
                names.join(", ")
            )));
        }
    }
    let wanted = |device: &&DeviceSpec| chosen.is_empty() || chosen.contains(&device.name);
    let devices = storage.devices.iter().filter(wanted);
    let devices = match each_volume {
        false => devices.cloned().collect(),
        true => {
            let mut volumes = Vec::new();
            devices.for_each(|device| {
                let volume = &mut |volume| volumes.push(alone(storage, volume));
                device.layout.volumes(volume);
            });
            volumes
        }
    };
    Ok(StorageSpec {
        devices,
        ..storage.clone()
    })
}

/// The events of the scenario that happen to what is served, with its devices' numbers in
/// `view` in place of those in `storage`. Its jobs do not run.
pub(crate) fn events(
    storage: &StorageSpec,
    events: &[ResolvedEvent],
    view: &StorageSpec,
) -> Vec<ResolvedEvent> {
    let served = |device: &usize| {
        let name = storage.devices[*device].name.as_str();
        let served = view.devices.iter().enumerate();
        let own = served.filter(move |(_, it)| device_of(&it.name) == name);
        own.map(|(number, _)| number).collect::<Vec<_>>()
    };
    let happen = events.iter().filter(|event| event.kind != EventKind::Add);
    let seen = happen.map(|event| {
        let mut seen = event.clone();
        seen.devices = event.devices.iter().flat_map(served).collect();
        seen
    });
    seen.collect()
}

/// A volume as a device.
fn alone(storage: &StorageSpec, volume: usize) -> DeviceSpec {
    DeviceSpec {
        name: storage.volumes[volume].name.clone(),
        size: storage.volumes[volume].size,
        layout: Layout::Volume(volume),
    }
}
