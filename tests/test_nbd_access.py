"""Which clients an NBD service admits, and which it refuses."""

import contextlib
import shutil
import socket
import struct
from pathlib import Path

import pytest

from conftest import Blockyard, one_line
from nbdclient import Client, negotiated
from serving import serve
from test_nbd import PYTHON, Authority, needs, tried

pytestmark = pytest.mark.slow

SCENARIO = "{name: one, storage: {data: {type: unlimited, size: 16MiB}}}"
SEATS = 64
FULL = "64 clients are connected, the most that are served at one time"
POLICY = (1 << 31) + 2


def test_of_200_clients_64_are_served_and_the_others_hear_why(tmp_path: Path) -> None:
    path = tmp_path / "nbd"
    with serve(SCENARIO, "--as", f"nbd={path}", folder=tmp_path) as served:
        with contextlib.ExitStack() as stack:
            replies = []
            for _ in range(200):
                stranger = stack.enter_context(socket.socket(socket.AF_UNIX))
                stranger.connect(str(path))
                replies.append(negotiated(stranger, "data"))
            assert [reply for reply, _ in replies[:SEATS]] == [1] * SEATS
            assert set(replies[SEATS:]) == {(POLICY, FULL)}
            assert_libnbd_says_why(served.paths["data"])
        served.stop()
        # However many are refused, one line says so; and only so many of them could stay.
        refused, displaced = served.errors.splitlines()
        full = "blockyard: NBD: 64 clients are connected, the most there may be; refused: "
        assert refused.startswith(full)
        assert displaced.startswith("blockyard: NBD: 64 connections have chosen no export")


def assert_libnbd_says_why(uri: str) -> None:
    """The error names the policy; the server's explanation is among the messages."""
    if not PYTHON.exists() or tried(PYTHON, "-c", "import nbd").returncode:
        return
    refused = tried(PYTHON, "-m", "nbd", "-v", "-u", uri, "-c", "")
    assert refused.returncode
    assert "server policy prevents NBD_OPT_GO" in refused.stderr
    assert FULL in refused.stderr


def test_silent_strangers_keep_nobody_out(tmp_path: Path) -> None:
    path = tmp_path / "nbd"
    with (
        serve(SCENARIO, "--as", f"nbd={path}", folder=tmp_path) as served,
        contextlib.ExitStack() as stack,
    ):
        strangers = []
        for _ in range(100):
            stranger = stack.enter_context(socket.socket(socket.AF_UNIX))
            stranger.settimeout(60)
            stranger.connect(str(path))
            strangers.append(stranger)
        client = Client(str(path), "data")
        client.write(0, b"x" * 4096, fua=True)
        # The oldest were displaced: 100 and the client, where there is room for 64.
        ended = [stranger for stranger in strangers[:37] if has_ended(stranger)]
        assert len(ended) == 37
        assert strangers[37].recv(100, socket.MSG_PEEK)[:8] == b"NBDMAGIC"
        assert client.read(0, 4096) == b"x" * 4096
        client.close()
        served.stop()
        assert "64 connections have chosen no export" in served.errors


def has_ended(stranger: socket.socket) -> bool:
    """Whether the connection ends right after the greeting."""
    with contextlib.suppress(ConnectionError):
        return len(stranger.recv(100)) in (0, 18) and stranger.recv(100) == b""
    return True


def greeted(stranger: socket.socket, stage: int) -> None:
    """Goes through a handshake that asks for TLS up to a stage, and no further."""
    said = struct.pack(">I", 3) + b"IHAVEOPT" + struct.pack(">II", 5, 0)
    if stage > 0:
        stranger.sendall(said)
    if stage > 1:
        # The first bytes of a TLS record that never comes.
        stranger.sendall(b"\x16\x03\x01")


@needs("nbdinfo", "openssl")
def test_strangers_amid_a_tls_handshake_keep_nobody_out(tmp_path: Path) -> None:
    authority = Authority(tmp_path, "known")
    for folder, role in (("server", "server"), ("client", "client")):
        authority.sign(tmp_path / folder, role)
        shutil.copy(authority.certificate, tmp_path / folder / "ca-cert.pem")
    options = ["--as", "nbd=localhost:0", "--tls-certificates", str(tmp_path / "server")]
    with (
        serve(SCENARIO, *options, folder=tmp_path) as served,
        contextlib.ExitStack() as stack,
    ):
        uri = served.paths["data"]
        port = int(uri.rsplit(":", 1)[1].split("/")[0])
        for number in range(100):
            stranger = stack.enter_context(socket.create_connection(("localhost", port)))
            with contextlib.suppress(ConnectionError):
                greeted(stranger, number % 3)
        known = f"{uri}?tls-certificates={tmp_path / 'client'}"
        found = tried("nbdinfo", "--size", known)
        assert found.stdout.strip() == str(16 << 20), found.stderr


@needs("openssl")
def test_tls_without_an_authority_has_to_be_asked_for(blockyard: Blockyard, tmp_path: Path) -> None:
    authority = Authority(tmp_path, "known")
    authority.sign(tmp_path, "server")
    shutil.copy(authority.certificate, tmp_path / "ca.pem")
    command = ["emulate", "gp3.yaml", "--as", "nbd=localhost:0"]
    refused = blockyard(*command, "--tls-certificates", tmp_path)
    assert one_line(refused) == (
        f"blockyard: {tmp_path}/ca-cert.pem: No such file or directory; it says "
        "which clients to let in (--tls-any-client lets in everybody); found ca.pem, expected "
        "ca-cert.pem"
    )
    assert refused.returncode == 2
    alone = one_line(blockyard(*command, "--tls-any-client"))
    assert alone.startswith("blockyard: --tls-any-client: there is no TLS; expected")


@needs("nbdinfo", "openssl")
@pytest.mark.parametrize("certified", [False, True])
def test_any_client_is_let_in_where_that_is_asked_for(tmp_path: Path, certified: bool) -> None:
    authority = Authority(tmp_path, "known")
    authority.sign(tmp_path / "server", "server")
    trusting = tmp_path / "trusting"
    trusting.mkdir()
    if certified:
        Authority(tmp_path, "unknown").sign(trusting, "client")
    shutil.copy(authority.certificate, trusting / "ca-cert.pem")
    tls = ["--tls-certificates", str(tmp_path / "server"), "--tls-any-client"]
    with serve(SCENARIO, "--as", "nbd=localhost:0", *tls, folder=tmp_path) as served:
        found = tried("nbdinfo", "--size", f"{served.paths['data']}?tls-certificates={trusting}")
        assert found.stdout.strip() == str(16 << 20), found.stderr
