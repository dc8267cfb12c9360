"""Hosts on this machine, in network namespaces, and the slow and lossy links between them.

Linux's own way is netem, which many kernels lack. Here each namespace has a TUN device, and a
thread passes its packets on: late, at a rate, not at all. So TCP is the kernel's own, with its
retransmissions, and its congestion control.
"""

import contextlib
import ctypes
import fcntl
import heapq
import ipaddress
import os
import random
import selectors
import struct
import subprocess
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass

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
        # Its namespace ends with it.
        self._holder = subprocess.Popen(["unshare", "--net", "sleep", "infinity"])
        self._space = f"/proc/{self._holder.pid}/ns/net"
        while os.stat(self._space).st_ino == os.stat("/proc/self/ns/net").st_ino:
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
        self.link = link
        self._random = random.Random(seed)
        self._cut: set[frozenset[int]] = set()
        self._is_over = False
        self._tuns = {
            ipaddress.IPv4Address(host.address).packed: number for number, host in enumerate(hosts)
        }
        #: When each way of each link has sent what it was given.
        self._free: dict[tuple[int, int], float] = {}
        self._thread = threading.Thread(target=self._pass_on)
        self._thread.start()

    def cut(self, one: int, other: int) -> None:
        """Pass nothing on between two hosts, not even what is under way."""
        self._cut.add(frozenset({one, other}))

    def restore(self, one: int, other: int) -> None:
        """Pass packets on again."""
        self._cut.discard(frozenset({one, other}))

    def end(self) -> None:
        """Pass nothing on any more."""
        self._is_over = True
        self._thread.join()

    def _pass_on(self) -> None:
        late: list[tuple[float, int, int, int, bytes]] = []
        count = 0
        with selectors.DefaultSelector() as selector:
            for number, host in enumerate(self.hosts):
                selector.register(host.tun, selectors.EVENT_READ, number)
            while not self._is_over:
                until = late[0][0] - time.monotonic() if late else 0.1
                for key, _ in selector.select(max(0, until)):
                    with contextlib.suppress(BlockingIOError):
                        while packet := os.read(key.fd, _LARGEST):
                            to = self._tuns.get(packet[16:20])
                            if to is None or (at := self._comes(key.data, to, packet)) is None:
                                continue
                            count += 1
                            heapq.heappush(late, (at, count, key.data, to, packet))
                now = time.monotonic()
                while late and late[0][0] <= now:
                    _, _, sender, to, packet = heapq.heappop(late)
                    if frozenset({sender, to}) not in self._cut:
                        with contextlib.suppress(OSError):
                            os.write(self.hosts[to].tun, packet)

    def _comes(self, sender: int, to: int, packet: bytes) -> float | None:
        """When a packet comes to a host, if it does."""
        now = time.monotonic()
        if self.link.loss and self._random.random() < self.link.loss:
            return None
        if self.link.rate is None:
            return now + self.link.delay_s
        begins = max(now, self._free.get((sender, to), 0))
        if begins > now + _QUEUE_S:
            return None
        self._free[sender, to] = begins + len(packet) / self.link.rate
        return self._free[sender, to] + self.link.delay_s


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
