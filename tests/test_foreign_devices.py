"""Of devices that lie on each other, each IO counts once."""

import json
import random
from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blockyard.formats.foreign import ForeignError, Reading, counted
from blockyard.formats.foreign.chosen import Chosen
from blockyard.formats.foreign.traffic import Traffic
from conftest import ONCE, Blockyard

# What devices read and wrote in each interval.
Moved = Mapping[str, Sequence[tuple[float, float]]]


def chosen(moved: Moved, reading: Reading | None = None) -> Chosen:
    rows = [
        {"t_s": float(at), "device": device, "read": read, "written": written}
        for device, intervals in moved.items()
        for at, (read, written) in enumerate(intervals)
    ]
    traffic = Traffic(pa.Table.from_pylist(rows), "read", "written")
    return counted.chosen(traffic, reading or Reading(), "file")


def drawn(seed: int, share: float = 1.0) -> list[tuple[float, float]]:
    dice = random.Random(seed)
    return [(dice.uniform(10, 900) * share, dice.uniform(5, 300) * share) for _ in range(20)]


def added(*parts: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    return [(sum(r for r, _ in at), sum(w for _, w in at)) for at in zip(*parts, strict=True)]


A, B, C, D = (drawn(seed) for seed in range(4))
SMALL = drawn(9, 0.001)


@pytest.mark.parametrize(
    ("moved", "devices"),
    [
        ({"sda": A}, ["sda"]),
        ({"sda": A, "sda1": SMALL, "sda2": A}, ["sda"]),
        # Partitions without their disk, as on some Xen instances.
        ({"xvda1": A, "xvdb": B}, ["xvda1", "xvdb"]),
        ({"nvme1n1": A, "nvme2n1": B, "dm-0": added(A, B)}, ["dm-0"]),
        ({"nvme0n1": SMALL, "nvme1n1": A, "nvme2n1": B, "dm-0": added(A, B)}, ["dm-0"]),
        # The system's volumes on its disk.
        ({"nvme0n1": C, "dm-1": C, "nvme1n1": A, "nvme2n1": B, "dm-0": added(A, B)},
         ["dm-0", "nvme0n1"]),
        ({"sdb": A, "dm-3": A}, ["sdb"]),
        # Two volumes of one stripe.
        ({"sdb": added(A, B), "sdc": added(C, D), "dm-0": added(A, C), "dm-1": added(B, D)},
         ["dm-0", "dm-1"]),
        # Encryption on a RAID.
        ({"sdb": A, "sdc": B, "md0": added(A, B), "dm-0": added(A, B)}, ["dm-0"]),
        # A mirror, whose disks each write all and share reads.
        ({"sdb": [(r, 7.0) for r, _ in A], "sdc": [(r, 7.0) for r, _ in B],
          "md0": [(r1 + r2, 7.0) for (r1, _), (r2, _) in zip(A, B, strict=True)]}, ["md0"]),
        # RAID 5 writes more than it is asked to: what the disks do counts.
        ({"sdb": A, "sdc": B, "sdd": C, "md0": [(r, w / 9) for r, w in D]}, ["sdb", "sdc", "sdd"]),
        # Paths of a multipath LUN, and what lies on it, without the disks.
        ({"mpatha": A, "mpathb": B, "vg-data": added(A, B)}, ["vg-data"]),
        ({"cciss/c0d0": A, "cciss/c0d0p1": A, "dm-0": A}, ["cciss/c0d0"]),
        # Without its disks in the file.
        ({"dm-0": A, "dm-1": B}, ["dm-0", "dm-1"]),
        ({"loop0": A, "zram0": B, "sda": C}, ["sda"]),
        ({"loop0": A}, ["loop0"]),
        # sar's numbers: NVMe disks and a layout; a virtual disk with a partition.
        ({"dev259-0": A, "dev259-1": B, "dev253-0": added(A, B)}, ["dev253-0"]),
        ({"dev259-0": A, "dev259-1": A}, ["dev259-0"]),
        ({"dev252-0": A, "dev252-1": A, "dev252-16": B}, ["dev252-0", "dev252-16"]),
        ({"dev8-0": A, "dev8-1": A, "dev8-16": B}, ["dev8-0", "dev8-16"]),
        # Idle devices change nothing.
        ({"sda": A, "dm-0": [(0.0, 0.0)] * 20}, ["sda"]),
    ],
)  # fmt: skip
def test_each_io_counts_once(moved: Moved, devices: list[str]) -> None:
    found = chosen(moved)
    assert sorted(found.devices) == devices
    active = {name for name, at in moved.items() if any(map(sum, at))}
    assert all(any(name in note for note in found.notes) for name in active - {*devices})


@settings(max_examples=60)
@given(st.integers(1, 14), st.integers(0, 2**32), st.floats(0, 0.01))
def test_a_stripe_of_any_width_is_its_sum(width: int, seed: int, noise: float) -> None:
    """The kernel counts an IO on the disk a moment before the layout, so sums differ a little."""
    dice = random.Random(seed)
    whole = drawn(seed)
    disks = {
        f"sd{chr(98 + at)}": [
            (r / width * dice.uniform(1 - noise, 1 + noise), w / width) for r, w in whole
        ]
        for at in range(width)
    }
    other = drawn(seed + 1, 3.0)
    found = chosen({**disks, "dm-0": whole, "nvme7n1": other})
    assert found.devices == (["dm-0", "nvme7n1"] if width > 1 else ["nvme7n1", "sdb"])


def test_many_volumes_share_their_disks() -> None:
    """As of IRIS: a group of volumes on four disks, and the system's on another."""
    volumes = {f"dm-{at}": drawn(at) for at in range(2, 11)}
    whole = added(*volumes.values())
    disks = {f"sd{letter}": [(r / 4, w / 4) for r, w in whole] for letter in "bcde"}
    found = chosen({"sda": drawn(77), "dm-0": drawn(77), **volumes, **disks})
    assert sorted(found.devices) == sorted([*volumes, "sda"])
    assert "left out: sdb, sdc, sdd, sde, whose sum is dm-2 + dm-3" in found.notes[1]


def test_alike_totals_at_other_times_are_other_devices() -> None:
    moved = {"sdb": A, "dm-0": A[::-1]}
    assert chosen(moved).devices == ["sdb"]
    assert "layouts on sdb" in chosen(moved).notes[0]


def lsblk(path: Path) -> Path:
    disk = {"name": "nvme1n1", "maj:min": "259:1", "type": "disk", "mountpoints": [None]}
    volume = {"name": "vg-data", "maj:min": "253:0", "type": "lvm", "mountpoints": ["/data"]}
    root = {"name": "nvme0n1p1", "maj:min": "259:3", "type": "part", "mountpoints": ["/"]}
    devices = [
        {"name": "nvme0n1", "maj:min": "259:0", "type": "disk", "children": [root]},
        disk | {"children": [volume]},
        disk | {"name": "nvme2n1", "maj:min": "259:2", "children": [volume]},
    ]
    path.write_text(json.dumps({"blockdevices": devices}))
    return path


@pytest.mark.parametrize("names", [["nvme0n1", "nvme1n1", "nvme2n1", "dm-0"],
                                   ["nvme0n1", "nvme1n1", "nvme2n1", "vg-data"],
                                   ["dev259-0", "dev259-1", "dev259-2", "dev253-0"]])  # fmt: skip
def test_lsblk_tells_the_layers_and_the_system_s_disk(tmp_path: Path, names: list[str]) -> None:
    """Though no sum fits, and the system's disk is the busiest."""
    moved = dict(zip(names, [drawn(5, 50.0), A, B, D], strict=True))
    found = chosen(moved, Reading(lsblk=lsblk(tmp_path / "lsblk.json")))
    assert found.devices == [names[3]]
    assert found.notes == [
        f"left out: {names[0]}, with the system (/), by lsblk",
        f"left out: {names[1]}, {names[2]}, below {names[3]}, by lsblk",
    ]


def test_a_circle_of_devices_ends(tmp_path: Path) -> None:
    path = tmp_path / "lsblk.json"
    a = {"name": "a", "children": [{"name": "b"}]}
    b = {"name": "b", "children": [{"name": "a"}]}
    path.write_text(json.dumps({"blockdevices": [a, b]}))
    assert chosen({"a": A, "b": B}, Reading(lsblk=path)).devices is not None


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"blockdevices": 3}',
                                     '{"blockdevices": [{"name": 3}]}', "[" * 100_000])  # fmt: skip
