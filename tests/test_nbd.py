"""The NBD front end, with the clients that people use."""

import contextlib
import json
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import Blockyard, one_line
from serving import Served, serve

pytestmark = pytest.mark.slow

SCENARIO = """\
name: two
storage:
  data: {type: unlimited, size: 1GiB}
  wij: {type: unlimited, size: 16MiB}
"""
MIB = 1 << 20


def needs(*programs: str) -> pytest.MarkDecorator:
    """Skip a test where one of its clients is missing."""
    missing = [program for program in programs if not shutil.which(program)]
    return pytest.mark.skipif(bool(missing), reason=f"not installed: {', '.join(missing)}")


@pytest.fixture(params=["ram", "files"])
def served(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Served]:
    """Two exports, in memory and in files."""
    folder = tmp_path / "backing"
    folder.mkdir()
    backing = "ram" if request.param == "ram" else str(folder)
    options = ["--as", f"nbd={tmp_path / 'nbd'}", "--backing", backing]
    with serve(SCENARIO, *options, folder=tmp_path, devices=2) as served:
        yield served


def run(*command: str | Path) -> str:
    """The output of a client, which must succeed."""
    finished = tried(*command)
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


def tried(*command: str | Path) -> subprocess.CompletedProcess[str]:
    """A client that may fail."""
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def image(path: Path) -> Path:
    """16 MiB, of which the beginning is random and the rest is a hole."""
    with path.open("wb") as file:
        file.write(os.urandom(3 * MIB))
        file.truncate(16 * MIB)
    return path


@needs("nbdinfo")
def test_nbdinfo_tells_what_the_exports_can(served: Served) -> None:
    uri = served.paths["data"]
    listed = json.loads(run("nbdinfo", "--list", "--json", uri))
    exports = {export["export-name"]: export for export in listed["exports"]}
    assert list(exports) == ["data", "wij"]
    data = exports["data"]
    assert data["export-size"] == 1 << 30
    assert data["contexts"] == ["base:allocation"]
    able = {"can_flush", "can_fua", "can_trim", "can_zero", "can_multi_conn", "can_df"}
    assert all(data[ability] for ability in able)
    assert not data["is_read_only"]
    limits = [data[f"block_size_{limit}"] for limit in ("minimum", "preferred", "maximum")]
    assert limits == [1, 4096, 32 * MIB]


@needs("nbdcopy", "nbdinfo")
def test_nbdcopy_brings_back_what_it_took(served: Served, tmp_path: Path) -> None:
    taken = image(tmp_path / "taken")
    uri = served.paths["wij"]
    run("nbdcopy", taken, uri)
    run("nbdcopy", uri, tmp_path / "brought")
    assert (tmp_path / "brought").read_bytes() == taken.read_bytes()
    extents = json.loads(run("nbdinfo", "--map", "--json", uri))
    assert sum(extent["length"] for extent in extents) == 16 * MIB
    assert extents[0]["type"] == 0
    assert extents[-1]["description"] == "hole,zero"


@needs("qemu-img")
def test_qemu_img_converts_compares_and_benches(served: Served, tmp_path: Path) -> None:
    taken = image(tmp_path / "taken")
    uri = served.paths["wij"]
    assert "16 MiB" in run("qemu-img", "info", uri)
    run("qemu-img", "convert", "-n", "-f", "raw", "-O", "raw", taken, uri)
    run("qemu-img", "compare", "-f", "raw", "-F", "raw", taken, uri)
    bench = ["qemu-img", "bench", "-f", "raw", "-c", "2000", "-d", "16"]
    run(*bench, uri)
    run(*bench, "-w", "--flush-interval=64", uri)


@needs("fio")
def test_fio_verifies_what_it_wrote(served: Served) -> None:
    run(
        *["fio", "--name=verify", "--ioengine=nbd", f"--uri={served.paths['data']}"],
        *["--rw=randwrite", "--bsrange=512-1M", "--iodepth=32", "--size=64m", "--fsync=100"],
        *["--verify=crc32c", "--verify_state_save=0", "--verify_fatal=1", "--do_verify=1"],
    )


SHELL = """\
h.pwrite(b"x" * 4096, 0, nbd.CMD_FLAG_FUA)
h.pwrite(b"y" * 4096, 4096)
h.flush()
h.zero(2048, 0, nbd.CMD_FLAG_NO_HOLE)
h.trim(4096, 4096)
assert h.pread(4096, 0) == bytes(2048) + b"x" * 2048
h.set_strict_mode(0)
size = h.get_size()

def refused(call, *arguments):
    try:
        call(*arguments)
    except nbd.Error as error:
        return error.errnum
    return 0

print(
    refused(h.pread, 512, size),
    refused(h.pread, 33 << 20, 0),
    refused(h.pwrite, b"x", size),
    refused(h.zero, 1, size),
    refused(h.trim, 1, size),
    refused(h.cache, 1, 0),
    refused(h.flush, 1 << 9),
)
assert len(h.pread(32 << 20, 0)) == 32 << 20
"""

# The Python for which Debian's bindings of libnbd are built.
PYTHON = Path("/usr/bin/python3")


