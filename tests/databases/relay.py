"""A link between two servers: a socket that passes on what it gets later, until it is cut."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path


class Relay:
    """Passes bytes both ways, each way `delay_s` late.

    Once it is cut it holds its connections and passes nothing on, as a link to a host that is
    gone: what was under way is lost, and no side learns of it.
    """

    def __init__(self, to: Path, delay_s: float) -> None:
        self._to = to
        self._delay_s = delay_s
        self._is_cut = False
        self._writers: list[asyncio.StreamWriter] = []

    def cut(self) -> None:
        """Pass nothing on any more, not even what is under way."""
        self._is_cut = True

    async def connect(
        self, client_reader: asyncio.StreamReader, client_writer: asyncio.StreamWriter
    ) -> None:
        """Serve a client with a connection of its own."""
        server_reader, server_writer = await asyncio.open_unix_connection(self._to)
        self._writers += [client_writer, server_writer]
        await asyncio.gather(
            self._pass(client_reader, server_writer), self._pass(server_reader, client_writer)
        )

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        loop = asyncio.get_running_loop()
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(1 << 16):
                loop.call_later(self._delay_s, self._write, writer, data)
        loop.call_later(self._delay_s, self._close, writer)

    def _write(self, writer: asyncio.StreamWriter, data: bytes) -> None:
        if not self._is_cut and not writer.is_closing():
            writer.write(data)

    def _close(self, writer: asyncio.StreamWriter) -> None:
        if not self._is_cut:
            writer.close()

    def end(self) -> None:
        """Close all connections."""
        for writer in self._writers:
            writer.close()


@contextlib.asynccontextmanager
async def relay(at: Path, to: Path, delay_s: float) -> AsyncIterator[Relay]:
    """A relay that listens on the socket `at` and connects to the socket `to`."""
    link = Relay(to, delay_s)
    server = await asyncio.start_unix_server(link.connect, at)
    at.chmod(0o777)
    try:
        yield link
    finally:
        server.close()
        link.end()