def test_what_is_not_lsblk_s_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "lsblk.json"
    path.write_text(content)
    with pytest.raises(ForeignError, match=r"lsblk\.json"):
        chosen({"sda": A}, Reading(lsblk=path))


def test_devices_that_are_asked_for_count() -> None:
    moved = {"nvme1n1 (journal)": A, "dm-0": A, "sda": C}
    assert chosen(moved, Reading(("nvme1n1", "dm-0"))).devices == ["nvme1n1 (journal)", "dm-0"]
    found = chosen(moved, Reading(("sda", "sdz")))
    assert (found.devices, found.notes) == (["sda"], ["no device sdz in it"])
    with pytest.raises(
        ForeignError, match="--device `sdz`: not in this file; it has dm-0, nvme1n1"
    ):
        chosen(moved, Reading(("sdz",)))


COLUMNS = "Device r/s rkB/s r_await w/s wkB/s w_await aqu-sz %util"


@pytest.fixture
def iostat(tmp_path: Path) -> Path:
    """An iostat of a stripe that did 1,600 reads and 400 writes a second, and of a small disk."""
    rows = {"nvme0n1": (2, 2), "nvme1n1": (800, 200), "nvme2n1": (800, 200), "dm-0": (1600, 400)}
    text = "".join(f"{name} {r} {r * 8} 0.6 {w} {w * 8} 0.8 1 9\n" for name, (r, w) in rows.items())
    path = tmp_path / "iostat.txt"
    reports = (f"11/21/26 09:00:{at:02}\n{COLUMNS}\n{text}\n" for at in range(12))
    path.write_text("Linux 6.1 (db1) \t11/21/26 \t_x86_64_\t(16 CPU)\n\n" + "".join(reports))
    return path


