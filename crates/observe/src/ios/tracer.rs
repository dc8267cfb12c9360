//! The events of all processors, in the order of time.

use std::collections::BTreeMap;
use std::io;

use blockyard_machine::{BlockDevice, Tracefs, monotonic, online};
use blockyard_model::units::{Bytes, MILLISECOND, Nanos};
use blockyard_trace::block::{Event, Io, Requests, Takes};

use super::event::{Layout, tracepoint_of};
use super::instance::Instance;
use super::ring::{Loss, Ring, Taken};
use super::source::{Source, refusal};

/// An event is in its ring for good this long after its time.
const WRITTEN: Nanos = MILLISECOND;

/// Watches requests of devices from their arrival to their end.
#[derive(Debug)]
pub(crate) struct Tracer {
    // Closed before the trace ends: the kernel removes none whose rings are open.
    rings: Vec<Ring>,
    trace: Instance,
    layouts: Vec<(u32, Layout)>,
    /// By the kernel's number of the device: its place, and its requests.
    devices: BTreeMap<u32, (usize, Requests)>,
    /// Events that are too young to be sure that none came before them.
    held: Vec<Event>,
    /// Losses whose time is not over.
    open: Vec<Loss>,
    /// Those that nobody took yet.
    losses: Vec<Loss>,
    events: u64,
    stopped: bool,
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
        let begun = begin(tracefs, &source, memory);
        let (trace, rings) = begun.map_err(|error| refusal(&error))?;
        Ok(Self {
            rings,
            trace,
            layouts: source.layouts,
            devices: (0..)
                .zip(known)
                .map(|(place, (number, takes))| (number, (place, Requests::new(takes))))
                .collect(),
            held: Vec::new(),
            open: Vec::new(),
            losses: Vec::new(),
            events: 0,
            stopped: false,
        })
    }

    /// Switches all events off: what ended by now still comes.
    pub(crate) fn stop(&mut self) {
        self.trace.stop();
        self.stopped = true;
    }

    /// Events that were read.
    pub(crate) fn events(&self) -> u64 {
        self.events
    }

    /// Takes what was recorded up to now, and gives each IO that ended with its device's place.
    pub(crate) fn take(&mut self, mut each: impl FnMut(usize, &Io)) {
        let settled = if self.stopped {
            Nanos::MAX
        } else {
            monotonic().saturating_sub(WRITTEN)
        };
        for ring in &mut self.rings {
            ring.take(settled, |taken| match taken {
                Taken::Event(time, raw) => {
                    self.events += 1;
                    let tracepoint = tracepoint_of(raw);
                    let mut layouts = self.layouts.iter();
                    let layout = layouts.find(|(id, _)| Some(*id) == tracepoint);
                    self.held
                        .extend(layout.and_then(|(_, layout)| layout.read(time, raw)));
                }
                Taken::Loss(loss) => {
                    self.open.push(loss);
                    self.losses.push(loss);
                }
            });
            if self.stopped {
                self.losses.extend(ring.rest(monotonic()));
            }
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

/// The trace, and the ring of each processor.
fn begin(tracefs: Tracefs, source: &Source, memory: Bytes) -> io::Result<(Instance, Vec<Ring>)> {
    let trace = Instance::new(tracefs, memory)?;
    let begin = monotonic();
    for (name, filter) in &source.tracepoints {
        trace.enable(name, filter)?;
    }
    let rings = online().into_iter().map(|processor| {
        let (pages, counters) = trace.ring(processor)?;
        Ok(Ring::new(pages, counters, source.pages, begin))
    });
    let rings = rings.collect::<io::Result<_>>()?;
    Ok((trace, rings))
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
