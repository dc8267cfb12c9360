"""Features that this machine's kernel may lack: device-mapper, RAID, its NBD client."""

import json
from pathlib import Path

import pytest

from blockyard.types.result.network import MirrorTotal
from conftest import ROOT
from machine.scripts import Said
from runs import simulated

# The machine takes ten minutes, and on a busy processor half as long again.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]


@pytest.fixture
def refusing(in_machine: dict[str, Said]) -> Said:
    """What bench said about pooled, joined or divided disks, by the name of the step."""
    return in_machine["refusing"]


@pytest.fixture
def serving(in_machine: dict[str, Said]) -> Said:
    """What each step said with emulated volumes, by its name."""
    return in_machine["serving"]


@pytest.fixture
def migrating(in_machine: dict[str, Said]) -> Said:
    """What each step said of a change of volumes, by its name."""
    return in_machine["migrating"]


EXPECTED = "; expected a file or device without data"


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        ("volume", "/dev/vda1 is a physical volume of LVM" + EXPECTED),
        ("pooled", "/dev/vdb is held by dm-0 (disks-data)"),
        (
            "pooled-partition",
            "/dev/vda must not be written to: its partition vda1 is held by dm-0 (disks-data)",
        ),
        ("joined", "/dev/vdf is held by md0"),
        ("member", "/dev/vdf is a RAID member (linux_raid_member)" + EXPECTED),
        ("divided", "/dev/vdh must not be written to: its partition vdh1 is mounted on /mnt"),
        ("btrfs", "/dev/vdi is mounted on /mnt"),
        ("system", "/dev/vda is the system disk: / is on it"),
        (
            "unprobed",
            "/dev/vdj cannot be looked at: blkid: Permission denied; "
            "install the package util-linux",
        ),
    ],
)
def test_what_is_in_use_or_holds_data_is_refused(refusing: Said, step: str, reason: str) -> None:
    assert refusing[step] == f"2 blockyard: {reason}"


@pytest.mark.parametrize("step", ["striped", "array", "neighbour"])
def test_what_is_nobodys_is_written_to(refusing: Said, step: str) -> None:
    assert refusing[step].startswith("0 writes: 1 s on real storage"), refusing[step]


def test_the_machine_has_device_mapper(refusing: Said) -> None:
    assert refusing["stripes"] == "5"


def _iops(text: str) -> float:
    job = json.loads(text[text.index("{") : text.rindex("}") + 1])["jobs"][0]
    return float(job["read"]["iops"])


def test_volumes_are_devices_of_the_kernels_nbd_client(serving: Said) -> None:
    lines = serving["served"].splitlines()
    names = [line.split(":")[0] for line in lines]
    stripe = [f"data.{number}" for number in range(5)]
    fresh = ["fresh.0", "fresh.1"]
    assert names == ["mirrored.near", "mirrored.far", *stripe, *fresh], serving["served"]
    sizes = ["64MiB"] * 2 + ["33GiB"] * 5 + ["1GiB"] * 2
    for line, size in zip(lines, sizes, strict=True):
        assert ": /dev/nbd" in line
        assert f"({size}, RAM, volatile)" in line


def test_lvm_stripes_them(serving: Said) -> None:
    assert serving["layout"].split() == ["5", "4096.00k"]


def test_a_write_to_drbd_takes_as_long_as_the_models(serving: Said, tmp_path: Path) -> None:
    # The machine adds time of its own to each, and other work on it some more, so that the margin
    # is as wide as it can be while C is slower than A.
    scenario = (ROOT / "benchmarks/mirrors/mirror.yaml").read_text()
    cases = [line.split() for line in serving["mirrored"].splitlines()]
    drbd = {(letter, trip): float(took) for letter, trip, took, *_ in cases}
    iops = {
        (letter, trip): simulated(
            tmp_path,
            scenario,
            f"links.lan.round_trip={trip}ms",
            f"storage.mirrored.mirror.acknowledge={letter}",
        ).result["totals"][0]["iops"]
        for letter, trip in drbd
    }
    for trip, slower in (("20", 2), ("60", 4)):
        assert iops["A", trip] / iops["C", trip] == pytest.approx(slower, rel=0.01)
        assert slower / 2 < drbd["C", trip] / drbd["A", trip] < slower * 2, cases
        assert drbd["C", trip] > float(trip)
    assert drbd["C", "60"] > drbd["C", "20"]


