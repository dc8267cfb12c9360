"""Emulated volumes under LVM and file systems, where the kernel has what it takes.

One start of the test machine for all of it. Its processors are slow, so what is judged
by time are rates far below what it reaches.
"""

import json
import re
import shlex
import shutil
import sys

import pytest

import machine

# 100 IOPS each: no credits, and none of the second that a rested volume has in hand.
VOLUMES = """\
name: volumes
storage:
  data:
    stripe: {chunk: 4MiB, width: 5}
    of: {type: gp2, size: 33GiB, burst_balance: 0%, tokens: 0%}
"""
DISK = "{name: disk, storage: {disk: {type: unlimited, size: 1GiB}}}"

STEPS = f"""
quietly() {{ "$@" >/tmp/said 2>&1 || {{ echo "failed: $*"; cat /tmp/said; }}; }}
# `serve NAME OPTION …` starts a service and waits until it serves.
serve() {{
    name=$1
    shift
    {shlex.quote(sys.executable)} -m blockyard emulate /tmp/$name.yaml "$@" >/tmp/$name.out \\
        2>/tmp/$name.err &
    server=$!
    for _ in $(seq 600); do
        [ -s /tmp/$name.out ] && break
        kill -0 $server 2>/dev/null || break
        sleep 0.1
    done
    # The lines come at once, one after the other.
    sleep 0.5
    cat /tmp/$name.out /tmp/$name.err
}}
# `reads DEVICE DEPTH`: 16 KiB every 4 MiB, so that each volume of a stripe gets the same;
# random reads would be spread unevenly for longer than this lasts.
reads() {{
    fio --name=reads --filename="$1" --rw=read:4080k --bs=16k --direct=1 --ioengine=libaio \\
        --iodepth="$2" --size=1000m --time_based --ramp_time=15 --runtime=10 --output-format=json
}}
echo {shlex.quote(VOLUMES)} >/tmp/volumes.yaml
echo {shlex.quote(DISK)} >/tmp/disk.yaml

echo "[served]"
serve volumes --as block --each-volume --out /tmp/run-volumes
devices=$(sed 's/^[^ ]* \\([^ ]*\\) .*/\\1/' /tmp/volumes.out)
quietly vgcreate pool $devices
quietly lvcreate --yes --name data --stripes 5 --stripesize 4m --size 10G pool
echo "[layout]"
lvs --noheadings --units k --options stripes,stripe_size pool/data
# At once: an idle volume earns credits, and would have to spend them first.
echo "[striped]"
reads /dev/pool/data 50
quietly vgchange --activate n pool
echo "[one]"
reads "$(echo "$devices" | head -n 1)" 10
echo "[stopped]"
kill $server
wait $server
echo "status $?"
cat /tmp/volumes.err
cat /sys/class/block/nbd0/size

mkdir /tmp/files /tmp/backing /tmp/mounted
echo "[killed]"
serve disk --as fuse=/tmp/files --backing /tmp/backing --out /tmp/run-disk
loop=$(losetup --find --show --direct-io=on /tmp/files/disk)
quietly mkfs.xfs -q "$loop"
quietly mount "$loop" /tmp/mounted
for number in $(seq 20); do
    head -c 300000 /dev/urandom >/tmp/mounted/$number
done
sync -f /tmp/mounted/1
(cd /tmp/mounted && sha256sum [0-9]*) >/tmp/sums
# More is under way, and not flushed.
(while :; do dd if=/dev/zero of=/tmp/mounted/more bs=64k count=64 2>/dev/null || break; done) &
writer=$!
sleep 1
kill -9 $server
wait $server
kill $writer
wait $writer
umount -l /tmp/mounted
losetup --detach "$loop"
umount -l /tmp/files
echo "[restarted]"
serve disk --as fuse=/tmp/files --backing /tmp/backing --out /tmp/run-again
loop=$(losetup --find --show --direct-io=on /tmp/files/disk)
quietly mount "$loop" /tmp/mounted
(cd /tmp/mounted && sha256sum --quiet --check /tmp/sums && echo intact)
quietly umount /tmp/mounted
quietly xfs_repair -n "$loop"
echo "[in use]"
quietly mount "$loop" /tmp/mounted
kill $server
wait $server
echo "status $?"
cat /tmp/disk.err
"""


@pytest.fixture(scope="module")
def said() -> dict[str, str]:
    """What each step said, by its name."""
    for tool in ["lvcreate", "fio", "mkfs.xfs"]:
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is missing; scripts/peers.sh installs it")
    try:
        done = machine.run(STEPS, timeout=420)
    except machine.UnavailableError as error:
        pytest.skip(str(error))
    assert "failed: " not in done.stdout, done.stdout
    parts = re.split(r"^\[([a-z ]+)\]\n", done.stdout, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def _iops(text: str) -> float:
    job = json.loads(text[text.index("{") : text.rindex("}") + 1])["jobs"][0]
    return float(job["read"]["iops"])


def test_volumes_are_devices_of_the_kernels_nbd_client(said: dict[str, str]) -> None:
    lines = said["served"].splitlines()
    names = [line.split(":")[0] for line in lines]
    assert names == [f"data.{number}" for number in range(5)], said["served"]
    assert all(": /dev/nbd" in line and "(33GiB, RAM, volatile)" in line for line in lines)


def test_lvm_stripes_them(said: dict[str, str]) -> None:
    assert said["layout"].split() == ["5", "4096.00k"]


def test_five_volumes_give_five_times_ones_iops(said: dict[str, str]) -> None:
    one, striped = _iops(said["one"]), _iops(said["striped"])
    assert one == pytest.approx(100, rel=0.05)
    assert striped == pytest.approx(5 * one, rel=0.05)


def test_the_devices_are_free_after_the_end(said: dict[str, str]) -> None:
    assert said["stopped"].split() == ["status", "130", "0"]


def test_what_was_synced_survives_a_kill_of_the_server(said: dict[str, str]) -> None:
    assert said["restarted"].splitlines()[-1] == "intact"


def test_a_mounted_device_does_not_hinder_the_end(said: dict[str, str]) -> None:
    assert "status 130" in said["in use"]
    assert "in use" in said["in use"]
