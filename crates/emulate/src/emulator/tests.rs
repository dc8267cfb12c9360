use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use blockyard_model::storage::Op;
use blockyard_model::units::{GIB, KIB, SECOND};
use rustix::io::Errno;

use super::*;
use crate::testing;

/// Passes results on.
struct Passing(Sender<IoResult>);

impl Responder for Passing {
    fn send(self: Box<Self>, result: IoResult) {
        self.0.send(result).unwrap();
    }
}

/// A write to a device, whose result comes later.
fn write(device: &Device) -> Receiver<IoResult> {
    let (sender, receiver) = channel();
    let request = IoRequest {
        arrival: device.now(),
        op: Op::Write,
        offset: 0,
        len: 4 * KIB,
    };
    if let (_, Some(due)) = device.arrived(request, Some(Ok(())), Box::new(Passing(sender))) {
        due.send();
    }
    receiver
}

/// Devices that share nothing: one that takes so long, and one that takes no time.
fn two_groups(latency: Nanos) -> (Emulator, CompletionTimer) {
    let mut spec = testing::one("data", GIB, latency);
    spec.volumes.push(testing::volume("log", GIB, 0));
    spec.devices.push(DeviceSpec {
        name: "log".into(),
        size: GIB,
        layout: Layout::Volume(1),
    });
    let (emulator, timer) = Emulator::start(spec, 0, 0).unwrap();
    emulator.serve(Settings {
        seed: 1,
        schedule: Schedule::default(),
        events: Vec::new(),
        interval: SECOND,
        overhead: 0,
        log: None,
        trace: None,
    });
    (emulator, timer)
}

fn result_of(write: &Receiver<IoResult>) -> IoResult {
    write.recv_timeout(Duration::from_secs(60)).unwrap()
}

#[test]
fn a_group_that_breaks_fails_its_own_requests_and_no_others() {
    let (emulator, _timer) = two_groups(3600 * SECOND);
    let devices = emulator.devices();
    let in_flight = write(&devices[0]);
    assert_eq!(emulator.new_failures(), Vec::<String>::new());
    let engine = &emulator.groups[0].engine;
    engine.with(|engine, now| engine.change(now, |_, _, _| panic!("planted")));
    assert_eq!(result_of(&in_flight), Err(Errno::IO));
    assert_eq!(result_of(&write(&devices[0])), Err(Errno::IO));
    assert_eq!(result_of(&write(&devices[1])), Ok(()));
    let told = ["data: the model broke (planted); every request fails with EIO"];
    assert_eq!(emulator.new_failures(), told);
    assert_eq!(emulator.new_failures(), Vec::<String>::new());
    assert_eq!(emulator.failures(), told);
    assert_eq!(emulator.snapshot().unwrap().accounts.len(), 2);
    // What failed is in the result as failed.
    emulator.end();
    let (summary, _, _) = emulator.finish().unwrap();
    assert_eq!(summary.ios(), 1);
}
