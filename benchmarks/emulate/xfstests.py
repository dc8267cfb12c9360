"""The same tests of xfstests on an emulated block device and on a plain loop device.

    .venv/bin/python benchmarks/emulate/xfstests.py CHECKOUT [-g GROUP | TEST …]

CHECKOUT is a built xfstests; nothing is fetched. The verdicts are to be alike: exit status 1
if they are not. Needs root, loop devices and xfsprogs, and takes as long as xfstests does,
twice: some 40 minutes for the group `quick`.
"""

import argparse
import contextlib
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from common import BLOCKYARD, serving

# The device with the file system that lasts, and the one that tests make anew.
DEVICES = ("test", "scratch")

# How `check` sums up, and the verdict that it stands for. Later ones hold: it lists as run
# what failed, too.
SUMMARY = (("Ran", "pass"), ("Not run", "not run"), ("Failures", "fail"))


def main() -> int:
    """Run the tests on both, and compare."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("checkout", type=Path, help="a built xfstests")
    parser.add_argument("-g", "--group", default="quick", help="default: %(default)s")
    parser.add_argument("--size", type=int, default=4, metavar="GIB", help="of each device")
    parser.add_argument("--file-system", default="xfs", help="default: %(default)s")
    parser.add_argument("tests", nargs="*", metavar="TEST", help="as generic/001, for a group")
    arguments = parser.parse_intermixed_args()
    if not (arguments.checkout / "check").exists():
        parser.error(f"{arguments.checkout}: no `check` there; expected a built xfstests")
    tests = arguments.tests or ["-g", arguments.group]
    verdicts = {}
    for name, devices in (("block", emulated), ("loop", plain)):
        with (
            tempfile.TemporaryDirectory(prefix="blockyard-xfstests-") as folder,
            devices(Path(folder), arguments.size) as paths,
        ):
            verdicts[name] = check(
                arguments.checkout, Path(folder), paths, arguments.file_system, tests
            )
    return compare(verdicts["block"], verdicts["loop"])


@contextlib.contextmanager
def emulated(folder: Path, size: int) -> Iterator[list[str]]:
    """Block devices that `blockyard emulate` serves."""
    devices = ", ".join(f"{name}: {{type: unlimited, size: {size}GiB}}" for name in DEVICES)
    scenario = folder / "xfstests.yaml"
    scenario.write_text(f"{{name: xfstests, storage: {{{devices}}}}}")
    (folder / "backing").mkdir()
    command = [str(BLOCKYARD), "emulate", str(scenario), "--as", "block"]
    command += ["--backing", str(folder / "backing"), "--out", str(folder / "run")]
    with serving(command, str(folder)) as server:
        lines = [server.stdout.readline() if server.stdout else "" for _ in DEVICES]
        if not all(lines):
            raise RuntimeError(f"blockyard emulate did not start: {lines}")
        yield [line.split()[1] for line in lines]


@contextlib.contextmanager
def plain(folder: Path, size: int) -> Iterator[list[str]]:
    """Loop devices over files."""
    with contextlib.ExitStack() as stack:
        paths = []
        for name in DEVICES:
            image = folder / f"{name}.img"
            with image.open("wb") as file:
                file.truncate(size << 30)
            options = ["--find", "--show", "--direct-io=on", "--sector-size=512"]
            paths.append(_output("losetup", *options, str(image)).strip())
            stack.callback(_output, "losetup", "--detach", paths[-1])
        yield paths


def check(
    checkout: Path, folder: Path, devices: list[str], file_system: str, tests: list[str]
) -> dict[str, str]:
    """Run tests on two devices; the verdict on each."""
    places = [folder / f"on-{name}" for name in DEVICES]
    for place in places:
        place.mkdir()
    force = ["-F"] if file_system.startswith("ext") else ["-f"]
    _output(f"mkfs.{file_system}", *force, devices[0])
    settings = {
        "FSTYP": file_system,
        "TEST_DEV": devices[0],
        "TEST_DIR": str(places[0]),
        "SCRATCH_DEV": devices[1],
        "SCRATCH_MNT": str(places[1]),
        "RESULT_BASE": str(folder / "results"),
    }
    config = folder / "config"
    config.write_text("".join(f"export {key}={value}\n" for key, value in settings.items()))
    environment = os.environ | {"HOST_OPTIONS": str(config)}
    said = []
    with subprocess.Popen(  # noqa: S603 - the tests that were asked for
        ["./check", *tests], cwd=checkout, env=environment, stdout=subprocess.PIPE, text=True
    ) as run:
        for line in run.stdout or ():
            sys.stderr.write(line)
            said.append(line)
    for place in filter(os.path.ismount, places):
        _output("umount", str(place))
    verdicts = {}
    for heading, verdict in SUMMARY:
        lines = [line for line in said if line.startswith(f"{heading}:")]
        for test in re.findall(r"\w+/\d+", "".join(lines)):
            verdicts[test] = verdict
    return verdicts


def _output(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    return done.stdout


def compare(ours: dict[str, str], theirs: dict[str, str]) -> int:
    """Print how the verdicts agree; 1 if they do not, or there are none."""
    pairs = {
        test: (ours.get(test, "missing"), theirs.get(test, "missing"))
        for test in sorted({*ours, *theirs})
    }
    print("| block | loop | tests |")
    print("| --- | --- | --- |")
    for (one, other), number in sorted(Counter(pairs.values()).items()):
        print(f"| {one} | {other} | {number} |")
    unlike = [test for test, (one, other) in pairs.items() if one != other]
    if unlike:
        print(f"different: {', '.join(unlike)}")
    return 1 if unlike or not pairs else 0


if __name__ == "__main__":
    sys.exit(main())
