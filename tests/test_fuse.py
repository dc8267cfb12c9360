"""`blockyard emulate --as fuse=DIR`: disks as files."""

import contextlib
import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import PATIENCE_S, Blockyard, one_line
from serving import serve, served_ios
from undoing import mounted, undone

DISK = "{name: disk, storage: {data: {type: unlimited, size: 64MiB}}}"
SLOW = """\
name: slow
storage:
  data: {type: gp2, size: 33GiB, burst_balance: 0%, tokens: 0%}
"""
NOBODY = 65534

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not os.access("/dev/fuse", os.R_OK | os.W_OK), reason="no FUSE here (/dev/fuse)"
    ),
]
needs_fio = pytest.mark.skipif(not shutil.which("fio"), reason="fio is not installed")
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="takes root")


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """An empty folder to be mounted on."""
    place = tmp_path / "disks"
    place.mkdir()
    with undone("unmount", place):
        yield place


def _fio(file: str, *options: str) -> list[str]:
    command = ["fio", "--name=load", f"--filename={file}", "--direct=1", "--ioengine=libaio"]
    return [*command, "--bs=4k", "--iodepth=16", *options]


@needs_fio
@pytest.mark.parametrize("backing", ["ram", "folder"])
def test_what_fio_writes_it_reads(tmp_path: Path, place: Path, backing: str) -> None:
    (tmp_path / "folder").mkdir()
    backing = str(tmp_path / backing) if backing == "folder" else backing
    options = ["--as", f"fuse={place}", "--backing", backing]
    with serve(DISK, *options, folder=tmp_path) as served:
        file = served.paths["data"]
        assert file == str(place / "data")
        verified = [
            "--rw=randrw",
            "--size=64m",
            "--verify=crc32c",
            "--verify_state_save=0",
            "--fsync=64",
        ]
        subprocess.run(_fio(file, *verified), check=True, capture_output=True)
        assert served.stop() == 130
    assert served.errors == ""
    assert not any(place.iterdir())
    assert not place.is_mount()


@needs_root
def test_a_file_is_its_owners_alone(tmp_path: Path, place: Path) -> None:
    for folder in [place, *place.parents]:
        if folder.stat().st_uid == os.geteuid() and folder != Path("/"):
            folder.chmod(folder.stat().st_mode | 0o011)
    with serve(DISK, "--as", f"fuse={place}", "--backing", "ram", folder=tmp_path) as served:
        command = ["head", "-c", "1", served.paths["data"]]
        assert subprocess.run(command, capture_output=True, check=True).stdout == b"\0"
        other = subprocess.run(
            command, capture_output=True, text=True, user=NOBODY, group=NOBODY, check=False
        )
        assert "Permission denied" in other.stderr


def test_what_empties_a_file_first_writes_it(tmp_path: Path, place: Path) -> None:
    source = tmp_path / "source"
    content = os.urandom(1 << 20)
    source.write_bytes(content)
    with serve(DISK, "--as", f"fuse={place}", "--backing", "ram", folder=tmp_path) as served:
        file = Path(served.paths["data"])
        for command in [
            ["dd", f"if={source}", f"of={file}", "bs=64k"],
            ["cp", str(source), str(file)],
            ["sh", "-c", f"cat {shlex.quote(str(source))} > {shlex.quote(str(file))}"],
        ]:
            with file.open("r+b") as disk:
                disk.write(bytes(2 << 20))
                disk.write(b"behind")
            subprocess.run(command, check=True, capture_output=True)
            assert file.stat().st_size == 64 << 20
            with file.open("rb") as disk:
                assert disk.read(1 << 20) == content
                disk.seek(2 << 20)
                # The command assumes that the file is empty, so nothing may be left in it.
                assert disk.read(6) == bytes(6)


def test_a_sparse_image_is_copied_whole(tmp_path: Path, place: Path) -> None:
    """`cp` skips the holes of a file that it has truncated."""
    image = tmp_path / "image"
    with image.open("wb") as file:
        file.write(b"begin")
        file.seek((4 << 20) - 4096)
        file.write(os.urandom(4096))
    with serve(DISK, "--as", f"fuse={place}", "--backing", "ram", folder=tmp_path) as served:
        disk = Path(served.paths["data"])
        with disk.open("r+b") as old:
            old.write(os.urandom(4 << 20))
        subprocess.run(["cp", image, disk], check=True)
        with disk.open("rb") as copied:
            assert copied.read(4 << 20) == image.read_bytes()