def test_a_plan_is_for_what_the_stripe_did(blockyard: Blockyard, iostat: Path) -> None:
    done = blockyard("plan", "--size", "600GiB", "--workload", str(iostat), "--no-prove", "--json")
    answer = json.loads(done.stdout)
    assert answer["wanted"]["streams"] == [["reads", 1600, 8192], ["writes", 400, 8192]]
    assert any("left out: nvme1n1, nvme2n1" in note for note in answer["notes"])


def test_a_stripe_is_compared_with_its_device(blockyard: Blockyard, iostat: Path) -> None:
    scenario = iostat.parent / "stripe.yaml"
    scenario.write_text(
        "name: stripe\nas_of: 2026-11-01\nduration: 10s\n"
        "storage: {data: {stripe: {chunk: 64KiB, width: 2}, of: {type: gp3, size: 100GiB}}}\n"
        "workload:\n"
        "  r: {kind: access_spec, on: data, file_size: 50GiB, rate: 1600/s,"
        " pattern: {size: 8KiB, read: 100%, random: 100%}}\n"
        "  w: {kind: access_spec, on: data, file_size: 50GiB, rate: 400/s,"
        " pattern: {size: 8KiB, read: 0%, random: 100%}}\n"
    )
    run = iostat.parent / "run"
    blockyard("simulate", str(scenario), *ONCE, "--out", str(run))
    done = blockyard("compare", str(run), str(iostat), "--json")
    rows = [row for row in json.loads(done.stdout)["rows"] if row["figure"] == "iops"]
    assert {row["op"] for row in rows} >= {"read", "write"}
    changes = [change["relative"] for row in rows for change in row["changes"]]
    assert all(abs(change) < 0.05 for change in changes)


def test_a_device_that_is_not_there_is_one_line(blockyard: Blockyard, iostat: Path) -> None:
    done = blockyard("report", str(iostat), "--device", "dm-9")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert (
        "--device `dm-9`: not in this file; it has dm-0, nvme0n1, nvme1n1, nvme2n1" in done.stderr
    )
