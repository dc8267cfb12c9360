"""`blockyard provision --format migration`: the steps, their durations, and what the script does.

What it does to LVM and XFS is tested in the test machine (`test_machine.py`).
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

import blockyard
from blockyard import ScenarioError
from conftest import ROOT, Blockyard, one_line
from provisioned import Json
from test_provision import TOOLS, stripe

AWS = ROOT / "tests/machine/aws.sh"

GP3 = {"type": "gp3", "size": "1TiB", "iops": 6000, "throughput": "250MiB/s"}


def layout(device: Json, **more: Json) -> dict[str, Json]:
    """A scenario with one device."""
    host = {"instance": "r6i.8xlarge"}
    return {"name": "s", "host": host, "storage": {"d": device}, **more}


def text_of(old: Json, new: Json, **options: Json) -> str:
    """The script from one device to another."""
    return blockyard.provision(layout(new), "migration", old=layout(old), **options)


def calls_of(old: Json, new: Json) -> list[str]:
    """The functions that it calls."""
    text = text_of(old, new)
    steps = text.partition("steps() {\n")[2].partition("\n}\n")[0].splitlines()
    here, *calls = (line.strip() for line in steps)
    assert here.startswith("here d")
    return calls


def steps_of(old: Json, new: Json) -> list[str]:
    """The steps in words, as its head lists them."""
    lines = text_of(old, new).partition("\n\n")[0].splitlines()
    joined = " ".join(line.removeprefix("#").strip() for line in lines)
    return joined.split("See --help.")[1].strip().split(" Volumes are used")[0].split(". ")


ST = {"type": "standard", "size": "500GiB"}
LARGER = {**GP3, "size": "2TiB"}


@pytest.mark.parametrize(
    ("old", "new", "calls"),
    [
        (
            {"type": "gp2", "size": "1TiB"},
            GP3,
            ["modify d gp2 1024 - - gp3 1024 6000 250"],
        ),
        (
            GP3,
            LARGER,
            [
                "modify d gp3 1024 6000 250 gp3 2048 6000 250",
                "grow d 0 1 d",
                "grow_file_system d",
            ],
        ),
        # A volume that keeps its place keeps its name in AWS.
        (
            GP3,
            {"linear": [GP3, LARGER]},
            [
                "create d.1 gp3 2048 6000 250 d",
                "join d new/d.1",
                "append d 0 1 new/d.1",
                "grow_file_system d",
            ],
        ),
        (
            stripe("64KiB", 2, GP3),
            {"linear": [stripe("64KiB", 2, GP3), stripe("1MiB", 2, GP3)]},
            [
                "create d.1.0 gp3 1024 6000 250 d",
                "create d.1.1 gp3 1024 6000 250 d",
                "join d new/d.1.0 new/d.1.1",
                "append d 1m 2 new/d.1.0 new/d.1.1",
                "grow_file_system d",
            ],
        ),
        (
            stripe("64KiB", 2, GP3),
            stripe("64KiB", 2, LARGER),
            [
                "modify d.0 gp3 1024 6000 250 gp3 2048 6000 250",
                "modify d.1 gp3 1024 6000 250 gp3 2048 6000 250",
                "grow d 64k 2 d.0 d.1",
                "grow_file_system d",
            ],
        ),
        # EBS modifies no magnetic volume.
        (
            ST,
            {"type": "gp3", "size": "600GiB"},
            [
                "create d gp3 600 3000 125 d",
                "join d new/d",
                "move d d new/d",
                "detach d",
                "grow d 0 1 new/d",
                "grow_file_system d",
            ],
        ),
        # Another width, other chunks and a smaller volume need a copy.
        (
            stripe("64KiB", 2, GP3),
            stripe("64KiB", 3, GP3),
            [
                *(f"create d.{number} gp3 1024 6000 250 d" for number in range(3)),
                "restripe d 64k 3 4m '-d su=64k,sw=3' new/d.0 new/d.1 new/d.2",
                "retire d d.0 d.1",
            ],
        ),
        (
            stripe("64KiB", 2, GP3),
            stripe("8MiB", 2, GP3),
            [
                *(f"create d.{number} gp3 1024 6000 250 d" for number in range(2)),
                "restripe d 8m 2 8m '-d su=8m,sw=2 -l su=32k' new/d.0 new/d.1",
                "retire d d.0 d.1",
            ],
        ),
        (
            LARGER,
            GP3,
            [
                "create d gp3 1024 6000 250 d",
                "restripe d 0 1 4m '' new/d",
                "retire d d",
            ],
        ),
    ],
)
def test_each_change_has_its_steps(old: Json, new: Json, calls: list[str]) -> None:
    assert calls_of(old, new) == calls


def test_a_modification_takes_six_hours_for_a_tebibyte() -> None:
    (modified, *_) = steps_of({"type": "gp2", "size": "1TiB"}, GP3)[1:]
    assert modified.startswith(
        "d: modify d, from gp2 of 1024 GiB to gp3 of 1024 GiB, 6,000 IOPS, 250 MiB/s; optimised, "
        "about 6 h"
    )
    larger = " ".join(steps_of(stripe("64KiB", 2, GP3), stripe("64KiB", 2, LARGER)))
    # Volumes are optimised beside each other.
    assert "d: modify 2 volumes, d.0 to d.1, from gp3 of 1024 GiB" in larger
    assert "optimised, about 12 h" in larger


def test_a_copy_takes_as_long_as_the_slower_side() -> None:
    # 2 TiB at 2 x 125 MiB/s, then at 3 x 250 MiB/s beside 2 x 250.
    slow = {"type": "gp3", "size": "1TiB"}
    for old, seconds in ((slow, 2 * 2**20 / 250), (GP3, 2 * 2**20 / 500)):
        said = " ".join(steps_of(stripe("64KiB", 2, old), stripe("64KiB", 3, GP3)))
        minutes = round(seconds / 60)
        assert f"about {minutes // 60} h {minutes % 60} min with the database stopped" in said
        assert "pvmove would keep the old stripes" in said


def test_the_instance_may_be_what_is_slowest() -> None:
    # 10 x 1,000 MiB/s; an r6i.8xlarge has 1,250 MB/s, for reads and writes together.
    fast = {"type": "gp3", "size": "100GiB", "iops": 4000, "throughput": "1000MiB/s"}
    said = " ".join(steps_of(stripe("64KiB", 10, fast), stripe("1MiB", 10, fast)))
    minutes = round(1000 * 2**30 / (1.25e9 / 2) / 60)
    assert f"about {minutes} min with the database stopped" in said


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (GP3, GP3, "storage: nothing to change: the volumes of scenario are the same"),
        (
            stripe("64KiB", 15, ONE := {"type": "gp3", "size": "1GiB"}),
            stripe("64KiB", 14, ONE),
            "storage: 29 volumes at once while they are changed; r6i.8xlarge takes 26 beside",
        ),
        (
            stripe("64KiB", 2, ONE),
            {"linear": [ONE, ONE]},
            "storage.d: segments one after another in place of others; expected one stripe",
        ),
        (GP3, {"type": "unlimited", "size": "1TiB"}, "storage.d: `unlimited` is only for tests"),
        (
            GP3,
            stripe("64KiB", 28, ONE),
            "storage: 28 volumes on host; r6i.8xlarge takes 26 beside its root volume",
        ),
    ],
)
def test_what_cannot_be_changed_is_refused(old: Json, new: Json, reason: str) -> None:
    with pytest.raises(ScenarioError) as refused:
        text_of(old, new)
    assert reason in str(refused.value)
    assert "\n" not in str(refused.value)


def test_disks_of_the_instance_stay() -> None:
    def of(width: int) -> dict[str, Json]:
        disk = {"type": "instance-store"}
        device = {"stripe": {"chunk": "64KiB", "width": width}, "of": disk}
        return {"name": "s", "host": {"instance": "i4i.16xlarge"}, "storage": {"d": device}}

    with pytest.raises(ScenarioError, match="disks of an instance change only with the instance"):
        blockyard.provision(of(4), "migration", old=of(2))


def test_other_formats_begin_with_nothing(tmp_path: Path) -> None:
    del tmp_path
    for form, old, reason in (
        ("lvm", layout(GP3), "from: lvm has none"),
        ("migration", None, "from: migration begins with an old layout"),
    ):
        with pytest.raises(ScenarioError, match=reason):
            blockyard.provision(layout(GP3), form, old=old)


@pytest.mark.slow
def test_the_command_prints_the_steps(blockyard: Blockyard, tmp_path: Path) -> None:
    old, new, out = (tmp_path / name for name in ("old.yaml", "new.yaml", "migrate.sh"))
    for path, kind in ((old, "gp2"), (new, "gp3")):
        path.write_text(f"{{name: s, storage: {{data: {{type: {kind}, size: 100GiB}}}}}}")
    options = ["--from", old, "--format", "migration", "-o", out]
    said = blockyard("provision", new, *options)
    assert said.returncode == 0, said.stderr
    assert said.stdout.startswith("1. data: modify data, from gp2 of ")
    assert "nothing needs to be stopped" in said.stdout
    assert out.read_text().startswith("#!/usr/bin/env bash\n")
    refused = blockyard("provision", new, "--format", "migration")
    assert "from: migration begins with an old layout" in one_line(refused)
    old.write_text("{name: s, storage: {other: {type: gp2, size: 100GiB}}}")
    refused = blockyard("provision", new, *options[:-1], tmp_path / "no.sh")
    assert "new.yaml: storage: no device of " in one_line(refused)
    assert "old.yaml is here; expected one of other" in one_line(refused)


@pytest.mark.slow
def test_shellcheck_finds_nothing(tmp_path: Path) -> None:
    script = tmp_path / "script"
    new = stripe("64KiB", 3, GP3)
    script.write_text(text_of(stripe("64KiB", 2, GP3), new))
    for command in (["bash", "-n"], [TOOLS / "shellcheck"]):
        files = [script] if command[0] == "bash" else [script, AWS]
        found = subprocess.run([*command, *files], capture_output=True, text=True, check=False)
        assert (found.returncode, found.stdout) == (0, ""), found.stderr


class Account:
    """What stands for AWS, and runs a script beside it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "bin").mkdir()
        shutil.copy(AWS, folder / "bin/aws")
        (folder / "bin/aws").chmod(0o755)
        self.ids = folder / "volumes"

    def volume(self, name: str, number: str, terms: str, instance: str = "i-0a") -> None:
        """A volume: type, GiB, IOPS and MiB/s."""
        with self.ids.open("a") as file:
            file.write(f"{name}=vol-{number}\n")
        self.state(number, terms, instance)

    def state(self, number: str, terms: str, instance: str = "i-0a") -> None:
        """What AWS says of a volume from now on."""
        fields = [*terms.split(), "us-east-1a", instance]
        (self.folder / f"vol-{number}").write_text("\t".join(fields) + "\n")

    def run(self, script: str, *options: str) -> subprocess.CompletedProcess[str]:
        """Run a script."""
        path = self.folder / "script"
        path.write_text(script)
        tools = f"{self.folder / 'bin'}:{os.environ['PATH']}:/usr/sbin:/sbin"
        command = ["bash", str(path), "--volumes", str(self.ids), *options]
        environment = {**os.environ, "PATH": tools, "FAKE_AWS": str(self.folder)}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    def calls(self) -> list[str]:
        """The calls that change something."""
        calls = (self.folder / "calls").read_text().splitlines()
        return [call for call in calls if not call.startswith("ec2 describe")]