def test_nbdsh_gets_errors_and_goes_on(served: Served) -> None:
    if not PYTHON.exists() or tried(PYTHON, "-c", "import nbd").returncode:
        pytest.skip("not installed: python3-libnbd")
    printed = run(PYTHON, "-m", "nbd", "-u", served.paths["data"], "-c", SHELL)
    assert printed.split() == ["22", "22", "28", "28", "22", "22", "22"]


@needs("nbdinfo")
def test_garbage_and_half_requests_harm_no_one_else(served: Served, tmp_path: Path) -> None:
    with contextlib.ExitStack() as stack:
        for said in (b"", b"\0\0\0\3IHAVEOPT\0\0\0\7", b"\xff" * 1000):
            stranger = stack.enter_context(socket.socket(socket.AF_UNIX))
            stranger.settimeout(60)
            stranger.connect(str(tmp_path / "nbd"))
            stranger.sendall(said)
        assert run("nbdinfo", "--size", served.paths["data"]).strip() == str(1 << 30)
        # The last one gets the greeting, and is disconnected.
        assert len(stranger.recv(100)) == 18
        assert stranger.recv(100) == b""


def test_an_address_that_cannot_be_had_is_one_line(blockyard: Blockyard, tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("precious")
    for address, why in (
        (tmp_path / "precious", "a file that is no socket is there"),
        ("0.0.0.0:0", "which needs TLS certificates"),
        ("localhost:99999", "expected PATH or HOST:PORT with a port from 0 to 65535"),
        (tmp_path / "nowhere" / "nbd", "No such file or directory"),
    ):
        refused = blockyard("emulate", "gp3.yaml", "--as", f"nbd={address}")
        assert why in one_line(refused)
        assert refused.returncode == 2
    assert (tmp_path / "precious").read_text() == "precious"


def test_certificates_that_are_none_are_one_line(blockyard: Blockyard, tmp_path: Path) -> None:
    command = ["emulate", "gp3.yaml", "--as", "nbd=localhost:0", "--tls-certificates", tmp_path]
    certificate = tmp_path / "server-cert.pem"
    missing = f"blockyard: {certificate}: No such file or directory"
    assert one_line(blockyard(*command)).startswith(missing)
    certificate.write_text("certainly")
    assert one_line(blockyard(*command)) == f"blockyard: {certificate}: no certificate in it"


@needs("nbdinfo")
def test_a_port_is_chosen(tmp_path: Path) -> None:
    with serve(SCENARIO, "--as", "nbd=localhost:0", folder=tmp_path, devices=2) as served:
        uri = served.paths["wij"]
        assert uri.startswith("nbd://localhost:")
        assert run("nbdinfo", "--size", uri).strip() == str(16 * MIB)


class Authority:
    """Signs certificates."""

    def __init__(self, folder: Path, name: str) -> None:
        self.certificate = folder / f"{name}.pem"
        self.key = folder / f"{name}-key.pem"
        self._issue(self.key, self.certificate, name, "basicConstraints=critical,CA:TRUE")

    def sign(self, folder: Path, role: str) -> None:
        """Put a certificate for localhost, with its key, in a folder."""
        folder.mkdir(exist_ok=True)
        key, certificate = (folder / f"{role}-{part}.pem" for part in ("key", "cert"))
        usage = f"extendedKeyUsage={role}Auth"
        signed = ["-CA", str(self.certificate), "-CAkey", str(self.key)]
        self._issue(key, certificate, "localhost", "basicConstraints=CA:FALSE", usage, *signed)

    @staticmethod
    def _issue(key: Path, certificate: Path, name: str, *more: str) -> None:
        extensions = ["subjectAltName=DNS:localhost", *(text for text in more if "=" in text)]
        options = [text for text in more if "=" not in text]
        run(
            *["openssl", "req", "-x509", "-nodes", "-days", "2", "-subj", f"/CN={name}"],
            *["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"],
            *["-keyout", str(key), "-out", str(certificate), *options],
            *(word for text in extensions for word in ("-addext", text)),
        )


@needs("nbdinfo", "nbdcopy", "openssl")
def test_tls_lets_in_only_whom_the_authority_signed(tmp_path: Path) -> None:
    known, unknown = Authority(tmp_path, "known"), Authority(tmp_path, "unknown")
    known.sign(tmp_path / "server", "server")
    known.sign(tmp_path / "client", "client")
    unknown.sign(tmp_path / "stranger", "client")
    for folder in ("server", "client", "stranger"):
        shutil.copy(known.certificate, tmp_path / folder / "ca-cert.pem")
    options = ["--as", "nbd=localhost:0", "--tls-certificates", str(tmp_path / "server")]
    with serve(SCENARIO, *options, folder=tmp_path, devices=2) as served:
        uri = served.paths["wij"]
        assert uri.startswith("nbds://localhost:")
        trusted = f"{uri}?tls-certificates={tmp_path / 'client'}"
        run("nbdcopy", image(tmp_path / "taken"), trusted)
        run("nbdcopy", trusted, tmp_path / "brought")
        assert (tmp_path / "brought").read_bytes() == (tmp_path / "taken").read_bytes()
        refused = tried("nbdinfo", "--size", f"{uri}?tls-certificates={tmp_path / 'stranger'}")
        assert refused.returncode
        assert "TLS" in refused.stderr
        plain = tried("nbdinfo", "--size", uri.replace("nbds:", "nbd:"))
        assert "server requires TLS" in plain.stderr
