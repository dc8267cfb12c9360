//! The events of all processors, in the order of time.

use std::collections::BTreeMap;

use blockyard_machine::{BlockDevice, monotonic, online};
use blockyard_sys::perf::{EventRing, Record};

use super::event::{Event, Layout, tracepoint_of};
use super::losses::{Loss, Losses};
use super::requests::{Io, Requests, Takes};
use super::source::{Source, refusal};

/// Bytes of a processor's ring: at 80 an event some 100,000 events, which half a second of 200,000
/// IOs a second does not fill on one processor.
const RING: usize = 8 << 20;

/// Watches requests of devices from their arrival to their end.
#[derive(Debug)]
pub(crate) struct Tracer {
    rings: Vec<(EventRing, Losses)>,
    layouts: Vec<(u32, Layout)>,
    /// By the kernel's number of the device: its place, and its requests.
    devices: BTreeMap<u32, (usize, Requests)>,
    /// Events that are too young to be sure that none came before them.
    held: Vec<Event>,
    /// Losses whose time is not over.
    open: Vec<Loss>,
    /// Those that nobody took yet.
    losses: Vec<Loss>,
}

impl Tracer {
    /// Watches devices from now on.
    ///
    /// # Errors
    /// What is missing, in one line with the remedy.
    pub(crate) fn start(devices: &[BlockDevice]) -> Result<Self, String> {
        let known: Vec<_> = devices.iter().map(|it| (numbered(it), takes(it))).collect();
        let of = |bios: bool| {
            let those = known
                .iter()
                .filter(|(_, takes)| (*takes == Takes::Bios) == bios);
            those.map(|(number, _)| *number).collect::<Vec<_>>()
        };
        let source = Source::of(&of(false), &of(true))?;
        let rings = online().into_iter();
        let rings = rings.map(|processor| EventRing::open(processor, &source.tracepoints, RING));
        let rings: Vec<_> = rings
            .collect::<Result<_, _>>()
            .map_err(|error| refusal(&error))?;
        let begun = rings.iter().try_for_each(EventRing::enable);
        begun.map_err(|error| refusal(&error))?;
        Ok(Self {
            rings: rings
                .into_iter()
                .map(|ring| (ring, Losses::default()))
                .collect(),
            layouts: source.layouts,
            devices: (0..)
                .zip(known)
                .map(|(place, (number, takes))| (number, (place, Requests::new(takes))))
                .collect(),
            held: Vec::new(),
            open: Vec::new(),
            losses: Vec::new(),
        })
    }

    /// Switches all events off: what ended by now still comes.
    pub(crate) fn stop(&self) {
        for (ring, _) in &self.rings {
            // They end with this value in any case.
            let _ = ring.disable();
        }
    }

    /// Takes what was recorded up to now, and gives each IO that ended with its device's place.
    pub(crate) fn take(&mut self, mut each: impl FnMut(usize, &Io)) {
        // An event that is written right now may be older than one that is read already, but no
        // older than this.
        let settled = monotonic();
        for (ring, losses) in &mut self.rings {
            ring.take(|record| {
                let loss = losses.take(&record);
                self.open.extend(loss);
                self.losses.extend(loss);
                if let Record::Event(time, raw) = record {
                    let tracepoint = tracepoint_of(raw);
                    let mut layouts = self.layouts.iter();
                    let layout = layouts.find(|(id, _)| Some(*id) == tracepoint);
                    self.held
                        .extend(layout.and_then(|(_, layout)| layout.read(time, raw)));
                }
            });
        }
        // Stable: events of one moment stay in their processor's order.
        self.held.sort_by_key(|event| event.time);
        let young = self.held.partition_point(|event| event.time <= settled);
        for event in self.held.drain(..young) {
            let lost = |loss: &Loss| (loss.from..=loss.to).contains(&event.time);
            if self.open.iter().any(lost) {
                let all = self.devices.values_mut();
                all.for_each(|(_, requests)| requests.forget());
            } else if let Some((place, requests)) = self.devices.get_mut(&event.device)
                && let Some(io) = requests.take(&event)
            {
                each(*place, &io);
            }
        }
        self.open.retain(|loss| loss.to > settled);
    }

    /// The losses since the last call.
    pub(crate) fn losses(&mut self) -> Vec<Loss> {
        std::mem::take(&mut self.losses)
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
