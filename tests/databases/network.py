"""Hosts on this machine, in network namespaces, and the slow and lossy links between them.

Linux's own way is netem, which many kernels lack. Here each namespace has a TUN device, and a
process passes its packets on: late, at a rate, or not at all. So TCP is the kernel's own, with its
retransmissions and its congestion control.
"""

import contextlib
import ctypes
import fcntl
import heapq
import ipaddress
import multiprocessing
import os
import random
import select
import struct
import subprocess
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import undoing
from databases import programs

_TUNSETIFF = 0x400454CA
_TUN_WITHOUT_HEADER = 0x0001 | 0x1000
_NEW_NETWORK = 0x40000000
_LARGEST = 1 << 16
#: What waits for a link's rate at most, as a switch has it.
_QUEUE_S = 0.2


@dataclass(frozen=True)
class Link:
    """What a link between any two hosts does to packets, each way."""

    delay_s: float = 0
    #: Share of packets that are lost.
    loss: float = 0
    #: Bytes a second; none is unlimited.
    rate: float | None = None


class Host:
    """A network of its own, with one address."""

    def __init__(self, number: int) -> None:
        self.address = f"10.77.0.{number + 1}"
        # Its namespace ends with it, and it with this process.
        undoing.watchdog()
        self._holder = subprocess.Popen(["unshare", "--net", "sleep", "infinity"])
        self._space = f"/proc/{self._holder.pid}/ns/net"
        while Path(self._space).samefile("/proc/self/ns/net"):
            time.sleep(0.001)
        self.tun = self._opened()
        for command in (
            f"addr add {self.address}/24 dev link0",
            "link set lo up",
            "link set link0 mtu 1500 up",
        ):
            programs.run(*self.within, "ip", *command.split())

    @property
    def within(self) -> list[str]:
        """What runs a command in its network."""
        return ["nsenter", f"--net={self._space}"]

    def end(self) -> None:
        """Take its network away."""
        os.close(self.tun)
        self._holder.kill()
        self._holder.wait()

    def _opened(self) -> int:
        """Its TUN device, made by a thread that enters its network."""
        made: list[int] = []

        def make() -> None:
            libc = ctypes.CDLL(None, use_errno=True)
            space = os.open(self._space, os.O_RDONLY)
            if libc.setns(space, _NEW_NETWORK):
                return
            os.close(space)
            tun = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
            fcntl.ioctl(tun, _TUNSETIFF, struct.pack("16sH", b"link0", _TUN_WITHOUT_HEADER))
            made.append(tun)

        thread = threading.Thread(target=make)
        thread.start()
        thread.join()
        if not made:
            raise RuntimeError("cannot make a TUN device in a network namespace")
        return made[0]


class Network:
    """Hosts with a link between any two."""

    def __init__(self, hosts: list[Host], link: Link, seed: str) -> None:
        self.hosts = hosts
        # A process: the interpreter would let a thread wait for others of this one.
        processes = multiprocessing.get_context("fork")
        self._orders, orders = processes.Pipe()
        switch = Switch(hosts, link, random.Random(seed))
        ends = (orders, self._orders)
        self._switch = processes.Process(target=switch.run, args=ends, daemon=True)
        self._switch.start()
        orders.close()

    def change(self, link: Link) -> None:
        """Make all links others."""
        self._orders.send(("link", link))

    def cut(self, one: int, other: int) -> None:
        """Pass nothing on between two hosts, not even what is under way."""
        self._orders.send(("cut", frozenset({one, other})))

    def restore(self, one: int, other: int) -> None:
        """Pass packets on again."""
        self._orders.send(("restore", frozenset({one, other})))

    def end(self) -> None:
        """Pass nothing on any more."""
        self._switch.kill()
        self._switch.join()


class Switch:
    """What passes packets on, in a process of its own."""

    def __init__(self, hosts: list[Host], link: Link, chance: random.Random) -> None:
        self._tuns = [host.tun for host in hosts]
        self._numbers = {
            ipaddress.IPv4Address(host.address).packed: number for number, host in enumerate(hosts)
        }
        self._link = link
        self._random = chance
        self._cut: set[frozenset[int]] = set()
        #: When each way of each link has sent what it was given.
        self._free: dict[tuple[int, int], float] = {}

    def run(self, orders: Connection, other_end: Connection) -> None:
        """Pass packets on until who gives orders is gone."""
        other_end.close()
        late: list[tuple[float, int, int, int, bytes]] = []
        count = 0
        inputs = [orders.fileno(), *self._tuns]
        while True:
            until = max(0, late[0][0] - time.monotonic()) if late else None
            ready, _, _ = select.select(inputs, [], [], until)
            if inputs[0] in ready:
                try:
                    self._obey(*orders.recv())
                except EOFError:
                    return
            for sender, tun in enumerate(self._tuns):
                if tun not in ready:
                    continue
                for packet in _packets(tun):
                    to = self._numbers.get(packet[16:20])
                    if to is None or (at := self._comes(sender, to, len(packet))) is None:
                        continue
                    count += 1
                    heapq.heappush(late, (at, count, sender, to, packet))
            now = time.monotonic()
            while late and late[0][0] <= now:
                _, _, sender, to, packet = heapq.heappop(late)
                if frozenset({sender, to}) not in self._cut:
                    with contextlib.suppress(OSError):
                        os.write(self._tuns[to], packet)

    def _obey(self, order: str, subject: Any) -> None:
        match order:
            case "link":
                self._link = subject
            case "cut":
                self._cut.add(subject)
            case "restore":
                self._cut.discard(subject)

    def _comes(self, sender: int, to: int, size: int) -> float | None:
        """When a packet comes to a host, if it does."""
        now = time.monotonic()
        if self._link.loss and self._random.random() < self._link.loss:
            return None
        if self._link.rate is None:
            return now + self._link.delay_s
        begins = max(now, self._free.get((sender, to), 0))
        if begins > now + _QUEUE_S:
            return None
        self._free[sender, to] = begins + size / self._link.rate
        return self._free[sender, to] + self._link.delay_s


def _packets(tun: int) -> Iterator[bytes]:
    """What waits in a TUN device."""
    with contextlib.suppress(BlockingIOError):
        while packet := os.read(tun, _LARGEST):
            yield packet


@contextlib.contextmanager
def network(count: int, link: Link, seed: str) -> Iterator[Network]:
    """So many hosts, with a link between any two."""
    with contextlib.ExitStack() as ends:
        hosts = []
        for number in range(count):
            hosts.append(Host(number))
            ends.callback(hosts[-1].end)
        made = Network(hosts, link, seed)
        ends.callback(made.end)
        yield made
