"""What bench refuses where disks are pooled, joined or divided: LVM, RAID, partitions."""

import pytest

from machine.scripts import Said

pytestmark = pytest.mark.realtime


@pytest.fixture
def said(in_machine: dict[str, Said]) -> Said:
    """What each step said, by its name."""
    return in_machine["refusing"]


def way_out(target: str) -> str:
    return f"; to write over it all the same: --overwrite '{target}'"


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        ("volume", "/dev/vda1 is a physical volume of LVM" + way_out("/dev/vda1")),
        ("pooled", "/dev/vdb is held by dm-0 (pool-data)"),
        (
            "pooled-partition",
            "/dev/vda must not be written to: its partition vda1 is held by dm-0 (pool-data)",
        ),
        ("joined", "/dev/vdf is held by md0"),
        ("member", "/dev/vdf is a RAID member (linux_raid_member)" + way_out("/dev/vdf")),
        ("divided", "/dev/vdh must not be written to: its partition vdh1 is mounted on /mnt"),
        ("btrfs", "/dev/vdi is mounted on /mnt"),
        ("system", "/dev/vda is the system disk: / is on it"),
        (
            "unprobed",
            "/dev/vdj cannot be looked at: blkid: Permission denied (os error 13); "
            "install the package util-linux",
        ),
    ],
)
def test_what_is_in_use_or_holds_data_is_refused(said: Said, step: str, reason: str) -> None:
    assert said[step] == f"2 blockyard: {reason}"


@pytest.mark.parametrize("step", ["striped", "array", "neighbour"])
def test_what_is_nobodys_is_written_to(said: Said, step: str) -> None:
    assert said[step].startswith("0 writes: 1 s on real storage"), said[step]


def test_the_machine_has_device_mapper(said: Said) -> None:
    assert said["stripes"] == "5"
