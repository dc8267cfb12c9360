"""Threads that wait for their IO, of an observation with --calls, as jobs in a closed loop."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from blockyard._core import sequential
from blockyard.fitting.io_records import in_bytes, pieces
from blockyard.questions.demand_schedule import Steps
from blockyard.questions.demand_window import FLOWS
from blockyard.runs.directory import CALLS, IO_LOG
from blockyard.runs.run import Run
from blockyard.text.formatting import latency
from blockyard.words.phrases import counted

if TYPE_CHECKING:
    import pyarrow as pa

_NS_PER_S = 1_000_000_000
_SECTOR = 512
# A group of threads with fewer IOs is no job of its own.
_FEWEST = 100
_NUMBERS = ["due_ns", "slot", "offset", "bytes", "completed_ns"]


@dataclass(frozen=True)
class Loop:
    """Threads of a name that wait for their IO on a device."""

    name: str
    device: str
    threads: int
    # Their IOs, and what these moved and took. Writes without bytes are flushes.
    reads: int
    writes: int
    flushes: int
    bytes: int
    latency_s: float
    # Of reads and writes those that do not go on where another ended.
    random_percent: int
    # By step: the threads that had IO in it.
    active: Mapping[int, int]

    def think_us(self, step_s: int) -> int:
        """The mean time from the end of an IO to its thread's next, while that is active."""
        active_s = sum(self.active.values()) * step_s
        return max(0, round((active_s - self.latency_s) / self.all * 1e6))

    @property
    def all(self) -> int:
        """All IOs."""
        return self.reads + self.writes + self.flushes

    def said(self, step_s: int) -> str:
        """The same in words."""
        threads = counted(self.threads, "thread")
        return (
            f"{self.all:,} IOs of {self.name} on {self.device} are a closed loop, as its {threads} "
            f"waited for them: each thought for {latency(self.think_us(step_s))} after an IO"
            + (f"; {self.flushes:,} flushes are among them" if self.flushes else "")
        )

    def job(self, on: str, steps: Steps) -> dict[str, object]:
        """The same as a job."""
        moving = self.reads + self.writes
        size = max(_SECTOR, round(self.bytes / moving))
        found: dict[str, object] = {
            "kind": "access_spec",
            "on": on,
            "pattern": {
                "size": f"{-(-size // _SECTOR) * _SECTOR}B",
                "read": f"{round(100 * self.reads / moving)}%",
                "random": f"{self.random_percent}%",
            },
            "think_time": f"{self.think_us(steps.step_s)}us",
            "schedule": list(self._schedule(steps)),
        }
        if self.flushes and self.writes:
            found["fsync_every"] = max(1, round(self.writes / self.flushes))
        return found

    def _schedule(self, steps: Steps) -> Iterator[dict[str, object]]:
        last = None
        for at in range(0, steps.duration_s, steps.step_s):
            active = self.active.get(at, 0)
            if active != last:
                yield {"at": f"{at}s", "processes": active}
            last = active


def loops(run: Run, steps: Steps) -> "tuple[list[Loop], pa.Table | None]":
    """The loops of a run, and the IOs that belong to them; none where no calls were recorded."""
    path = run.path
    if path is None or not (path / CALLS).exists() or not (path / IO_LOG).exists():
        return [], None
    import pyarrow as pa
    import pyarrow.compute as pc

    waiting = _waiting(path / CALLS)
    parts = list(pieces(path / IO_LOG, _NUMBERS))
    if not parts or not waiting:
        return [], None
    ios = pa.Table.from_batches(parts)
    # A flush is the end of an empty write, which has its thread.
    ios = ios.filter(pc.is_in(ios["op"], pa.array(list(FLOWS))))
    ios = ios.filter(
        pc.and_(
            pc.is_in(ios["slot"], pa.array(list(waiting), pa.int64())),
            pc.is_valid(ios["completed_ns"]),
        )
    )
    names = pa.array([waiting[thread] for thread in ios["slot"].to_pylist()], pa.string())
    ios = ios.append_column("name", names)
    found = []
    kept = []
    for name in sorted(set(waiting.values())):
        for device in pc.unique(ios["device"]).to_pylist():
            own = ios.filter(pc.and_(pc.equal(ios["name"], name), pc.equal(ios["device"], device)))
            loop = _loop(name, device, own, steps)
            if loop:
                found.append(loop)
                kept.append(own.filter(pc.field("bytes") > 0))
    return found, pa.concat_tables(kept) if kept else None


def _waiting(calls: Path) -> dict[int, str]:
    """The names of threads that wait for most of their IOs in the call that asks for them."""
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    with pq.ParquetFile(calls) as file:
        table = file.read(["thread", "name", "ios", "waited"])
    sums = table.group_by(["thread", "name"]).aggregate([("ios", "sum"), ("waited", "sum")])
    mostly = sums.filter(
        pc.and_(
            pc.greater(sums["waited_sum"], 0),
            pc.greater(pc.multiply(sums["waited_sum"], 2), sums["ios_sum"]),
        )
    )
    return dict(zip(mostly["thread"].to_pylist(), mostly["name"].to_pylist(), strict=True))


def _loop(name: str, device: str, own: "pa.Table", steps: Steps) -> Loop | None:
    import pyarrow.compute as pc

    reads = own.filter(pc.equal(own["op"], "read")).num_rows
    flushes = own.filter(pc.equal(own["bytes"], 0)).num_rows
    writes = own.num_rows - reads - flushes
    if reads + writes < _FEWEST:
        return None
    took = pc.sum(pc.subtract(own["completed_ns"], own["due_ns"])).as_py()
    step = pc.cast(pc.divide(own["due_ns"], steps.step_s * _NS_PER_S), "int64")
    each = own.append_column("step", step).group_by(["step", "slot"]).aggregate([])
    by_step = each.group_by("step").aggregate([("slot", "count")])
    active = {
        at * steps.step_s: count
        for at, count in zip(
            by_step["step"].to_pylist(), by_step["slot_count"].to_pylist(), strict=True
        )
        if at * steps.step_s < steps.duration_s
    }
    return Loop(
        name=name,
        device=device,
        threads=cast(int, pc.count_distinct(own["slot"]).as_py()),
        reads=reads,
        writes=writes,
        flushes=flushes,
        bytes=cast(int, pc.sum(own["bytes"]).as_py()),
        latency_s=took / _NS_PER_S,
        random_percent=_random_percent(own),
        active=active,
    )


def _random_percent(own: "pa.Table") -> int:
    import pyarrow.compute as pc

    moving = own.filter(pc.greater(own["bytes"], 0)).sort_by("due_ns")
    if not moving.num_rows:
        return 100
    offset, length = (in_bytes(moving[name].combine_chunks(), 8) for name in ("offset", "bytes"))
    going_on = int(sequential(offset, length))
    return round(100 - 100 * going_on / len(moving))
