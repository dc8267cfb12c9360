"""How long a day and a year of demand take by interval, beside the exact simulation."""

import os
import subprocess
import tempfile
import time
from pathlib import Path
from statistics import median

BLOCKYARD = Path(__file__).parents[2] / ".venv/bin/blockyard"
ROUNDS = 3
HEADER = "at,reads,writes,size\n"

DAY = """
name: day
duration: 24h
host: {instance: r6i.8xlarge}
storage: {data: {type: gp3, size: 2TiB, iops: 16000}}
workload: {app: {kind: demand, on: data, file_size: 1TiB, intervals: day.csv}}
"""

YEAR = """
name: year
duration: 8760h
storage: {data: {type: gp2, size: 400GiB}}
workload: {app: {kind: demand, on: data, file_size: 300GiB, intervals: year.csv}}
"""


def main() -> None:
    """Print a table."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        day = (f"{60 * at},{14_000 + at % 500},6000,8KiB\n" for at in range(1440))
        Path("day.csv").write_text(HEADER + "".join(day))
        year = (
            f"{300 * at},{2500 if 1 <= at // 12 % 24 < 4 else 200 + at % 50},300,{8 + at % 9}KiB\n"
            for at in range(365 * 288)
        )
        Path("year.csv").write_text(HEADER + "".join(year))
        Path("day.yaml").write_text(DAY)
        Path("year.yaml").write_text(YEAR)
        minute = ["--set", "duration=60s", "--set", "by_interval=false"]
        rows = [
            ("a day of minutes", measured("day.yaml")),
            ("a year of five minutes", measured("year.yaml")),
            ("a minute of the day, exactly", measured("day.yaml", *minute)),
        ]
    print("| what | seconds |\n| --- | --- |")
    for name, seconds in rows:
        print(f"| {name} | {seconds:.2f} |")
    print(f"\nA day by interval takes {1440 * rows[2][1] / rows[0][1]:,.0f} times less.")


def measured(*arguments: str) -> float:
    """The median time of a run, in seconds."""
    times = []
    for number in range(ROUNDS):
        out = f"{arguments[0]}-{len(arguments)}-{number}"
        command = [
            str(BLOCKYARD),
            "simulate",
            *arguments,
            "--seeds",
            "1",
            "--no-advice",
            "--out",
            out,
        ]
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)  # noqa: S603
        times.append(time.perf_counter() - start)
    return median(times)


if __name__ == "__main__":
    main()
