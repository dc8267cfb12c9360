//! Requests of devices, from their arrival to their end.

use std::collections::BTreeMap;

use blockyard_machine::{BlockDevice, Tracefs};
use blockyard_model::units::{Bytes, Nanos};
use blockyard_trace::block::{Io, Requests, Takes};

use super::event::Layout;
use super::source::Source;
use crate::events::{Loss, Merged, refusal, tracepoint_of};

/// Watches requests of devices from their arrival to their end.
#[derive(Debug)]
pub(crate) struct Tracer {
    events: Merged,
    layouts: Vec<(u32, Layout)>,
    /// By the kernel's number of the device: its place, and its requests.
    devices: BTreeMap<u32, (usize, Requests)>,
}

impl Tracer {
    /// Watches devices from now on, with so much memory for the events of each processor.
    ///
    /// # Errors
    /// What is missing, in one line with the remedy.
    pub(crate) fn start(devices: &[BlockDevice], memory: Bytes) -> Result<Self, String> {
        let known: Vec<_> = devices.iter().map(|it| (numbered(it), takes(it))).collect();
        let of = |bios: bool| {
            let those = known
                .iter()
                .filter(|(_, takes)| (*takes == Takes::Bios) == bios);
            those.map(|(number, _)| *number).collect::<Vec<_>>()
        };
        let tracefs = Tracefs::open().map_err(|error| refusal(&error))?;
        let source = Source::of(tracefs.path(), &of(false), &of(true))?;
        // Requests end in interrupts, which belong to no thread: all threads are followed.
        let events = Merged::start(tracefs, &source.tracepoints, source.pages, memory, None);
        Ok(Self {
            events: events.map_err(|error| refusal(&error))?,
            layouts: source.layouts,
            devices: (0..)
                .zip(known)
                .map(|(place, (number, takes))| (number, (place, Requests::new(takes))))
                .collect(),
        })
    }

    /// Switches all events off: what ended by now still comes.
    pub(crate) fn stop(&mut self) {
        self.events.stop();
    }

    /// Events that were read.
    pub(crate) fn events(&self) -> u64 {
        self.events.events()
    }

    /// Takes what was recorded up to now, and gives each IO that ended with its device's place.
    pub(crate) fn take(&mut self, mut each: impl FnMut(usize, &Io)) {
        let (layouts, devices) = (&self.layouts, &mut self.devices);
        self.events.take(|time, raw, lost| {
            let layout = |tracepoint| layouts.iter().find(|(id, _)| *id == tracepoint);
            let Some((_, layout)) = tracepoint_of(raw).and_then(layout) else {
                return;
            };
            // Read where it is used: an event that was just written is dear to copy.
            let Some(event) = &layout.read(time, raw) else {
                return;
            };
            if lost {
                let all = devices.values_mut();
                all.for_each(|(_, requests)| requests.forget());
            } else if let Some((place, requests)) = devices.get_mut(&event.device)
                && let Some(io) = requests.take(event)
            {
                each(*place, &io);
            }
        });
    }

    /// When the first IO arrived that goes on at each device's place.
    pub(crate) fn oldest(&self) -> impl Iterator<Item = (usize, Nanos)> {
        let each = self.devices.values();
        each.filter_map(|(place, requests)| Some((*place, requests.oldest()?)))
    }

    /// The losses since the last call.
    pub(crate) fn losses(&mut self) -> Vec<Loss> {
        self.events.losses()
    }
}

/// Whether the kernel turns bios for this device into requests.
fn takes(device: &BlockDevice) -> Takes {
    if device.has("mq") {
        let fua = device.queue("fua").as_deref() == Some("1");
        Takes::Requests { fua }
    } else {
        Takes::Bios
    }
}

/// The device as tracepoints number it.
fn numbered(device: &BlockDevice) -> u32 {
    let number = device.number();
    rustix::fs::major(number) << 20 | rustix::fs::minor(number)
}
