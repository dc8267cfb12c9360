"""Clients that disconnect without a message, at every stage: nothing is left of them.

A seed decides which operations they leave unfinished.
"""

import contextlib
import random
import shutil
import socket
import ssl
import struct
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from nbdclient import Client, flags, go, negotiated, option, received, request
from serving import Served, serve
from test_nbd import Authority, needs

pytestmark = pytest.mark.slow

MIB = 1 << 20
READ, WRITE, FLUSH = 0, 1, 3
STARTTLS = 5
# Large reads take time: clients that disconnect leave theirs unfinished.
SLOW = """\
{name: slow, storage: {data: {type: gp3, size: 8GiB, iops: 3000, throughput: 125MiB/s}}}
"""
ROUNDS = 10


def chosen(stranger: socket.socket) -> None:
    """Goes through the handshake."""
    assert negotiated(stranger, "data")[0] == 1


def silent(_stranger: socket.socket, _drawn: random.Random) -> None:
    """Sends nothing."""


def amid_flags(stranger: socket.socket, drawn: random.Random) -> None:
    """Sends part of its first message."""
    stranger.sendall(flags()[: drawn.randint(1, 3)])


def amid_option(stranger: socket.socket, drawn: random.Random) -> None:
    """Begins to choose an export."""
    said = go("data")
    stranger.sendall(flags() + said[: drawn.randint(1, len(said) - 1)])


def unread_choice(stranger: socket.socket, _drawn: random.Random) -> None:
    """Chooses an export and does not read the replies."""
    stranger.sendall(flags() + go("data"))


def many_options(stranger: socket.socket, _drawn: random.Random) -> None:
    """Asks for more than it reads."""
    stranger.sendall(flags() + option(3, b"") * 1000)


def idle(stranger: socket.socket, _drawn: random.Random) -> None:
    """Chooses an export and asks for nothing."""
    chosen(stranger)


def amid_request(stranger: socket.socket, drawn: random.Random) -> None:
    """Begins a request."""
    chosen(stranger)
    stranger.sendall(request(READ, 0, 4096)[: drawn.randint(1, 27)])


def amid_payload(stranger: socket.socket, drawn: random.Random) -> None:
    """Begins a write, short or long."""
    chosen(stranger)
    length = drawn.choice([4096, 300_000, 32 * MIB])
    stranger.sendall(request(WRITE, 0, length) + bytes(drawn.randint(0, 4095)))


def replies_outstanding(stranger: socket.socket, drawn: random.Random) -> None:
    """Asks for more than the model lets through at once."""
    chosen(stranger)
    for _ in range(8):
        stranger.sendall(request(READ, 0, drawn.choice([4096, MIB, 4 * MIB])))
    stranger.sendall(request(FLUSH, 0, 0))


def replies_unread(stranger: socket.socket, _drawn: random.Random) -> None:
    """Reads the beginning of a reply."""
    chosen(stranger)
    stranger.sendall(request(READ, 0, 8 * MIB))
    received(stranger, 100)


WAYS = [
    silent,
    amid_flags,
    amid_option,
    unread_choice,
    many_options,
    idle,
    amid_request,
    amid_payload,
    replies_outstanding,
    replies_unread,
]


def reset(stranger: socket.socket) -> None:
    """End a connection like a machine that has forgotten it."""
    stranger.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    stranger.close()


def half_closed(stranger: socket.socket) -> None:
    """Shut down the sending side first, then disconnect."""
    with contextlib.suppress(OSError):
        stranger.shutdown(socket.SHUT_WR)
    stranger.close()


def held(served: Served) -> tuple[int, int]:
    """Threads and files of the service."""
    place = Path(f"/proc/{served.process.pid}")
    return len(list((place / "task").iterdir())), len(list((place / "fd").iterdir()))


def assert_nothing_is_left(served: Served, before: tuple[int, int]) -> None:
    """The service takes a moment to notice that they have gone."""
    patience = time.monotonic() + 60
    while any(now > then for now, then in zip(held(served), before, strict=True)):
        assert time.monotonic() < patience, f"{held(served)}, before {before}"
        time.sleep(0.01)


