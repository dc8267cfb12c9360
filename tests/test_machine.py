"""What bench refuses where disks are pooled, joined or divided: LVM, RAID, partitions.

All that happens in one start of the test machine, which takes longer than the tests.
"""

import shlex
import shutil
import sys

import pytest

import machine
from test_safety import WRITES

# `bench NAME TARGET …` says under [NAME] what bench says of the target.
STEPS = f"""
bench() {{
    name=$1
    shift
    echo "[$name]"
    $inside {shlex.quote(sys.executable)} -m blockyard bench /tmp/writes.yaml --out "/tmp/$name" \\
        --map "data=$@" >/tmp/output 2>&1
    echo "$? $(cat /tmp/output)"
}}
quietly() {{ "$@" >/dev/null || echo "failed: $*"; }}
echo {shlex.quote(WRITES)} >/tmp/writes.yaml

printf 'label: gpt\\n,200MiB\\n' | quietly sfdisk -q /dev/vda
quietly pvcreate /dev/vda1
bench volume /dev/vda1
quietly vgcreate pool /dev/vda1 /dev/vdb /dev/vdc /dev/vdd /dev/vde
quietly lvcreate --yes --name data --stripes 5 --stripesize 64k --extents 10 pool
bench pooled /dev/vdb --overwrite /dev/vdb
bench pooled-partition /dev/vda --overwrite /dev/vda
bench striped /dev/pool/data
echo "[stripes]"
lvs --noheadings --options stripes pool/data

quietly mdadm --create /dev/md0 --run --level=0 --raid-devices=2 --metadata=1.2 /dev/vdf /dev/vdg
bench joined /dev/vdf --overwrite /dev/vdf
bench array /dev/md0
quietly mdadm --stop /dev/md0
bench member /dev/vdf

printf 'label: gpt\\n,64MiB\\n,64MiB\\n' | quietly sfdisk -q /dev/vdh
quietly mkfs.ext4 -q /dev/vdh1
quietly mount /dev/vdh1 /mnt
bench divided /dev/vdh --overwrite /dev/vdh
bench neighbour /dev/vdh2
quietly umount /mnt

quietly mkfs.btrfs -q /dev/vdi
quietly mount /dev/vdi /mnt
bench btrfs /dev/vdi --overwrite /dev/vdi
quietly umount /mnt

# A root file system three steps above a disk: volume, partition, disk.
quietly mkfs.ext4 -q /dev/pool/data
quietly mount /dev/pool/data /mnt
for path in /*; do
    if [ -h "$path" ]; then
        cp -P "$path" /mnt
    elif [ -d "$path" ] && [ "$path" != /mnt ]; then
        mkdir -p "/mnt$path"
        mount --rbind "$path" "/mnt$path"
    fi
done
inside="chroot /mnt"
bench system /dev/vda --overwrite /dev/vda
inside=

mount --bind /dev/null "$(command -v blkid)"
bench unprobed /dev/vdj
"""


@pytest.fixture(scope="module")
def said() -> dict[str, str]:
    """What each step said, by its name."""
    for tool in ["lvcreate", "mdadm", "mkfs.btrfs", "sfdisk"]:
        if shutil.which(tool, path="/usr/sbin:/usr/bin:/sbin:/bin") is None:
            pytest.skip(f"{tool} is missing; scripts/peers.sh installs it")
    try:
        finished = machine.run(STEPS, disks=["256M"] * 10, timeout=900)
    except machine.UnavailableError as reason:
        pytest.skip(str(reason))
    assert "failed: " not in finished.stdout, finished.stdout + finished.stderr
    steps = (step.partition("]\n") for step in finished.stdout.split("[")[1:])
    return {name: text.strip() for name, _, text in steps}


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
def test_what_is_in_use_or_holds_data_is_refused(
    said: dict[str, str], step: str, reason: str
) -> None:
    assert said[step] == f"2 blockyard: {reason}"


@pytest.mark.parametrize("step", ["striped", "array", "neighbour"])
def test_what_is_nobodys_is_written_to(said: dict[str, str], step: str) -> None:
    assert said[step].startswith("0 writes: 1 s on real storage"), said[step]


def test_the_machine_has_device_mapper(said: dict[str, str]) -> None:
    assert said["stripes"] == "5"
