"""How fast traces are read and replayed, and how much memory that takes.

    .venv/bin/python benchmarks/traces/run.py [--seconds N] [--profile release]

Needs `make build` before. A simulated job of 64,000 IOPS writes the trace.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
STORAGE = "{type: io2, size: 400GiB, iops: 64000}"
PATTERN = "pattern: {size: 8KiB, read: 50%, random: 100%}"
JOB = f"{{kind: access_spec, on: data, file_size: 100GiB, processes: 40, {PATTERN}}}"


def scenario(job: str, seconds: int, file: Path) -> Path:
    """A scenario with this job."""
    text = f"name: speed\nduration: {seconds}s\nstorage: {{data: {STORAGE}}}\n"
    file.write_text(f"{text}workload:\n  db: {job}\n")
    return file


def run(*command: str | Path) -> tuple[float, float]:
    """Run a command of Blockyard: its processor time in seconds, and its memory in MiB."""
    code = (
        "import resource, runpy, sys; sys.argv = sys.argv[1:]\n"
        "try: runpy.run_module('blockyard', run_name='__main__')\n"
        "except SystemExit: pass\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
    )
    before = spent()
    whole = [sys.executable, "-c", code, "blockyard", *map(str, command)]
    done = subprocess.run(whole, check=True, capture_output=True, text=True)  # noqa: S603
    return spent() - before, int(done.stderr.split()[-1]) / 1024


def spent() -> float:
    """Processor time of commands so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def read(profile: str, trace: Path, ios: int) -> float:
    """Rows a second and core, as the example of `crates/trace` reads them."""
    command = ["cargo", "build", "--quiet", "--locked", "--profile", profile]
    command += ["-p", "blockyard-trace", "--example", "count"]
    subprocess.run(command, cwd=ROOT, check=True)  # noqa: S603
    before = spent()
    example = ROOT / "target" / profile / "examples/count"
    subprocess.run([example, trace], check=True, capture_output=True)  # noqa: S603
    return ios / (spent() - before)


def simulated(file: Path, ios: int, place: Path) -> tuple[float, float, float]:
    """IOs a second and core without and with start and reading, and the memory.

    A run of one second starts, and reads all of a trace, so the rest of a longer one is neither.
    """
    plain = ["--seeds", "1", "--no-advice"]
    short, _ = run(
        "simulate", file, *plain, "--set", "duration=1s", "--out", place / f"short-{file.name}"
    )
    whole, memory = run("simulate", file, *plain, "--out", place / f"whole-{file.name}")
    return ios / max(1e-9, whole - short), ios / whole, memory


def main() -> None:
    """Measure, and print tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=int, default=30, help="of the simulated job")
    parser.add_argument("--profile", default="release", help="of the reader that is built")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="blockyard-") as folder:
        place = Path(folder)
        job = scenario(JOB, asked.seconds, place / "job.yaml")
        run("simulate", job, "--seeds", "1", "--no-advice", "--io-log", "--out", place / "first")
        csv, table = place / "first/ios.csv", place / "ios.parquet"
        ios = sum(1 for _ in csv.open("rb")) - 1
        began = time.monotonic()
        run("export", "trace", place / "first", "-o", table)
        print(f"{ios:,} IOs; as Parquet in {time.monotonic() - began:.1f} s")
        print("| read | million IOs a second and core | bytes an IO |\n| --- | --- | --- |")
        for trace in (csv, table):
            speed = read(asked.profile, trace, ios) / 1e6
            print(f"| {trace.suffix[1:]} | {speed:.1f} | {trace.stat().st_size / ios:.1f} |")
        columns = "IOs a second and core | of the synthetic job's | with start and reading | memory"
        print(f"| simulated | {columns} |\n| --- | --- | --- | --- | --- |")
        base, all_of_it, memory = simulated(job, ios, place)
        print(f"| synthetic | {base:,.0f} | 1.00 | {all_of_it:,.0f} | {memory:,.0f} MiB |")
        for loop in ("threads", "open"):
            for trace in (csv, table):
                text = f"{{kind: replay, on: data, trace: {trace}, loop: {loop}}}"
                label = f"{loop}, {trace.suffix[1:]}"
                again = scenario(text, asked.seconds, place / f"{loop}{trace.suffix}.yaml")
                rate, all_of_it, memory = simulated(again, ios, place)
                print(f"| {label} | {rate:,.0f} | {rate / base:.2f} | {all_of_it:,.0f} | ", end="")
                print(f"{memory:,.0f} MiB |")
        _, memory = run("import", "trace", table, "-o", place / "imported")
        print(f"\nimported as a stream: {memory:,.0f} MiB")


if __name__ == "__main__":
    main()
