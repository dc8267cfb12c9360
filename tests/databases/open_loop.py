"""A client that inserts numbered rows at a rate, and notes when each was acknowledged."""

import asyncio
import contextlib
import random
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from databases.programs import resolved
from databases.witness import Database

# However busy the machine is.
PATIENCE_S = 120

# A row that no load has.
LAST = 1_000_000_000

# Rows that are acknowledged before a load counts as under way.
UNDER_WAY = 100


@dataclass(frozen=True)
class Outcome:
    """What clients saw of the loss of a server."""

    acknowledged: int
    #: Of these rows, those that the server that goes on does not have.
    lost: int
    #: From the last commit before to the first one after.
    outage_s: float


class Connection:
    """A program that takes statements on its standard input and prints rows."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def insert(self, row: int) -> bool:
        """Insert a row; whether that was acknowledged. Raises ConnectionError at its end."""
        assert self._process.stdin
        assert self._process.stdout
        statement = f"insert into noted values ({row}) returning id;\n"  # noqa: S608
        self._process.stdin.write(statement.encode())
        await self._process.stdin.drain()
        while said := (await self._process.stdout.readline()).decode():
            if said == f"{row}\n":
                return True
            if "ERROR" in said:
                return False
        raise ConnectionError("the client's program ended")

    async def inserted(self, row: int) -> float:
        """Insert a row, again and again while it is refused; when it was acknowledged."""
        async with asyncio.timeout(PATIENCE_S):
            while not await self.insert(row):
                await asyncio.sleep(0.01)
        return time.monotonic()


@contextlib.asynccontextmanager
async def connection(command: Sequence[str | Path]) -> AsyncIterator[Connection]:
    """The program of `command`, which is killed at the end."""
    process = await asyncio.create_subprocess_exec(
        *resolved(command),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        yield Connection(process)
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


class OpenLoop:
    """Rows that become due at random times, `rate` a second, from connections that take turns."""

    def __init__(self, rate: float, seed: str) -> None:
        #: When each row was acknowledged.
        self.acknowledged: dict[int, float] = {}
        #: When each row became due.
        self.due: dict[int, float] = {}
        self._rate = rate
        self._random = random.Random(seed)
        self._due: asyncio.Queue[int] = asyncio.Queue()
        self._is_lost = False

    def lose(self) -> float:
        """From now on nothing is heard of its server; when that is."""
        self._is_lost = True
        return time.monotonic()

    def missing(self, database: Database) -> set[int]:
        """The acknowledged rows that a database does not have."""
        present = database.query("select id from noted")
        return self.acknowledged.keys() - set(map(int, present.split()))

    async def some_time(self) -> None:
        """Wait until it is under way, and then a random part of a second."""
        await self.until(lambda: len(self.acknowledged) >= UNDER_WAY)
        await asyncio.sleep(self._random.random())

    async def until(self, is_reached: Callable[[], bool]) -> None:
        """Wait for something. Raises TimeoutError if it does not come."""
        async with asyncio.timeout(PATIENCE_S):
            while not is_reached():
                await asyncio.sleep(0.02)

    async def draw(self) -> None:
        """Have rows become due."""
        due, row = time.monotonic(), 0
        while not self._is_lost:
            due += self._random.expovariate(self._rate)
            await asyncio.sleep(due - time.monotonic())
            row += 1
            self.due[row] = due
            self._due.put_nowait(row)

    async def insert(self, connection: Connection) -> None:
        """Insert the rows that nobody else does."""
        with contextlib.suppress(ConnectionError):
            while True:
                row = await self._due.get()
                if await connection.insert(row) and not self._is_lost:
                    self.acknowledged[row] = time.monotonic()


@contextlib.asynccontextmanager
async def open_loop(
    command: Sequence[str | Path], connections: int, rate: float, seed: str
) -> AsyncIterator[OpenLoop]:
    """A load of single rows over so many connections, each of which has had one before."""
    async with contextlib.AsyncExitStack() as ends:
        opened = [await ends.enter_async_context(connection(command)) for _ in range(connections)]
        await asyncio.gather(*(one.insert(-number) for number, one in enumerate(opened)))
        load = OpenLoop(rate, seed)
        tasks = [asyncio.create_task(load.insert(one)) for one in opened]
        tasks.append(asyncio.create_task(load.draw()))
        try:
            yield load
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