def test_a_drbd_whose_nodes_lose_each_other_does_as_the_models(
    serving: Said, tmp_path: Path
) -> None:
    scenario = (ROOT / "benchmarks/mirrors/mirror.yaml").read_text()
    mirror = "storage.mirrored.mirror"
    drbd = {line.split()[0]: line.split()[1:] for line in serving["parted"].splitlines()}

    def parted(*sets: str, then: str = "") -> MirrorTotal:
        fine = (f"{mirror}.region=4KiB", f"{mirror}.resync.request=4KiB", "links.lan.timeout=2s")
        cut = f"events=[{{at: 2s, cut: lan, for: 10s}}{then}]"
        [total] = simulated(tmp_path, scenario, *fine, cut, *sets).result["mirrors"]
        return total

    # What was written meanwhile is copied, each block once.
    written, copied = drbd["cut"]
    assert written == copied
    model = parted()
    assert 0 < model["resync_bytes"] == model["most_at_risk_bytes"]

    assert drbd["split"] == ["StandAlone", "StandAlone"]
    taken = f"{mirror}.failover=5s"
    assert parted(taken)["state"] == "split brain"
    # Then what either has written.
    written, copied = drbd["discarded"]
    assert written == copied
    told = parted(taken, then=", {at: 14s, reconnect: mirrored}")
    assert told["state"] == "in sync"
    assert 0 < told["discarded_bytes"] < told["resync_bytes"]

    # A write waits until the other is fenced, and that does not become primary.
    waited_ms, primary = drbd["fenced"]
    assert int(waited_ms) > 0
    assert primary == "refused"
    fences = (f"{mirror}.fencing=resource_and_stonith", f"{mirror}.fencing_time=4s")
    fenced = parted(taken, *fences)
    assert (fenced.get("takeovers", 0), fenced.get("frozen_s")) == (0, 4)


def test_a_stripe_gives_more_than_its_volumes_alone(serving: Said) -> None:
    # Nothing gets above a limit; how near to it depends on what else this machine does. What two
    # volumes never give comes from more of them.
    one, striped = _iops(serving["one"]), _iops(serving["striped"])
    assert 10 < one < 21
    assert 42 < striped < 105


def test_provisioning_is_shown_without_being_done(serving: Said) -> None:
    said = serving["dry"].splitlines()
    assert said[-1] == "untouched"
    assert said[-2] == "Nothing changed; commands that would be carried out: 15."
    # Of each volume it says what may be missed.
    assert [line.startswith("--quick: /dev/") for line in said[1:5]] == [True] * 4
    assert any(
        line.startswith(
            "would run: lvcreate --name lv_fresh --stripes 2 --stripesize 4m --readahead 32 "
            "--extents 100%PVS vg_fresh"
        )
        for line in said
    )
    assert "would run: mkfs.xfs -q -d su=4m,sw=2 -l su=32k /dev/vg_fresh/lv_fresh" in said


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        ("missing", "fresh.1: vol-0bad is not there after 1 s"),
        ("full", "/dev/vdl is not zero at byte 3000000; it is not overwritten"),
        ("held", "/dev/vdn is not zero at byte 33521664; it is not overwritten"),
        ("swap", "/dev/vdm holds swap; it is not overwritten"),
        ("other", "fresh.1: /dev/vdj has 268435456 bytes; the layout has 1073741824"),
    ],
)
def test_provisioning_refuses_before_it_changes_anything(
    serving: Said, step: str, reason: str
) -> None:
    lines = serving[step].splitlines()
    assert lines[0].startswith("1 ")
    assert lines[-1].removeprefix("1 ") == f"provision.sh: {reason}"


def test_provisioning_makes_what_the_layout_has(serving: Said) -> None:
    made = serving["made"].splitlines()
    assert made[-1] == "Done; commands carried out: 15."
    # What an interrupted run had begun is not begun again.
    assert "+ pvcreate /dev/vdk /dev/vdm" in made
    segments = [line.split() for line in serving["shape"].splitlines()]
    units, entries = (line.split() for line in serving["geometry"].splitlines())
    assert segments == [
        ["lv_fresh", "2", "4096.00k"],
        ["lv_grown", "1", "0k"],
        ["lv_grown", "2", "64.00k"],
    ]
    # In blocks of 4 KiB.
    assert units == ["sunit=1024", "swidth=2048", "blks"]
    assert entries == ["2"]


def test_read_ahead_is_the_workloads_unless_somebody_chose_another(serving: Said) -> None:
    # LVM's word, then the kernel's in sectors; no job reads `grown`.
    lines = [line.split() for line in serving["ahead"].splitlines()]
    assert lines == [["lv_fresh", "16.00k"], ["lv_grown", "auto"], ["32"]]
    assert "+ lvchange --readahead 32 vg_fresh/lv_fresh" in serving["tuned"]
    assert serving["chosen"] == "0 Nothing to change: all is as the layout has it."


