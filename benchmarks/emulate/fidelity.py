"""Whether emulated volumes deliver what is modelled, in real time.

    python3 benchmarks/emulate/fidelity.py [--rounds N] [--seconds S] [--as fuse|block]

Each case serves a scenario, runs the scenario's own workload on the served device with
`blockyard bench`, and simulates it too. Rates are at most half of what the front end
reaches without a model on this machine, which is measured first. Prints the median of
the rounds; a case whose lateness has a p99 above 0.2 ms is called inconclusive.
"""

import argparse
import json
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import pyarrow.parquet as pq
from common import BLOCKYARD, emulated, output, row

# The null rate is measured with this many reads in flight.
DEPTH = 64


@dataclass(frozen=True)
class Case:
    """A scenario, and the limit that it is to meet."""

    name: str
    scenario: str
    # IOPS or MiB/s that a saturated device is to give; None where only the twin counts.
    iops: float | None = None
    mib_per_s: float | None = None
    each_volume: bool = False


def cases(seconds: int, most: float) -> list[Case]:
    """The cases, for a front end that reaches `most` IOPS."""
    iops = min(4000, int(most / 2) // 100 * 100)
    each = iops // 5

    def scenario(storage: str, job: str, host: str = "") -> str:
        return (
            f"{{name: case, seed: 1, warmup: 3s, duration: {seconds + 3}s, {host}"
            f"storage: {{data: {storage}}}, workload: {{readers: {job}}}}}"
        )

    def readers(processes: int) -> str:
        return f"{{kind: ranread, on: data, file_size: 512MiB, processes: {processes}}}"

    def stripe(width: int, iops: int) -> str:
        of = f"{{type: io1, size: 200GiB, iops: {iops}}}"
        return f"{{stripe: {{chunk: 4MiB, width: {width}}}, of: {of}}}"

    large = (
        "{kind: access_spec, on: data, file_size: 512MiB, processes: 1, outstanding: 16, "
        "pattern: {size: 256KiB, read: 100%, random: 100%}}"
    )
    nano = "host: {instance: t3.nano, burst_balance: 0%}, "
    return [
        Case(
            f"io1 of {iops:,} IOPS, 32 readers",
            scenario(f"{{type: io1, size: 200GiB, iops: {iops}}}", readers(32)),
            iops=iops,
        ),
        Case(
            "gp3 of 125 MiB/s, 256 KiB at depth 16",
            scenario("{type: gp3, size: 200GiB}", large),
            mib_per_s=125,
        ),
        # Random reads leave some of the volumes idle now and then. With hundreds of readers
        # that is rarer, but the queues then wander for minutes, and no median settles.
        Case(
            f"5 io1 of {each:,} IOPS, striped, 64 readers",
            scenario(stripe(5, each), readers(64)),
        ),
        Case(
            "2 io1 of 1,000 IOPS behind a t3.nano of 250, 16 readers",
            scenario(stripe(2, 1000), readers(16), nano),
            iops=250,
        ),
        Case(
            "gp2 whose credits end after some 9 s, 32 readers",
            scenario("{type: gp2, size: 33GiB, burst_balance: 0.5%}", readers(32)),
        ),
        Case(
            "io1 of 16,000 IOPS, 4 readers",
            scenario("{type: io1, size: 400GiB, iops: 16000}", readers(4)),
        ),
    ]


def null_rate(front: str) -> float:
    """IOPS of an unlimited volume."""
    readers = f"{{kind: ranread, on: data, file_size: 512MiB, processes: {DEPTH}}}"
    scenario = (
        "{name: unlimited, duration: 5s, warmup: 1s, "
        "storage: {data: {type: unlimited, size: 1GiB}}, "
        f"workload: {{readers: {readers}}}}}"
    )
    return float(total(once(scenario, front)[0])["iops"])


def once(scenario: str, front: str) -> tuple[dict[str, Any], dict[str, Any], Path]:
    """Serves and benches a scenario: the results of both, and the bench's directory."""
    folder = Path(tempfile.mkdtemp())
    file = folder / "scenario.yaml"
    file.write_text(scenario)
    kind = front
    if front == "fuse":
        (folder / "mount").mkdir()
        kind = f"fuse={folder / 'mount'}"
    with emulated(scenario, "--as", kind, out=folder / "emulated") as service:
        options = ["--map", f"data={service.place}", "--json", "--out", folder / "benched"]
        benched = json.loads(output(BLOCKYARD, "bench", file, *options))
    served = json.loads((folder / "emulated" / "result.json").read_text())
    return benched, served, folder


def total(result: dict[str, Any]) -> dict[str, Any]:
    """The account of all reads."""
    return next(total for total in result["totals"] if total["op"] == "read")


def worst_second(folder: Path, figure: str, expected: float) -> float:
    """How far the second furthest from `expected` is from it, the warm-up left out."""
    table = pq.read_table(folder / "benched" / "intervals.parquet").to_pylist()
    scale = 1 if figure == "ios" else 2**20
    seconds = [row[figure] / scale for row in table if row["t_s"] >= 3]
    return float(max(abs(second / expected - 1) for second in seconds))


def check(case: Case, front: str, rounds: int) -> None:
    """One case, all rounds."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "scenario.yaml"
        file.write_text(case.scenario)
        simulated = total(
            json.loads(output(BLOCKYARD, "simulate", file, "--json", "--out", Path(folder) / "run"))
        )
    iops, rates, p50s, seconds, late = [], [], [], [], []
    for _ in range(rounds):
        benched, served, place = once(case.scenario, front)
        mine = total(benched)
        iops.append(mine["iops"] / simulated["iops"] - 1)
        p50s.append(mine["latency_us"]["p50"] / simulated["latency_us"]["p50"] - 1)
        late.append(served["lateness_us"]["p99"])
        if case.iops:
            rates.append(mine["iops"] / case.iops - 1)
            seconds.append(worst_second(place, "ios", case.iops))
        if case.mib_per_s:
            rates.append(mine["mib_per_s"] / case.mib_per_s - 1)
            seconds.append(worst_second(place, "bytes", case.mib_per_s))
    row(
        case.name,
        f"{median(rates):+.2%}" if rates else "",
        f"{median(seconds):.2%}" if seconds else "",
        f"{median(iops):+.2%}",
        f"{median(p50s):+.2%}",
        f"{median(late):.0f} µs",
        "inconclusive" if median(late) > 200 else "",
    )


def main() -> int:
    """Measures all cases."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--as", dest="front", choices=["fuse", "block"], default="fuse")
    arguments = parser.parse_args()
    most = null_rate(arguments.front)
    print(f"without a model: {most:,.0f} IOPS at depth {DEPTH}\n")
    row("case", "rate", "worst second", "IOPS against twin", "p50 against twin", "late p99", "")
    row(*["---"] * 7)
    for case in cases(arguments.seconds, most):
        check(case, arguments.front, arguments.rounds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
