//! Whose requests are answered first when two devices want more than their host lets through.

use super::*;
use blockyard_model::spec::{Discipline, Layout};

/// Two devices on a volume each, behind a host of 1,000 IOPS that serves by `discipline`.
fn two_devices(discipline: Discipline) -> StorageSpec {
    let mut spec = storage(1000, 0);
    spec.hosts[0].limits = std::mem::take(&mut spec.volumes[0].limits);
    spec.hosts[0].discipline = discipline;
    spec.volumes[0].behind_host = true;
    let mut volume = spec.volumes[0].clone();
    volume.name = "log".into();
    spec.volumes.push(volume);
    let mut device = spec.devices[0].clone();
    device.name = "log".into();
    device.layout = Layout::Volume(1);
    spec.devices.push(device);
    spec
}

/// The order of the answers to eight writes of the first device and to four `others` of the
/// second, numbered from 8, which arrive right after them.
fn order(discipline: Discipline, others: Op) -> Vec<usize> {
    let mut bench = Bench::new(&two_devices(discipline), 0);
    for number in 0..12 {
        let (device, op) = match number {
            0..8 => (0, Op::Write),
            _ => (1, others),
        };
        bench.submit_to(device, number, 0, op, 0);
    }
    bench.run_until(SECOND, 0);
    bench.order()
}

const ARRIVED: [usize; 12] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
// The first passed at once, as it found nobody waiting.
const IN_TURN: [usize; 12] = [0, 1, 8, 2, 9, 3, 10, 4, 11, 5, 6, 7];

#[test]
fn first_come_is_first_served() {
    assert_eq!(order(Discipline::Fifo, Op::Read), ARRIVED);
    assert_eq!(order(Discipline::Fifo, Op::Write), ARRIVED);
}

#[test]
fn classes_are_reads_and_writes_whatever_device_they_are_for() {
    assert_eq!(order(Discipline::PerDirection, Op::Read), IN_TURN);
    assert_eq!(order(Discipline::PerDirection, Op::Write), ARRIVED);
}

/// All that clients ask of one device is one submitter's.
#[test]
fn queues_are_devices_whatever_is_asked_of_them() {
    assert_eq!(order(Discipline::PerSubmitter, Op::Read), IN_TURN);
    assert_eq!(order(Discipline::PerSubmitter, Op::Write), IN_TURN);
}
