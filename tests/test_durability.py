"""Acknowledged durable writes survive kill -9 of the server, a hundred times.

Writers on two connections stamp blocks with rising generations. After each kill the test reads
the backing file, and after each restart the device: each block is whole, and has the last
generation that FUA or a flush over either connection made durable, or a later one that was
issued.
"""

import contextlib
import os
import random
import signal
import struct
import sys
import threading
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from conftest import PATIENCE_S
from nbdclient import Client, Gone
from nursery import Nursery

pytestmark = pytest.mark.slow

UNLIMITED = "{name: unlimited, storage: {data: {type: unlimited, size: 16MiB}}}"
BLOCK = 4096
BLOCKS = 64
CONNECTIONS = 2

# Two services at a time, each killed this often.
LANES = 2
KILLS = 50


def stamped(block: int, generation: int) -> bytes:
    """A block's content: its place and generation all over, and a checksum."""
    body = struct.pack("<QQ", block, generation) * (BLOCK // 16 - 1)
    return body + struct.pack("<QQ", generation, zlib.crc32(body))


class Ledger:
    """What was issued, acknowledged and made durable, by block."""

    def __init__(self) -> None:
        self.issued = [0] * BLOCKS
        self.answered = [0] * BLOCKS
        self.durable = [0] * BLOCKS
        # The number of kills after which some writes might or might not be there.
        self.in_doubt = 0
        self._lock = threading.Lock()

    def flushed(self, answered: list[int]) -> None:
        """Count what was acknowledged before a flush as durable."""
        with self._lock:
            self.durable = list(map(max, self.durable, answered))

    def written_through(self, block: int, generation: int) -> None:
        with self._lock:
            self.durable[block] = max(self.durable[block], generation)

    def check(self, content: bytes, where: str) -> None:
        for block in range(BLOCKS):
            found = content[block * BLOCK : (block + 1) * BLOCK]
            _, generation = struct.unpack_from("<QQ", found)
            allowed = range(self.durable[block], self.issued[block] + 1)
            assert generation in allowed, f"{where}, block {block}: {generation}, not in {allowed}"
            expected = stamped(block, generation) if generation else bytes(BLOCK)
            assert found == expected, f"{where}, block {block} is damaged"


def write(client: Client, ledger: Ledger, own: range, dice: random.Random) -> None:
    """Write, flush and write through until the server is gone. The blocks are `own`."""
    try:
        while True:
            if dice.random() < 0.1:
                answered = ledger.answered.copy()
                client.flush()
                ledger.flushed(answered)
                continue
            block = dice.choice(own)
            generation = ledger.issued[block] + 1
            ledger.issued[block] = generation
            fua = dice.random() < 0.1
            client.write(block * BLOCK, stamped(block, generation), fua=fua)
            ledger.answered[block] = generation
            if fua:
                ledger.written_through(block, generation)
    except Gone:
        client.close()


def lane(folder: Path, seed: int) -> Ledger:
    """Serve, write, kill and check, again and again."""
    backing = folder / "backing"
    backing.mkdir(parents=True)
    scenario = folder / "scenario.yaml"
    scenario.write_text(UNLIMITED)
    socket = str(folder / "nbd")
    command = ["emulate", str(scenario), "--as", f"nbd={socket}", "--backing", str(backing)]
    dice = random.Random(seed)
    ledger = Ledger()
    running = 0
    with contextlib.closing(Nursery()) as nursery:
        try:
            for kill in range(KILLS):
                run = [*command, "--out", str(folder / f"run-{kill}")]
                running, said = begin(nursery, run, folder)
                assert said.startswith("data: ")
                writers = start_writers(socket, ledger, dice, f"after restart {kill}")
                time.sleep(dice.uniform(0, 0.05))
                os.kill(running, signal.SIGKILL)
                assert nursery.end(PATIENCE_S) == -signal.SIGKILL
                running = 0
                for writer in writers:
                    writer.join()
                content = (backing / "data.img").read_bytes()[: BLOCKS * BLOCK]
                ledger.check(content, f"after kill {kill}")
                ledger.in_doubt += ledger.issued != ledger.durable
        finally:
            if running:
                os.kill(running, signal.SIGKILL)
    return ledger


def start_writers(
    socket: str, ledger: Ledger, dice: random.Random, when: str
) -> list[threading.Thread]:
    """Start a writer on each connection, once the device has been checked."""
    clients = [Client(socket, "data") for _ in range(CONNECTIONS)]
    ledger.check(clients[0].read(0, BLOCKS * BLOCK), when)
    writers = []
    for number, client in enumerate(clients):
        own = range(number, BLOCKS, CONNECTIONS)
        arguments = (client, ledger, own, random.Random(dice.random()))
        writers.append(threading.Thread(target=write, args=arguments))
        writers[-1].start()
    return writers


def begin(nursery: Nursery, command: list[str], folder: Path) -> tuple[int, str]:
    """Start a command; return its process and the first line that it prints."""
    mine, its = os.pipe()
    with os.fdopen(mine) as said, os.fdopen(its, "w") as stdout:
        process = nursery.begin(command, folder, stdout, sys.stderr.fileno())
        stdout.close()
        return process, said.readline()


def test_acknowledged_writes_survive_a_hundred_kills(tmp_path: Path) -> None:
    with ThreadPoolExecutor(LANES) as pool:
        lanes = [pool.submit(lane, tmp_path / f"lane-{seed}", seed) for seed in range(LANES)]
        for ledger in (lane.result() for lane in lanes):
            # Enough has happened for the test to be meaningful.
            assert sum(ledger.durable) > KILLS
            assert ledger.in_doubt > 0