def test_provisioning_again_changes_nothing(serving: Said) -> None:
    said = "0 Nothing to change: all is as the layout has it.\nunchanged"
    assert serving["again"] == said
    resumed = serving["resumed"].splitlines()
    assert resumed[0] == "0 + lvchange --activate y vg_fresh/lv_fresh"
    assert resumed[1:] == ["+ mount /mnt/fresh", "Done; commands carried out: 2.", "kept"]


def test_a_migration_is_shown_without_being_done(migrating: Said) -> None:
    assert migrating["asked"] == ""
    said = migrating["shown"].splitlines()
    assert "would run: pvmove /dev/vdo /dev/new/wij" in said
    assert "would run: xfs_growfs /mnt/logs" in said
    assert "Nothing changed; commands that would be carried out: 23." in said


def test_volumes_are_moved_and_grown_while_they_are_used(migrating: Said) -> None:
    begun = migrating["begun"].splitlines()
    assert begun[0].startswith("0 + aws ec2 create-volume ")
    for done in ("pvmove /dev/vdo /dev/vdp", "vgreduce vg_wij /dev/vdo", "xfs_growfs /mnt/logs"):
        assert f"+ {done}" in begun
    assert begun[-1] == "  aws ec2 delete-volume --volume-id vol-0f0"
    assert migrating["waiting"].startswith("0 Nothing to do before the copy.\n")
    assert "/dev/vdp vg_wij" in migrating["segments"]
    assert "larger" in migrating["segments"].splitlines()


def test_stripes_are_changed_by_a_copy_of_what_nothing_writes_to(migrating: Said) -> None:
    busy = migrating["busy"].splitlines()
    assert busy[-1] == "migrate.sh: mount failed; nothing after it was done"
    assert "+ rsync" not in migrating["busy"]
    copied = migrating["copied"].splitlines()
    assert "+ vgrename vg_data_new vg_data" in copied
    assert "Done; commands carried out: 10." in copied
    segments = [line.split() for line in migrating["segments"].splitlines()]
    assert ["vg_data", "3", "1024.00k"] in segments
    assert ["vg_data_old", "2", "64.00k"] in segments
    assert migrating["contents"].split() == ["data", "wij", "logs"]


def test_a_migration_again_changes_nothing(migrating: Said) -> None:
    said = "0 Nothing to change: all is as the new layout has it.\n"
    assert migrating["repeated"].startswith(said)
    assert migrating["after"].splitlines() == [
        "data.0=vol-0a0",
        "data.1=vol-0a1",
        "data.2=vol-0a2",
        "wij=vol-0b0",
        "logs=vol-0e0",
    ]
    assert migrating["other"] == (
        "1 migrate.sh: logs: vol-0e0 is io1 1 100 None; expected gp2 1 - -, or gp3 2 3000 125 if "
        "it is modified already"
    )


def test_the_devices_are_free_after_the_end(serving: Said) -> None:
    assert serving["stopped"].split() == ["status", "130", "0"]


def test_what_was_synced_survives_a_kill_of_the_server(serving: Said) -> None:
    assert serving["restarted"].splitlines()[-1] == "intact"


def test_a_mounted_device_does_not_hinder_the_end(serving: Said) -> None:
    assert "status 130" in serving["in use"]
    assert "in use" in serving["in use"]


def test_observe_finds_known_latencies_and_each_error(in_machine: dict[str, Said]) -> None:
    observing = in_machine["observing"]
    if "lacks" in observing:
        pytest.skip(f"the machine's kernel has no {observing['lacks']}")
    result = json.loads(observing["observed"])
    took = dict(line.split() for line in observing["took"].splitlines())
    totals = {total["device"]: total for total in result["totals"]}
    devices = {device["name"]: device for device in result["observed"]["devices"]}
    # 20 reads each; null_blk takes 20 ms for one, and dm-delay 30 ms before that.
    for device, step, delay_us in (("nullb0", "plain", 20_000), ("dm-0", "slowed", 50_000)):
        total = totals[device]
        assert (total["op"], total["ios"], total["errors"]) == ("read", 20, 0)
        latency = total["latency_us"]
        # None is faster than its device, and they came one after the other.
        assert latency["p50"] > 0.99 * delay_us
        assert 20 * delay_us < 20 * latency["mean"] < int(took[step]) / 1000
    [plain], [slowed], [flaky] = (devices[name]["ops"] for name in ("nullb0", "dm-0", "dm-1"))
    assert plain["device_us"]["mean"] > 20_000
    assert plain["queue_us"]["mean"] < 20_000
    # Of bios nothing tells when they are passed on; the kernel does not count those that fail.
    assert (slowed["seen"], slowed.get("device_us"), slowed.get("queue_us")) == (20, None, None)
    # IOs that failed have no latency.
    assert (totals["dm-1"]["errors"], flaky["seen"]) == (20, 20)
    assert totals["dm-1"]["latency_us"]["max"] > 20_000
