"""What the tests do in the machine, all in one start of it: that takes longer than most."""

import re
import shlex
import shutil
import sys
from pathlib import Path

import blockyard
import machine

FOLDER = Path(__file__).parent

#: In this order: the last leaves the machine in a state that nothing else gets along with.
SCRIPTS = ("serving", "migrating", "observing", "refusing")

#: What they call.
TOOLS = (
    "dmsetup",
    "drbdsetup",
    "fio",
    "lvcreate",
    "mdadm",
    "mkfs.btrfs",
    "mkfs.xfs",
    "rsync",
    "sfdisk",
    "tc",
)

DISKS = [*["256M"] * 13, *["1G"] * 3]

Said = dict[str, str]

# A part of what a script says begins with its name in brackets.
_PART = re.compile(r"^\[([a-z -]+)\]\n", re.MULTILINE)


def carry_out() -> dict[str, Said]:
    """What each part of each script said, by their names.

    Raises UnavailableError where there can be no machine.
    """
    for tool in TOOLS:
        if shutil.which(tool, path="/usr/sbin:/usr/bin:/sbin:/bin") is None:
            raise machine.UnavailableError(f"{tool} is missing; scripts/peers.sh installs it")
    steps = [
        f"machine={shlex.quote(str(FOLDER))}",
        "mkdir /tmp/bin /run/loaded",
        "cp $machine/ask.sh /tmp/bin/blockyard",
        "chmod +x /tmp/bin/blockyard",
        "PATH=/tmp/bin:$PATH",
        "mkfifo /run/loaded/asked",
        f"PYTHONPATH=$machine/.. {shlex.quote(sys.executable)} $machine/loaded.py /run/loaded &",
        f"migrate={shlex.quote(_migration())}",
        "moved=/dev/vdo onto=/dev/vdp",
        f"provision={shlex.quote(_provision())}",
    ]
    for name in SCRIPTS:
        steps += [f"echo '== {name}'", f". {shlex.quote(str(FOLDER / name))}.sh"]
    done = machine.run("\n".join(steps), disks=DISKS, timeout=1200)
    _, *said = re.split(r"^== (\w+)\n", done.stdout, flags=re.MULTILINE)
    if re.search("^failed: ", done.stdout, flags=re.MULTILINE) or said[::2] != list(SCRIPTS):
        raise RuntimeError(done.stdout + done.stderr)
    return {name: _parts(text) for name, text in zip(said[::2], said[1::2], strict=True)}


def _provision() -> str:
    """The script for the layout, which with `--quick` reads a few places of a volume.

    It has 560, and for each it starts programs, which takes most of the machine's time.
    `test_provision_devices.py` has all of them read.
    """
    script = blockyard.provision(FOLDER / "layout.yaml", "lvm")
    for all_of_them, few in [
        ("number < 512", "number < 2"),
        ('in 0 32256 "$mib"', "in 0"),
        ("in 8 32 64 128 384 1024 4096 16384 262144 1048576;", "in 32;"),
        ("number in 1 2 3;", "number in 2;"),
    ]:
        assert all_of_them in script, "the script has other places"
        script = script.replace(all_of_them, few)
    return script


def _migration() -> str:
    return blockyard.provision(FOLDER / "new.yaml", "migration", old=FOLDER / "old.yaml")


def _parts(text: str) -> Said:
    _, *parts = _PART.split(text)
    return {name: said.strip() for name, said in zip(parts[::2], parts[1::2], strict=True)}
