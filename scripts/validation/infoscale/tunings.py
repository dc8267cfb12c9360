"""The three tunings, over four values each."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from blockyard._core import RecordBatch
from blockyard.runs import findings, told
from blockyard.runs.observer import Observer
from validation.infoscale.grid import PATTERNS, TCP, UDP, ZONES, cell
from validation.markdown import table
from validation.run import Job, Run

# Enough for what lies ready in buckets to be used up before it counts, and where there are none.
LIMITED, SHORT = ("duration=60s", "warmup=50s"), ("duration=3s", "warmup=1s")
FREE = tuple(f"storage.data.mirror.legs.{leg}.type=unlimited" for leg in "ab")


@dataclass(frozen=True)
class Load:
    """A row: how many IOs are in flight, and what is assumed otherwise."""

    in_flight: int
    beside: str = ""
    sets: tuple[str, ...] = ()
    # Whether the volumes have no limits.
    free: bool = False

    @property
    def title(self) -> str:
        """The row's name."""
        said = [f"{self.in_flight} in flight", self.beside, "volumes without limits" * self.free]
        return ", ".join(filter(None, said))


@dataclass(frozen=True)
class Tuning:
    """One setting of the link."""

    configuration: str
    pattern: str
    key: str
    values: Sequence[str]
    loads: Sequence[Load]

    def job(self, load: Load, value: str) -> Job:
        """The run of one cell."""
        sets: tuple[str, ...] = (
            f"workload.load.pattern={PATTERNS[self.pattern]}",
            f"workload.load.outstanding={load.in_flight}",
            f"links.llt.{self.key}={value}",
        )
        sets += (*load.sets, *((*SHORT, *FREE) if load.free else LIMITED))
        return Job(f"infoscale/{self.configuration}.yaml", sets)

    def table(self) -> str:
        """IOPS by load and value, and the bottleneck at the first value and at the last."""
        head = ["load", *self.values, f"bottleneck at {self.values[0]}", f"at {self.values[-1]}"]
        rows = []
        for load in self.loads:
            told = [_told(self.job(load, value)) for value in self.values]
            held = [told[place][1] or "latency" for place in (0, -1)]
            rows.append([load.title, *(f"{iops:,.0f}" for iops, _ in told), *held])
        return table(head, rows)


class _Volumes(Observer):
    """Collects the table of volumes."""

    def __init__(self) -> None:
        self.batches: list[pa.RecordBatch] = []

    def rows(self, table: str, rows: RecordBatch) -> None:
        if table == "volumes":
            self.batches.append(pa.record_batch(rows))


def _told(job: Job) -> tuple[float, str | None]:
    """The IOPS of a run, and the bottleneck in its headline."""
    scenario = job.scenario
    volumes = _Volumes()
    text = scenario.simulate(volumes)
    if text is None:
        raise KeyboardInterrupt
    result = json.loads(text)
    found = findings.of(job.path, text, scenario, pa.Table.from_batches(volumes.batches))
    [(_, bottleneck)] = told.of_result(result, found["facts"]).bottlenecks()
    return cell(Run(result, {})).iops, bottleneck


def _packet(time: str) -> tuple[str, tuple[str, ...]]:
    return f"CPU {time} a packet", (f"links.llt.cpu={{per_packet: {time}}}",)


def _slow(time: str) -> tuple[str, tuple[str, ...]]:
    table = f"{{min: {time}, p50: {time}, max: {time}}}"
    latency = (
        f"{{like: gp2, read: {table}, write: {table}, per_kib: 0us, spread: 0%, volume_spread: 0%}}"
    )
    return f"{time} at b's volume", (f"storage.data.mirror.legs.b.latency={latency}",)


def _both_readings(load: Load) -> tuple[Load, Load]:
    """The load with packets counted until they are acknowledged, and until they are answered."""
    until = ("links.llt.queued_until=answered", *load.sets)
    said = ", ".join(filter(None, (load.beside, "counted until answered")))
    return load, Load(load.in_flight, said, until, load.free)


MTU = Tuning(
    TCP, "4 KiB sequential, 50 % read", "mtu", ("1500", "3000", "6000", "9001"),
    (Load(1), Load(64), Load(64, *_packet("80us")), Load(64, free=True)),
)  # fmt: skip

BUFFERS = Tuning(
    UDP, "64 KiB sequential, 50 % read", "socket_buffer",
    ("64KiB", "128KiB", "256KiB", "512KiB"),
    (Load(64), Load(64, *_packet("6us")), Load(64, *_packet("6us"), free=True)),
)  # fmt: skip

HIGH_WATER = Tuning(
    ZONES, "4 KiB sequential, 50 % read", "high_water", ("50", "100", "200", "400"),
    (
        *_both_readings(Load(128, free=True)),
        *_both_readings(Load(256, *_packet("6us"), free=True)),
        *_both_readings(Load(128, *_slow("20ms"))),
    ),
)  # fmt: skip

TUNINGS = {"mtu": MTU, "socket_buffers": BUFFERS, "high_water": HIGH_WATER}