@contextlib.contextmanager
def reachable(tmp_path: Path, address: str, *options: str) -> Iterator[tuple[Served, str]]:
    """The service, and the address at which it can be reached."""
    with serve(SLOW, "--as", f"nbd={address}", *options, folder=tmp_path) as served:
        uri = served.paths["data"]
        yield served, uri.rsplit("/", 1)[0].removeprefix("nbds://").removeprefix("nbd://")


def dialled(place: str) -> socket.socket:
    """A connection to HOST:PORT."""
    host, port = place.rsplit(":", 1)
    connection = socket.create_connection((host, int(port)), timeout=60)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def test_clients_that_abort_leave_nothing_behind(tmp_path: Path) -> None:
    drawn = random.Random(11)
    with reachable(tmp_path, "localhost:0") as (served, place):
        before = held(served)
        for _ in range(ROUNDS):
            for way in WAYS:
                stranger = dialled(place)
                way(stranger, drawn)
                drawn.choice([socket.socket.close, reset, half_closed])(stranger)
        assert_nothing_is_left(served, before)
        with contextlib.closing(dialled(place)) as client:
            chosen(client)
            client.sendall(request(READ, 0, 4096))
            assert not any(received(client, 16 + 4096)[4:8])
        assert served.stop() == 130
        assert served.result()["status"] == "interrupted"


def test_a_unix_socket_is_no_different(tmp_path: Path) -> None:
    drawn = random.Random(12)
    path = str(tmp_path / "nbd")
    with serve(SLOW, "--as", f"nbd={path}", folder=tmp_path) as served:
        before = held(served)
        for way in WAYS:
            stranger = socket.socket(socket.AF_UNIX)
            stranger.connect(path)
            way(stranger, drawn)
            drawn.choice([socket.socket.close, half_closed])(stranger)
        assert_nothing_is_left(served, before)
        client = Client(path, "data")
        client.write(0, b"x" * 512)
        assert client.read(0, 512) == b"x" * 512
        client.close()


def encrypted(place: str, client: Path) -> ssl.SSLSocket:
    """A connection that has begun TLS."""
    connection = dialled(place)
    received(connection, 18)
    connection.sendall(flags() + option(STARTTLS, b""))
    received(connection, 20)
    context = ssl.create_default_context(cafile=str(client / "ca-cert.pem"))
    context.load_cert_chain(client / "client-cert.pem", client / "client-key.pem")
    return context.wrap_socket(connection, server_hostname="localhost")


@needs("openssl")
def test_nor_do_those_who_abort_amid_tls(tmp_path: Path) -> None:
    authority = Authority(tmp_path, "known")
    for folder, role in (("server", "server"), ("client", "client")):
        authority.sign(tmp_path / folder, role)
        shutil.copy(authority.certificate, tmp_path / folder / "ca-cert.pem")
    tls = ["--tls-certificates", str(tmp_path / "server")]
    with reachable(tmp_path, "localhost:0", *tls) as (served, place):
        before = held(served)
        for said in (b"", b"\x16\x03\x01", b"\x16\x03\x01\x00\x10" + bytes(16), b"GET / HTTP/1.0"):
            stranger = dialled(place)
            received(stranger, 18)
            stranger.sendall(flags() + option(STARTTLS, b""))
            received(stranger, 20)
            stranger.sendall(said)
            reset(stranger)
        for asked in (b"", go("data")[:9], go("data"), go("data") + request(READ, 0, 8 * MIB)):
            stranger = encrypted(place, tmp_path / "client")
            stranger.sendall(asked)
            reset(stranger)
        assert_nothing_is_left(served, before)
        with encrypted(place, tmp_path / "client") as client:
            client.sendall(go("data") + request(READ, 0, 4096))
            assert received(client, 20)[:8] == (0x3E889045565A9).to_bytes(8, "big")
        served.stop()
        assert served.result()["status"] == "interrupted"