@needs_fio
def test_a_load_in_the_way_is_named_and_ends(
    blockyard: Blockyard, tmp_path: Path, place: Path
) -> None:
    control = tmp_path / "control"
    options = ["--as", f"fuse={os.path.relpath(place)}", "--backing", "ram"]
    with serve(DISK, *options, "--control", str(control), folder=tmp_path) as served:
        command = _fio(str(place / "data"), "--rw=randrw", "--time_based", "--runtime=600")
        load = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        while not served_ios(blockyard, control):
            assert load.poll() is None, "fio is to be at work"
        assert served.stop() == 130
        output, _ = load.communicate(timeout=PATIENCE_S)
    assert load.returncode != 0, output
    assert f"{place}: was in use by fio (process " in served.errors
    assert "; detached all the same" in served.errors
    assert not place.is_mount()
    assert served.result()["status"] == "interrupted"


@needs_fio
def test_a_killed_client_harms_nobody_else(
    blockyard: Blockyard, tmp_path: Path, place: Path
) -> None:
    control = tmp_path / "control"
    options = ["--as", f"fuse={place}", "--backing", "ram", "--control", str(control)]
    with serve(SLOW, *options, folder=tmp_path) as served:
        command = _fio(served.paths["data"], "--rw=randread", "--time_based", "--runtime=600")
        load = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not served_ios(blockyard, control):
            assert load.poll() is None, "fio is to be at work"
        load.kill()
        load.wait(PATIENCE_S)
        with Path(served.paths["data"]).open("rb", buffering=0) as file:
            assert file.read(4096) == bytes(4096)
        assert served.stop() == 130
    assert "Traceback" not in served.errors
    assert "panicked" not in served.errors


def test_what_a_killed_service_leaves_is_named(
    tmp_path: Path, place: Path, blockyard: Blockyard
) -> None:
    with serve(DISK, "--as", f"fuse={place}", "--backing", "ram", folder=tmp_path) as served:
        served.kill()
    try:
        finished = blockyard("emulate", "gp3.yaml", "--as", f"fuse={place}")
        assert finished.returncode == 2
        assert one_line(finished) == (
            f"blockyard: {place}: left mounted by a server that is gone; "
            f"clear it with fusermount3 -u {place}"
        )
    finally:
        subprocess.run(["fusermount3", "-u", place], check=True)
    with serve(DISK, "--as", f"fuse={place}", "--backing", "ram", folder=tmp_path) as again:
        assert Path(again.paths["data"]).stat().st_size == 64 << 20


def test_a_folder_that_cannot_be_mounted_on_is_refused(
    tmp_path: Path, place: Path, blockyard: Blockyard
) -> None:
    scenario = tmp_path / "disk.yaml"
    scenario.write_text(DISK)
    (place / "something").touch()
    for folder, why in [
        (place, "not empty; expected an empty folder"),
        (tmp_path / "none", "No such file or directory"),
        (scenario, "Not a directory"),
    ]:
        finished = blockyard("emulate", scenario, "--as", f"fuse={folder}")
        assert finished.returncode == 2
        assert one_line(finished).startswith(f"blockyard: {folder}: {why}")


def test_a_mount_point_is_refused(blockyard: Blockyard, tmp_path: Path) -> None:
    """Its file system would be unmounted at the end."""
    finished = blockyard("emulate", "gp3.yaml", "--as", "fuse=/proc", "--out", "run")
    assert finished.returncode == 2
    assert one_line(finished) == (
        "blockyard: /proc: a file system is mounted there; "
        "expected an empty folder that is no mount point"
    )
    assert not (tmp_path / "run").exists()


@needs_root
@pytest.mark.parametrize("kind", ["tmpfs", "folder"])
def test_an_empty_mount_point_stays_mounted(
    blockyard: Blockyard, tmp_path: Path, kind: str
) -> None:
    (tmp_path / "folder").mkdir()
    source, options = ("tmpfs", ["-t", "tmpfs"]) if kind == "tmpfs" else ("folder", ["--bind"])
    place = tmp_path / "a place"
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(mounted(tmp_path / source, place, *options))
        except RuntimeError as reason:
            pytest.skip(f"nothing can be mounted here: {reason}")
        finished = blockyard("emulate", "gp3.yaml", "--as", f"fuse={place}", "--for", "100ms")
        mounts = Path("/proc/self/mountinfo").read_text().splitlines()
        assert [mount for mount in mounts if str(tmp_path) in mount.split()[4]]
        assert finished.returncode == 2
        assert one_line(finished) == (
            f"blockyard: {place}: a file system is mounted there; "
            "expected an empty folder that is no mount point"
        )