@pytest.fixture
def account(tmp_path: Path) -> Account:
    """An account without volumes."""
    if os.geteuid() != 0 or shutil.which("pvmove", path="/usr/sbin:/sbin") is None:
        pytest.skip("the script needs root and LVM")
    return Account(tmp_path)


OLD = stripe("64KiB", 2, {"type": "gp2", "size": "1TiB"})
NEW = stripe("64KiB", 2, GP3)
MODIFY = "ec2 modify-volume --volume-id vol-{} --volume-type gp3 --size 1024 --iops 6000"


@pytest.mark.slow
def test_volumes_are_modified_once(account: Account) -> None:
    script = text_of(OLD, NEW)
    account.volume("d.0", "00", "gp2 1024 3072 None")
    account.volume("d.1", "01", "gp2 1024 3072 None")
    account.volume("elsewhere", "02", "gp2 1024 3072 None", instance="i-0b")
    shown = account.run(script, "--dry-run")
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.count("would run: aws ec2 modify-volume") == 2
    assert account.calls() == []
    done = account.run(script)
    assert done.returncode == 0, done.stderr
    assert account.calls() == [f"{MODIFY.format(it)} --throughput 250" for it in ("00", "01")]
    again = account.run(script)
    assert again.stdout.startswith("Nothing to change: all is as the new layout has it.\n")
    assert len(account.calls()) == 2
    after = account.ids.with_name("volumes.after").read_text()
    assert after == "d.0=vol-00\nd.1=vol-01\n"


