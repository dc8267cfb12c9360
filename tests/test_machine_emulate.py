"""Emulated volumes under LVM and file systems, where the kernel has what it takes."""

import json

import pytest

from machine.scripts import Said

pytestmark = pytest.mark.realtime


@pytest.fixture
def said(in_machine: dict[str, Said]) -> Said:
    """What each step said, by its name."""
    return in_machine["serving"]


def _iops(text: str) -> float:
    job = json.loads(text[text.index("{") : text.rindex("}") + 1])["jobs"][0]
    return float(job["read"]["iops"])


def test_volumes_are_devices_of_the_kernels_nbd_client(said: Said) -> None:
    lines = said["served"].splitlines()
    names = [line.split(":")[0] for line in lines]
    assert names == [f"data.{number}" for number in range(5)], said["served"]
    assert all(": /dev/nbd" in line and "(33GiB, RAM, volatile)" in line for line in lines)


def test_lvm_stripes_them(said: Said) -> None:
    assert said["layout"].split() == ["5", "4096.00k"]


def test_five_volumes_give_five_times_ones_iops(said: Said) -> None:
    one, striped = _iops(said["one"]), _iops(said["striped"])
    assert one == pytest.approx(100, rel=0.05)
    assert striped == pytest.approx(5 * one, rel=0.05)


def test_the_devices_are_free_after_the_end(said: Said) -> None:
    assert said["stopped"].split() == ["status", "130", "0"]


def test_what_was_synced_survives_a_kill_of_the_server(said: Said) -> None:
    assert said["restarted"].splitlines()[-1] == "intact"


def test_a_mounted_device_does_not_hinder_the_end(said: Said) -> None:
    assert "status 130" in said["in use"]
    assert "in use" in said["in use"]
