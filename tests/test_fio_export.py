"""`blockyard export fio`: the job file states the scenario's load, and fio generates it."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from blockyard import Scenario
from blockyard.formats.fio import jobfile
from blockyard.formats.fio.exporting import Exported, exported
from blockyard.formats.fio.importing import Origin, scenario_of
from blockyard.formats.fio.settings import Settings
from conftest import ROOT, Blockyard, one_line

pytestmark = pytest.mark.slow

needs_fio = pytest.mark.skipif(shutil.which("fio") is None, reason="fio is not installed")

MIB = 1 << 20

RANWRITE = "kind: ranwrite, on: data, file_size: 8MiB, cache: 1MiB, processes: 1"


def scenario(*jobs: str, head: str = "duration: 2s") -> Scenario:
    """A scenario of jobs `a`, `b` and so on; they use `data` unless they say otherwise."""
    workload = "".join(f"  {name}: {{{job}}}\n" for name, job in zip("abc", jobs, strict=False))
    text = f"name: s\n{head}\nstorage:\n  data: {{type: gp3, size: 10GiB}}\n"
    return Scenario.load(f"{text}workload:\n{workload}", "s.yaml", [])


def access(load: str, pattern: str = "size: 8KiB, read: 100%, random: 100%", more: str = "") -> str:
    """An access_spec job over 16 MiB."""
    return f"kind: access_spec, on: data, file_size: 16MiB, pattern: {{{pattern}}}, {load}{more}"


def made(what: Scenario) -> Exported:
    return exported(what, {"data": "./data.dat"})


def options(what: Scenario) -> list[dict[str, str | None]]:
    """The options of each job, without those that are always the same."""
    always = {"new_group", "filename"}
    return [
        {name: value for name, value in section.options.items() if name not in always}
        for section in made(what).sections
    ]


def test_a_closed_loop() -> None:
    (job,) = options(scenario(access("processes: 3, outstanding: 4")))
    assert job == {
        "offset": "0",
        "size": str(16 * MIB),
        "bs": "8192",
        "rw": "randread",
        "iodepth": "4",
        "numjobs": "3",
        "runtime": "2s",
    }


def test_an_open_loop_of_reads_and_writes() -> None:
    mixed = "size: 4KiB, read: 70%, random: 100%"
    (job,) = options(scenario(access("rate: 1000/s, max_outstanding: 64", mixed)))
    expected = {
        "rw": "randrw",
        "rwmixread": "70",
        "rate_iops": "700,300",
        "rate_process": "poisson",
        "iodepth": "64",
    }
    assert {key: job[key] for key in expected} == expected
    assert "numjobs" not in job


@pytest.mark.parametrize(
    ("rate", "notes"),
    [
        (50_000, []),
        (60_000, ["60000 a second that of 62500."]),
        (2_000_000, ["2000000 a second none."]),
    ],
)
def test_rates_that_fio_does_not_have_are_noted(rate: int, notes: list[str]) -> None:
    (section,) = made(scenario(access(f"rate: {rate}/s"))).sections
    assert section.comments[0].startswith("Open loop:")
    assert [note.partition(": for ")[2] for note in section.comments[1:]] == notes


def test_load_steps_follow_each_other_and_rests_are_none() -> None:
    steps = "schedule: [{at: 0s, processes: 1}, {at: 1s, processes: 0}, {at: 1500ms, processes: 3}]"
    what = scenario(access(steps), head="duration: 2s\ninterval: 500ms\nwarmup: 500ms")
    assert [section.name for section in made(what).sections] == ["a.1", "a.2"]
    first, second = options(what)
    assert (first["ramp_time"], first["runtime"]) == ("500ms", "500ms")
    assert (second["startdelay"], second["runtime"]) == ("1500ms", "500ms")
    assert "startdelay" not in first
    assert "ramp_time" not in second


def test_a_step_within_the_warm_up_says_so() -> None:
    what = scenario(access("processes: [1, 2]"), head="duration: 2s\nwarmup: 1s")
    first, second = made(what).sections
    assert first.comments == ("All of it is warm-up: leave its figures out.",)
    assert "ramp_time" not in first.options
    assert "ramp_time" not in second.options


def test_files_lie_where_the_scenario_puts_them() -> None:
    what = scenario(access("processes: 1"), access("processes: 1"))
    assert [job["offset"] for job in options(what)] == ["0", str(16 * MIB)]


def test_sequential_processes_get_parts_of_the_file() -> None:
    what = scenario(access("processes: 4", "size: 8KiB, read: 0%, random: 0%"))
    (job,) = options(what)
    assert (job["rw"], job["size"], job["offset_increment"]) == (
        "write",
        str(4 * MIB),
        str(4 * MIB),
    )


def test_skews() -> None:
    zipf = access("processes: 1", more=", skew: {zipf: 1.2}")
    hot = access("processes: 3", more=", skew: {hot: {ios: 90%, blocks: 10%}, scatter: false}")
    what = scenario(zipf, hot)
    assert not made(what).inexact
    distributions = [job["random_distribution"] for job in options(what)]
    assert distributions == ["zipf:1.2", "zoned:90/10:10/90"]


@pytest.mark.parametrize(
    ("job", "reason"),
    [
        (access("processes: 1", "size: 8KiB, read: 50%, random: 50%"), "continue their own run"),
        (access("processes: 1", "size: 8KiB, read: 12.5%, random: 100%"), "read: 12.5%; fio has"),
        (access("processes: 1", "size: 8KiB, read: 0%, random: 0.5%"), "random: 0.5%; fio has"),
        (
            access("processes: 5000", "size: 8KiB, read: 0%, random: 0%"),
            "more sequential processes",
        ),
        (access("rate: 5/s, latency_limit: 1s"), "latency_limit: fio skips no IO that is late"),
        (
            access("rate: 1/s", "size: 8KiB, read: 50%, random: 100%"),
            "are 1 reads and 1 writes",
        ),
        (access("processes: 2", more=", skew: {zipf: 1.2}"), "each of fio's processes prefers"),
        (access("processes: 1", more=", skew: {zipf: 1}"), "zipf: 1; fio refuses"),
        (access("processes: 1", more=", skew: {zipf: 2, scatter: false}"), "scatter: false"),
        (access("processes: 1", more=", skew: {hot: {ios: 90%, blocks: 9%}}"), "scatter: true"),
        (RANWRITE, "left out, fio has only IOs of one size, random or sequential"),
    ],
)
def test_what_fio_cannot_do_is_an_error_unless_lenient(
    blockyard: Blockyard, tmp_path: Path, job: str, reason: str
) -> None:
    what = scenario(job, access("processes: 1"))
    (line,) = made(what).inexact
    assert line.startswith("a: ")
    assert reason in line
    (tmp_path / "s.yaml").write_text(what.to_yaml())
    strict = blockyard("export", "fio", "s.yaml")
    assert (strict.returncode, one_line(strict)) == (2, f"blockyard: s.yaml: {line}")
    lenient = blockyard("export", "fio", "s.yaml", "--lenient")
    assert (lenient.returncode, lenient.stderr) == (0, f"blockyard: s.yaml: {line}\n")
    assert f"# Not as in the scenario: {line}\n" in lenient.stdout
    assert "[b]" in lenient.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--map", "data"], "--map: `data`; expected DEVICE=PATH"),
        (["--map", "date=x"], "no job uses a device `date`; the nearest is `data`"),
        (["--map", "data=a#b"], "a job file has no way to write ; # or $ in a path"),
        (["--set", "duration=5"], "duration"),
        (["-o", "gp3.yaml"], "gp3.yaml exists already; it is not overwritten"),
    ],
)
def test_wrong_arguments(blockyard: Blockyard, arguments: list[str], message: str) -> None:
    done = blockyard("export", "fio", "gp3.yaml", *arguments)
    assert done.returncode == 2
    assert message in one_line(done)


def test_a_scenario_of_ranwrite_alone_gives_no_file(blockyard: Blockyard, tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text(scenario(RANWRITE).to_yaml())
    done = blockyard("export", "fio", "s.yaml", "--lenient", "-o", "s.fio")
    assert done.returncode == 2
    assert done.stderr.endswith("blockyard: s.yaml: no job that fio can do\n")
    assert not (tmp_path / "s.fio").exists()


def test_devices_are_mapped_and_colons_escaped(blockyard: Blockyard) -> None:
    done = blockyard("export", "fio", "gp3.yaml", "--map", "data=/dev/disk/by-path/pci-0:1")
    assert "filename=/dev/disk/by-path/pci-0\\:1\n" in done.stdout


ROUND_TRIPS = [
    access("processes: 3, outstanding: 4"),
    access("processes: [1, 2]"),
    access("schedule: [{at: 0s, rate: 0/s}, {at: 1s, rate: 50/s}]"),
    access("rate: 1000/s, arrivals: even", "size: 64KiB, read: 70%, random: 100%"),
    access("processes: 4", "size: 8KiB, read: 0%, random: 0%"),
    access("processes: 2", "size: 8KiB, read: 100%, random: 25%"),
    access("processes: 1", more=", skew: {zipf: 1.234}"),
    access("processes: 2", more=", skew: {hot: {ios: 80%, blocks: 20%}, scatter: false}"),
    "kind: ranread, on: data, file_size: 16MiB, processes: 2",
]


@pytest.mark.parametrize("job", ROUND_TRIPS)
def test_exported_and_imported_again_it_is_the_same_load(tmp_path: Path, job: str) -> None:
    what = scenario(access("processes: 2"), job, head="duration: 2s\nseed: 5")
    path = tmp_path / "s.fio"
    path.write_text(made(what).text())
    again = Scenario.load(
        scenario_of(jobfile.read(path, Settings()), Origin.of_file(path)).text, "again.yaml", []
    )
    assert json.loads(again.jobs()) == json.loads(what.jobs())
    assert (again.seed, again.duration_s, again.warmup_s) == (5, 2, 0)


def run_fio(what: Scenario, folder: Path, *extra: str) -> list[dict[str, Any]]:
    """Run the job file with a log of all IOs; return fio's figures for each job."""
    (folder / "s.fio").write_text(made(what).text())
    done = subprocess.run(
        ["fio", "--output-format=json", *extra, "s.fio"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr + done.stdout
    return list(json.loads(done.stdout[done.stdout.index("{") :])["jobs"])


def offsets(folder: Path, what: Scenario, job: int) -> list[tuple[str, int, int]]:
    """Run one job on fio's null engine; return the direction, offset and size of its IOs."""
    file = made(what)
    section = file.sections[job]
    log: dict[str, str | None] = {"write_iolog": "ios.log", "ioengine": "null"}
    file.sections = [jobfile.Section(section.name, {**section.options, **log})]
    (folder / "one.fio").write_text(file.text())
    subprocess.run(["fio", "one.fio"], cwd=folder, capture_output=True, timeout=120, check=True)
    lines = [line.split() for line in (folder / "ios.log").read_text().splitlines()]
    ios = [line for line in lines if len(line) == 5 and line[2] in ("read", "write")]
    return [(direction, int(offset), int(size)) for _, _, direction, offset, size in ios]


@needs_fio
@pytest.mark.parametrize("path", sorted(ROOT.glob("scenarios/examples/*.yaml")), ids=str)
def test_fio_accepts_every_example(blockyard: Blockyard, tmp_path: Path, path: Path) -> None:
    done = blockyard("export", "fio", path, "--lenient", "-o", "s.fio")
    if "no job that fio can do" in done.stderr:
        return
    assert done.returncode == 0, done.stderr
    parsed = subprocess.run(
        ["fio", "--parse-only", tmp_path / "s.fio"], capture_output=True, text=True, check=False
    )
    assert (parsed.returncode, parsed.stderr) == (0, "")


@needs_fio
def test_fio_covers_exactly_the_file(tmp_path: Path) -> None:
    """Small files are covered many times, so that no place in them is left out."""
    small = access("rate: 4000/s").replace("16MiB", "64KiB")
    what = scenario(access("processes: 1"), small, head="duration: 1s")
    ios = offsets(tmp_path, what, 1)
    assert {size for _, _, size in ios} == {8192}
    blocks = range(16 * MIB, 16 * MIB + 65536, 8192)
    assert sorted({offset for _, offset, _ in ios}) == list(blocks)


@needs_fio
def test_fio_s_sequential_processes_cover_exactly_the_file(tmp_path: Path) -> None:
    writes = access("processes: 4", "size: 8KiB, read: 0%, random: 0%").replace("16MiB", "256KiB")
    run_fio(scenario(writes, head="duration: 1s"), tmp_path)
    written = (tmp_path / "data.dat").read_bytes()
    assert len(written) == 256 << 10
    assert all(any(written[at : at + 8192]) for at in range(0, len(written), 8192))


@needs_fio
def test_fio_s_hot_spot_is_the_scenario_s(tmp_path: Path) -> None:
    hot = access("rate: 20000/s", more=", skew: {hot: {ios: 90%, blocks: 10%}, scatter: false}")
    ios = offsets(tmp_path, scenario(hot, head="duration: 1s"), 0)
    share = sum(offset < 1.6 * MIB for _, offset, _ in ios) / len(ios)
    assert 0.85 < share < 0.95


@needs_fio
def test_fio_makes_the_load_on_a_file(tmp_path: Path) -> None:
    mixed = "size: 4KiB, read: 70%, random: 100%"
    what = scenario(
        access("processes: 2, outstanding: 4", mixed),
        access("rate: 1000/s, arrivals: even"),
        head="duration: 2s",
    )
    closed, open_loop = run_fio(what, tmp_path)
    reads, writes = closed["read"]["total_ios"], closed["write"]["total_ios"]
    assert reads + writes > 0
    assert 0.6 < reads / (reads + writes) < 0.8
    assert closed["job options"]["numjobs"] == "2"
    assert closed["iodepth_level"]["4"] > 50
    assert closed["read"]["io_bytes"] == 4096 * reads
    assert open_loop["write"]["total_ios"] == 0
    assert 700 < open_loop["read"]["iops"] < 1100
    assert (tmp_path / "data.dat").stat().st_size == 32 * MIB


@needs_fio
def test_fio_s_open_loop_of_reads_and_writes_has_the_rate(tmp_path: Path) -> None:
    mixed = "size: 4KiB, read: 70%, random: 100%"
    what = scenario(access("rate: 1000/s", mixed), head="duration: 2s")
    (job,) = run_fio(what, tmp_path)
    assert 500 < job["read"]["iops"] < 900
    assert 200 < job["write"]["iops"] < 400


@needs_fio
def test_fio_ends_a_job_after_its_amount(tmp_path: Path) -> None:
    what = scenario(access("processes: 2, outstanding: 4, amount: 40MiB"), head="duration: 5m")
    (job,) = run_fio(what, tmp_path)
    assert job["read"]["io_bytes"] == 40 * MIB
    assert made(what).inexact == []
    uneven = scenario(access("processes: 3, outstanding: 4, amount: 40MiB"))
    assert made(uneven).inexact == [
        "a: amount: in fio each process does as much as the one with the most"
    ]


@needs_fio
def test_fio_s_load_steps_follow_each_other(tmp_path: Path) -> None:
    what = scenario(access("processes: [1, 3]"), head="duration: 2s")
    first, second = run_fio(what, tmp_path)
    assert (first["jobname"], second["jobname"]) == ("a.1", "a.2")
    # Together they took the steps' two seconds, not one second in parallel.
    assert 900 <= first["job_runtime"] < 2000
    assert 2700 <= second["job_runtime"] < 6000