@pytest.mark.slow
def test_an_interrupted_run_is_completed(account: Account) -> None:
    account.volume("d.0", "00", "gp3 1024 6000 250")
    account.volume("d.1", "01", "gp2 1024 3072 None")
    done = account.run(text_of(OLD, NEW))
    assert done.returncode == 0, done.stderr
    assert account.calls() == [f"{MODIFY.format('01')} --throughput 250"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("terms", "instance", "reason"),
    [
        (
            "io1 1024 5000 None",
            "i-0a",
            "d.1: vol-01 is io1 1024 5000 None; expected gp2 1024 - -, or gp3 1024 6000 250 if it "
            "is modified already",
        ),
        ("gp2 1024 3072 None", "i-0b", "attached to i-0"),
        ("gp2 900 2700 None", "i-0a", "d.1: vol-01 is gp2 900 2700 None; expected gp2 1024 - -"),
    ],
)
def test_what_is_not_expected_ends_the_run(
    account: Account, terms: str, instance: str, reason: str
) -> None:
    account.volume("d.0", "00", "gp3 1024 6000 250")
    account.volume("d.1", "01", terms, instance)
    refused = account.run(text_of(OLD, NEW))
    assert refused.returncode == 1
    assert reason in refused.stderr
    assert account.calls() == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ids", "options", "reason"),
    [
        ("d.0=vol-00\n", (), "d.1: which volume? Expected a line d.1=vol-... in "),
        ("d.0=/dev/sda\n", (), "`d.0=/dev/sda`; expected VOLUME=vol-..."),
        ("", (), "none of the volumes d.0 d.1 is attached to an instance"),
        ("", ("--force",), "no option --force; see --help"),
    ],
)
def test_what_the_script_is_told_is_checked(
    account: Account, ids: str, options: tuple[str, ...], reason: str
) -> None:
    account.state("00", "gp3 1024 6000 250")
    account.ids.write_text(ids)
    refused = account.run(text_of(OLD, NEW), *options)
    assert refused.returncode == 1
    assert reason in refused.stderr
