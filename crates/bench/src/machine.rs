//! What is known of the machine and of the storage that a run used.

use std::os::unix::fs::MetadataExt;

use blockyard_machine::{BlockDevice, kernel, mount_of, processor, processors};
use blockyard_record::result::{self, Machine};

use crate::Engine;
use crate::target::{Kind, Target, Targets};

/// The machine, before anything is measured on it.
pub(crate) fn machine(targets: &Targets, engine: Engine, threads: u32, started: String) -> Machine {
    let used = targets.used().map(describe).collect();
    Machine {
        started,
        kernel: kernel(),
        processor: processor(),
        processors: processors(),
        engine: engine.name().into(),
        threads,
        targets: used,
        ..Machine::default()
    }
}

fn describe(target: &Target) -> result::Target {
    let (mount, number) = match target.kind {
        Kind::Null => (None, None),
        Kind::BlockDevice => (None, target.path.metadata().ok().map(|meta| meta.rdev())),
        Kind::File => {
            let mount = mount_of(&target.path);
            let number = target.path.metadata().ok().map(|meta| meta.dev());
            (mount, number)
        }
    };
    let device = number.and_then(|number| BlockDevice::numbered(number).ok());
    let queue = |name: &str| device.as_ref().and_then(|device| device.queue(name));
    result::Target {
        device: target.device.clone(),
        path: target.path.display().to_string(),
        kind: match target.kind {
            Kind::File => "file",
            Kind::BlockDevice => "block device",
            Kind::Null => "null",
        }
        .into(),
        backing: None,
        size_bytes: target.size,
        direct: target.direct,
        file_system: mount.as_ref().map(|mount| mount.kind.clone()),
        mount_options: mount.map(|mount| mount.options),
        block_device: device
            .as_ref()
            .map(|device| format!("/dev/{}", device.name())),
        model: device.as_ref().and_then(BlockDevice::model),
        scheduler: queue("scheduler").map(|all| chosen(&all)),
        queue_requests: queue("nr_requests").and_then(|text| text.parse().ok()),
        logical_block_bytes: queue("logical_block_size").and_then(|text| text.parse().ok()),
        rotational: queue("rotational").map(|text| text == "1"),
    }
}

/// `[none] mq-deadline` says that `none` is in force.
fn chosen(all: &str) -> String {
    let inner = all
        .split_once('[')
        .and_then(|(_, rest)| rest.split_once(']'));
    inner.map_or_else(|| all.to_owned(), |(chosen, _)| chosen.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scheduler_in_force_is_in_brackets() {
        assert_eq!(chosen("mq-deadline [none]"), "none");
        assert_eq!(chosen("none"), "none");
    }
}
