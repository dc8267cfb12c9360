"""`blockyard import fio`: job files become scenarios, and what cannot be converted is named."""

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockyard import Scenario
from blockyard.formats.fio import command_line, jobfile
from blockyard.formats.fio.importing import Imported, Origin, scenario_of
from blockyard.formats.fio.load import NOTHING, Missing
from blockyard.formats.fio.settings import Settings
from conftest import Blockyard, one_line

MIB, GIB = 1 << 20, 1 << 30
SECOND = 1_000_000_000

# A job that converts exactly; options that the tests add override it.
PLAIN = "direct=1\nnorandommap\ntime_based\nruntime=10\nrw=randread\nsize=1g\n"
ZIPF = {"kind": "zipf", "permille": 1200, "scatter": True}
HOT = {"kind": "hot", "ios_permille": 900, "blocks_permille": 100, "scatter": False}
UNIFORM = {"read_permille": 1000, "random_permille": 1000, "skew": None}


def imported(
    text: str, folder: Path, *, missing: Missing = NOTHING, lenient: bool = False, **sets: str
) -> Imported:
    path = folder / "job.fio"
    path.write_text(text)
    settings = Settings(sets)
    found = jobfile.read(path, settings)
    jobfile.override(found, settings)
    return scenario_of(found, Origin.of_file(path), missing=missing, lenient=lenient)


def loaded(
    text: str, folder: Path, *, missing: Missing = NOTHING, lenient: bool = False, **sets: str
) -> Scenario:
    made = imported(text, folder, missing=missing, lenient=lenient, **sets)
    return Scenario.load(made.text, "made.yaml", [])


def jobs(scenario: Scenario) -> list[dict[str, Any]]:
    return list(json.loads(scenario.jobs()))


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("", {**UNIFORM, "block": 4096, "size": GIB}),
        ("bs=8k\nrw=read", {**UNIFORM, "block": 8192, "random_permille": 0}),
        ("rw=randwrite", {"read_permille": 0, "random_permille": 1000}),
        ("rw=randrw", {"read_permille": 500, "random_permille": 1000}),
        ("rw=randrw\nrwmixread=70", {"read_permille": 700}),
        ("rw=randrw\nrwmixread=70\nrwmixwrite=10", {"read_permille": 900}),
        ("percentage_random=30", {"random_permille": 300}),
        ("rw=write\nbs=4k,64k", {"block": 65536, "read_permille": 0}),
        ("bssplit=8k", {"block": 8192}),
        ("bssplit=8k/100:64k/0", {"block": 8192}),
        ("bsrange=8k-8k", {"block": 8192}),
        ("rw=write\nbsrange=4k-8k,16k-16k", {"block": 16384}),
        ("kb_base=1000\nbs=4KiB\nsize=8192k", {"block": 4096, "size": 8_192_000}),
        ("filesize=2g\noffset=1g", {"size": GIB}),
        ("random_distribution=zipf:1.2", {"skew": ZIPF}),
        ("random_distribution=zoned:90/10:10/90", {"skew": HOT}),
        ("random_distribution=random", {"skew": None}),
        ("numjobs=4", {"size": 4 * GIB}),
        ("numjobs=4\nfilename=f", {"size": GIB, "device": "f"}),
        ("numjobs=4\nfilename=f\noffset_increment=1g\nrw=read", {"size": 4 * GIB}),
        ("filename=/dev/nvme1n1", {"device": "nvme1n1"}),
        ("directory=/mnt/fast", {"device": "fast"}),
        ("fsync=1\nthinktime=0\nverify=0", UNIFORM),
    ],
)
def test_patterns_and_places(tmp_path: Path, options: str, expected: dict[str, object]) -> None:
    (job,) = jobs(loaded(f"[a]\n{PLAIN}{options}\n", tmp_path))
    assert {key: job[key] for key in expected} == expected


CLOSED = {"kind": "closed", "outstanding": 1, "steps": [[0, 1]]}
OPEN = {"kind": "open", "arrivals": "even", "latency_limit": None, "max_outstanding": 1}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("", CLOSED),
        ("iodepth=32\nioengine=libaio", CLOSED | {"outstanding": 32}),
        ("iodepth=32\nioengine=psync", CLOSED),
        ("iodepth=32", CLOSED),
        ("numjobs=3", CLOSED | {"steps": [[0, 3]]}),
        ("rate_iops=500", OPEN | {"steps": [[0, 500]]}),
        ("rate_iops=500\nnumjobs=2", OPEN | {"steps": [[0, 1000]], "max_outstanding": 2}),
        ("rate_iops=5\nrate_process=poisson", OPEN | {"steps": [[0, 5]], "arrivals": "poisson"}),
        ("rate=4m\nbs=8k", OPEN | {"steps": [[0, 512]]}),
        ("rw=randrw\nrate_iops=300,100", OPEN | {"steps": [[0, 400]]}),
        ("rw=randrw\nrate_iops=300", OPEN | {"steps": [[0, 600]]}),
        (
            "ioengine=io_uring\niodepth=64\nrate_iops=9",
            OPEN | {"steps": [[0, 9]], "max_outstanding": 64},
        ),
    ],
)
def test_loops(tmp_path: Path, options: str, expected: dict[str, object]) -> None:
    (job,) = jobs(loaded(f"[a]\n{PLAIN}{options}\n", tmp_path))
    assert job["load"] == expected


def test_a_rate_decides_the_mix(tmp_path: Path) -> None:
    text = f"[a]\n{PLAIN}rw=randrw\nrwmixread=50\nrate_iops=300,100\n"
    assert jobs(loaded(text, tmp_path))[0]["read_permille"] == 750


def test_jobs_one_after_another_are_load_steps(tmp_path: Path) -> None:
    text = f"[global]\n{PLAIN}filename=f\nstonewall\n[r.1]\nnumjobs=1\n[r.2]\nnumjobs=2\n"
    text += "[r.3]\nnumjobs=4\nstartdelay=5\n[w]\nrw=randwrite\n"
    scenario = loaded(text, tmp_path)
    readers, writers = jobs(scenario)
    assert (readers["name"], writers["name"]) == ("r", "w")
    steps = [[0, 1], [10, 2], [20, 0], [25, 4], [35, 0]]
    assert readers["load"]["steps"] == [[at * SECOND, count] for at, count in steps]
    assert writers["load"]["steps"] == [[0, 0], [35 * SECOND, 1]]
    assert scenario.duration_s == 45


def test_warmup_interval_and_seed(tmp_path: Path) -> None:
    text = f"[global]\n{PLAIN}ramp_time=5\nrandseed=7\n[a]\nruntime=2500ms\n[b]\nruntime=2500ms\n"
    scenario = loaded(text, tmp_path)
    assert (scenario.warmup_s, scenario.duration_s, scenario.seed) == (5, 7.5, 7)
    assert "interval: 500ms\n" in imported(text, tmp_path).text


def test_names_that_a_scenario_could_not_have(tmp_path: Path) -> None:
    text = f"[global]\n{PLAIN}\n[a job!]\nfilename=/mnt/ä b.dat\n[a job?]\nfilename=/tmp/b.dat\n"
    made = jobs(loaded(text, tmp_path))
    assert [(job["name"], job["device"]) for job in made] == [("a-job", "b"), ("a-job-2", "b-2")]


def test_a_random_read_at_depth_1_is_ranread(tmp_path: Path) -> None:
    text = imported(f"[a]\n{PLAIN}bs=8k\nnumjobs=2\nfilename=/dev/sdb\n", tmp_path).text
    assert text.endswith(
        "name: job\nseed: 1\nduration: 10s\nstorage:\n"
        "  sdb: {type: gp3, size: 2GiB} # /dev/sdb\nworkload:\n"
        "  a:\n    kind: ranread\n    on: sdb\n    file_size: 1GiB\n    block: 8KiB\n"
        "    processes: 2\n"
    )


def test_what_differs_and_what_does_not_matter_is_told(tmp_path: Path) -> None:
    options = "group_reporting\nioengine=libaio\nlog_avg_msec=100\noffset=1m\nrate_iops=5\n"
    text = imported(f"[a]\n{PLAIN.replace('norandommap', '')}{options}", tmp_path).text
    comments = [line for line in text.splitlines() if line.startswith("#")]
    assert "#   log_avg_msec=100" in comments
    for what in ("without norandommap", "not at fio's offset", "latency from an IO's submission"):
        assert any(what in comment for comment in comments), what


# Line 8 of the file has the option.
@pytest.mark.parametrize(
    ("option", "reason"),
    [
        ("bssplit=4k/50:12k/50", "IOs of several sizes; a job here has one"),
        ("bssplit=8k/50:64k/50", "IOs of several sizes; a job here has one"),
        ("bsrange=4k-16k", "IOs of several sizes; a job here has one"),
        ("rw=randtrim", "trims; a job reads and writes"),
        ("thinktime=100", "pauses between IOs"),
        ("rw=randread:8", "an offset for several IOs"),
        ("iodepth_low=4", "IOs go out and come back in batches"),
        ("latency_target=1ms", "changes the load by the latency it sees"),
        ("zonemode=strided", "zones; a device has none"),
        ("read_iolog=x.log", "IOs from a file"),
        ("flow=8", "depends on what other jobs do"),
        ("iodeph=32", "fio has no such option; the nearest is `iodepth`"),
        ("qqqqqqqq=1", "fio has no such option"),
        ("ba=512", "IOs are aligned to their size"),
        ("random_distribution=pareto:0.2", "expected random, zipf:EXPONENT or two zones of 100%"),
    ],
)
@pytest.mark.parametrize("lenient", [False, True])
def test_what_changes_the_load_and_has_no_form_is_an_error_even_if_lenient(
    tmp_path: Path, option: str, reason: str, lenient: bool
) -> None:
    with pytest.raises(jobfile.JobFileError) as error:
        loaded(f"[a]\n{PLAIN}{option}\n", tmp_path, lenient=lenient)
    assert str(error.value).startswith(f"{tmp_path}/job.fio:8: {option}: {reason}")


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ("rw=rw", "each continue their own run"),
        ("rw=randrw\npercentage_random=50", "each continue their own run"),
        ("rw=randrw\npercentage_random=50,20", "differs between reads and writes"),
        ("rw=randrw\nbs=4k,8k", "bs=4k,8k: IOs of several sizes"),
        ("rw=randrw\nrwmixread=75\nbssplit=4k/50:12k/50,16k", "IOs of several sizes"),
        ("rw=randrw\nrate_iops=,50", "a rate for only one direction"),
        ("rw=randwrite\nrate_iops=50\nfsync=8", "an open loop here has no fsyncs"),
        ("rw=randwrite\nioengine=libaio\niodepth=8\nfsync=8", "fio goes on while it waits"),
        ("rw=randwrite\nsync_file_range=write:8", "makes written data durable in a way"),
        ("rw=randwrite\nverify=crc32c\nverify_backlog=8", "reads back what it wrote, in between"),
        ("rw=read\nnrfiles=4", "several files, each with its own run"),
        ("rw=read\nfilename=a:b", "several files, each with its own run"),
        ("numjobs=2\nfilename=f\noffset_increment=1m", "expected none, or as much as `size`"),
        ("numjobs=2\nrandom_distribution=zipf:1.2", "each process prefers other blocks"),
        ("ioengine=libaio\niodepth=8\niodepth_batch=0", "IOs go out and come back in batches"),
        ("wait_for=b", "expected the name of an earlier job"),
    ],
)
@pytest.mark.parametrize("lenient", [False, True])
def test_what_options_make_together_is_an_error_too(
    tmp_path: Path, options: str, reason: str, lenient: bool
) -> None:
    with pytest.raises(jobfile.JobFileError, match=reason):
        loaded(f"[a]\n{PLAIN}{options}\n", tmp_path, lenient=lenient)


READ_AHEAD = {"read_permille": 1000, "random_permille": 0}


@pytest.mark.parametrize(
    ("options", "option", "assumed", "line"),
    [
        ("direct=0", "direct", "every IO goes to the device", "kind: ranread"),
        ("rw=write\nbuffered=1", "buffered", "every IO goes to the device", "outstanding: 1"),
        ("rw=read\ndirect=0", "direct", "Linux reads 128 KiB ahead", "read_ahead: 128KiB"),
        ("rw=read\nioengine=mmap", "direct", "Linux reads 128 KiB ahead", "read_ahead: 128KiB"),
        ("direct=0\nioengine=libaio\niodepth=9", "direct", "every IO goes", "kind: ranread"),
        ("direct=0\nioengine=libaio\niodepth=9", "direct", "one at a time, as libaio", "ranread"),
        ("direct=0\nrate_iops=5", "direct", "every IO goes to the device", "rate: 5/s"),
        ("rw=read\ndirect=0\nrate_iops=5", "direct", "every IO goes to the device", "rate: 5/s"),
        ("ioengine=external:x.so", "ioengine", "it keeps iodepth IOs in flight", "kind: ranread"),
        ("rw=write\nverify=md5", "verify", "the job only writes", "kind: access_spec"),
        ("number_ios=100", "number_ios", "the job runs for its runtime", "duration: 10s"),
        ("exitall", "exitall", "the job runs for its runtime", "duration: 10s"),
        ("rw=randwrite\nsync=1", "sync", "so is every write that a volume", "random: 100%"),
        ("rw=read\nfilename=f\nnumjobs=2", "numjobs", "spread over the file", "processes: 2"),
    ],
)
def test_lenient_decides_what_is_open_and_writes_it_down(
    tmp_path: Path, options: str, option: str, assumed: str, line: str
) -> None:
    text = f"[a]\n{PLAIN}{options}\n"
    with pytest.raises(jobfile.JobFileError, match=f"; with --lenient: .*{assumed}"):
        loaded(text, tmp_path)
    made = imported(text, tmp_path, lenient=True)
    assert [said.startswith(f"{option}: ") and assumed in said for said in made.assumed] == [True]
    scenario = Scenario.load(made.text, "made.yaml", [])
    assert assumed in scenario.show().split("assumptions:")[1].split("seed:")[0]
    assert line in made.text


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ("rw=randwrite\nfsync=8", "fsync_every: 8"),
        ("rw=write\ndirect=0\nfdatasync=1", "fsync_every: 1"),
        ("rw=randwrite\nverify=crc32c\ndo_verify=0", "read: 0%"),
        ("verify=crc32c", "kind: ranread"),
        ("time_based=0\nloops=3", "duration: 10s"),
        ("nrfiles=4", "file_size: 1GiB"),
        ("filename=/dev/sdb:/dev/sdc", "file_size: 1GiB"),
        ("rw=write\nio_size=1m", "file_size: 1GiB"),
        ("ioengine=io_uring_cmd\ndirect=0\niodepth=4", "outstanding: 4"),
        ("ioengine=rbd\nrbdname=x\npool=p\ndirect=0", "kind: ranread"),
        ("continue_on_error=all\nthinktime_blocks=4", "kind: ranread"),
    ],
)
def test_what_makes_the_same_load_is_taken(tmp_path: Path, options: str, line: str) -> None:
    assert f"    {line}\n" in imported(f"[a]\n{PLAIN}{options}\n", tmp_path).text.replace(
        "duration: 10s", "    duration: 10s"
    ).replace(", read: 0%", ",\n    read: 0%\n")


def test_a_job_that_waits_for_another_begins_when_that_ends(tmp_path: Path) -> None:
    text = f"[global]\n{PLAIN}[a]\nrw=write\n[b]\n[c]\nwait_for=a\nruntime=5\n"
    _, second = jobs(loaded(text, tmp_path))
    assert second["load"]["steps"] == [[0, 1], [10 * SECOND, 1]]


def test_ramps_of_later_jobs_are_load_like_any(tmp_path: Path) -> None:
    text = f"[global]\n{PLAIN}ramp_time=5\nstonewall\n[a]\n[b]\n"
    scenario = loaded(text, tmp_path)
    assert (scenario.warmup_s, scenario.duration_s) == (5, 30)
    assert "figures leave out one warm-up" in imported(text, tmp_path).text


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ("bssplit=8k/60:64k/60", "expected percentages of at most 100 in all"),
        ("bssplit=8k/0:64k/0", "expected a size that some IOs have"),
        ("bsrange=64k-8k", "expected a range such as 4k-16k"),
    ],
)
def test_sizes_that_fio_refuses_are_refused(tmp_path: Path, options: str, reason: str) -> None:
    with pytest.raises(jobfile.JobFileError, match=reason):
        imported(f"[a]\n{PLAIN}{options}\n", tmp_path, lenient=True)


def test_a_job_that_does_no_block_io_is_refused_as_such(tmp_path: Path) -> None:
    text = f"[a]\n{PLAIN}ioengine=cpuio\n[b]\n{PLAIN}"
    with pytest.raises(jobfile.JobFileError, match="no block IO: the engine burns processor time"):
        loaded(text, tmp_path)
    made = imported(text, tmp_path, lenient=True)
    assert [job["name"] for job in jobs(Scenario.load(made.text, "made.yaml", []))] == ["b"]
    assert "[a] is left out" in made.assumed[0]
    with pytest.raises(jobfile.JobFileError, match=r"job.fio: no block IO in any job"):
        loaded("[a]\nioengine=net\n[b]\nioengine=rdma\n", tmp_path, lenient=True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("size=1.5g", "job.fio:8: size=1.5g: expected a whole size such as 4k or 10g"),
        ("direct=yes", "job.fio:8: direct=yes: expected 0 or 1"),
        ("iodepth=0", "job.fio:8: iodepth=0: expected at least 1"),
        ("runtime=soon", "job.fio:8: runtime=soon: expected a whole time"),
        ("runtime=0", "job.fio:8: runtime=0: expected one, as with --runtime 60s"),
        ("rw=reed", "job.fio:8: rw=reed: expected read, write, rw or"),
        ("rwmixread=101\nrw=rw", "job.fio:8: rwmixread=101: expected a whole percentage"),
        ("kb_base=1023", "job.fio:8: kb_base=1023: expected 1000 or 1024"),
        ("rate_iops=5\nrate_process=odd", "job.fio:9: rate_process=odd: expected linear or"),
        ("size=50%", "job.fio:8: size=50%: a share of what only the machine knows"),
        ("runtime=1500us", "job.fio: times finer than 1ms"),
        ("bs=1000", "job.fio:8: bs=1000: IOs of 1,000 bytes; expected a multiple of 512"),
        ("bs=${BS}", "job.fio:8: bs=${BS}: BS is not set; expected it in the environment or --set"),
        ("numjobs=$ncpus", "job.fio:8: numjobs=$ncpus: ncpus is not set"),
        ("offset=2g\nfilesize=1g", "job.fio:8: offset=2g: behind the end of 1,073,741,824 bytes"),
    ],
)
def test_values_that_make_no_sense_are_errors_even_if_lenient(
    tmp_path: Path, options: str, message: str
) -> None:
    with pytest.raises(jobfile.JobFileError) as error:
        loaded(f"[a]\n{PLAIN}{options}\n", tmp_path, lenient=True)
    assert str(error.value).startswith(f"{tmp_path}/{message}")


@pytest.mark.parametrize(("option", "size"), [("", 100), ("size=25%", 25), ("offset=40m", 60)])
def test_the_size_of_what_a_job_takes_whole_is_given(
    tmp_path: Path, option: str, size: int
) -> None:
    text = f"[a]\n{PLAIN.replace('size=1g', option)}\nfilename=/dev/sdb\n"
    assert jobs(loaded(text, tmp_path, missing=Missing(size=100 * MIB)))[0]["size"] == size * MIB
    with pytest.raises(jobfile.JobFileError, match="--size"):
        loaded(text, tmp_path)


def test_all_errors_of_a_file_are_told_at_once_each_once(tmp_path: Path) -> None:
    text = "[global]\ndirect=1\nrw=reed\nflow=1\n[a]\n[b]\nsize=1g\nbs=1.5k\n[c]\n"
    with pytest.raises(jobfile.JobFileError) as error:
        loaded(text, tmp_path)
    lines = str(error.value).replace(f"{tmp_path}/", "").splitlines()
    assert [line.partition(": ")[2].split(": ")[:2] for line in lines] == [
        ["rw=reed", "expected read, write, rw or one of these with rand before it"],
        ["flow=1", "depends on what other jobs do"],
        ["[a] and 1 more job", "no size"],
        ["[a] and 2 more jobs", "no runtime"],
        ["bs=1.5k", "expected a whole size such as 4k or 10g"],
    ]


def test_missing_values_are_given(tmp_path: Path) -> None:
    text = "[global]\ndirect=1\nrw=${RW}\nfilename=${DEV}\n[a]\n[b]\nstonewall\nbs=${BS}\n"
    given = Missing(size=GIB, runtime=7 * SECOND)
    scenario = loaded(text, tmp_path, missing=given, RW="randwrite", BS="16k", iodepth="1")
    assert scenario.duration_s == 14
    assert [(job["block"], job["device"]) for job in jobs(scenario)] == [
        (4096, "DEV"),
        (16384, "DEV"),
    ]
    with pytest.raises(jobfile.JobFileError, match="--set: IODEPTH=1: fio has no such option"):
        loaded(text, tmp_path, missing=given, IODEPTH="1")


def commanded(*words: str, lenient: bool = False) -> Scenario:
    found, origin = command_line.read(words, Settings({"BS": "8k"}))
    return Scenario.load(scenario_of(found, origin, lenient=lenient).text, "made.yaml", [])


COMMAND = "--direct=1 --rw=randread --runtime=60 --size=1g --time_based"


@pytest.mark.parametrize(
    "words",
    [
        ["fio", "--name=a", *COMMAND.split(), "--bs=8k"],
        ["sudo", "/usr/bin/fio", "-name=a", *COMMAND.split(), "-bs", "8k", "--group_reporting"],
        [f"sudo fio --name=a {COMMAND} \\\n  --bs=8k --output-format=json > out.json"],
        [f"$ fio \u2013name=a {COMMAND} \u2014bs=8k --eta always --output x.json | tee log"],
        ["fio", *COMMAND.split(), "--bs=8k", "--name=a"],
        [f"root@db:~#fio --name=a {COMMAND} --ioengine io_uring --hipri --bs 8k |tee log 2>&1"],
        [f"fio --name=a --filename=/dev/$disk {COMMAND} --bs=8k 2>/dev/null | head -2"],
    ],
)
def test_a_command_line_is_a_job_file_in_one_line(words: list[str]) -> None:
    assert command_line.is_command(words)
    scenario = commanded(*words)
    (job,) = jobs(scenario)
    assert (job["name"], job["block"], job["size"]) == ("a", 8192, GIB)
    assert scenario.duration_s == 60


def test_a_command_line_has_several_jobs_and_names_job_files(tmp_path: Path) -> None:
    (tmp_path / "w.fio").write_text("[w]\nrw=randwrite\n[x]\n")
    scenario = commanded(
        *("fio", *COMMAND.split(), "--name=a", "--bs=8k", "--name=b", "--stonewall"),
        *("--section=w", str(tmp_path / "w.fio")),
    )
    found = jobs(scenario)
    assert [(job["name"], job["block"]) for job in found] == [("a", 8192), ("b", 4096), ("w", 4096)]
    assert found[1]["load"]["steps"] == [[0, 0], [60 * SECOND, 1]]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["fio", "--name=a", "--bs=1.5k"], "command line: bs=1.5k: expected a whole size"),
        (["fio", "--rw=read"], "command line: no job; expected --name=NAME or a job file"),
        (["fio", "--name=a", "--rw"], "command line: --rw: expected a value"),
        (["dd", "if=/dev/zero"], "command line: `dd`: expected `fio` and its options"),
        (["fio --name='a"], "command line: No closing quotation"),
        (["fio --name=a && fio --name=b"], "command line: several commands"),
        (["fio", "--client=host", "a.fio"], "command line: --client: jobs on other machines"),
    ],
)
def test_command_lines_that_are_none(words: list[str], message: str) -> None:
    with pytest.raises(jobfile.JobFileError) as error:
        commanded(*words)
    assert str(error.value).startswith(message)


def test_the_command_takes_a_command_line(blockyard: Blockyard) -> None:
    words = ["fio", "--name=r", "--rw=randread", "--size=1g", "--direct=1"]
    done = blockyard("import", "fio", "--runtime", "1m", "--", *words)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"# Made from `{' '.join(words)}` by `blockyard import fio`.\n")
    assert "name: r\nseed: 1\nduration: 1m\n" in done.stdout


def test_the_command_writes_a_scenario_that_runs(blockyard: Blockyard, tmp_path: Path) -> None:
    (tmp_path / "job.fio").write_text(f"[a]\n{PLAIN}runtime=1\n")
    done = blockyard("import", "fio", "job.fio", "-o", "made.yaml")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert blockyard("simulate", "made.yaml", "--out", "run").returncode == 0
    again = blockyard("import", "fio", "job.fio", "-o", "made.yaml")
    assert again.returncode == 2
    assert one_line(again) == "blockyard: made.yaml exists already; it is not overwritten"
    assert blockyard("import", "fio", "job.fio").stdout == (tmp_path / "made.yaml").read_text()


def test_the_size_of_a_device_is_in_a_scenario_s_units(
    blockyard: Blockyard, tmp_path: Path
) -> None:
    (tmp_path / "job.fio").write_text(f"[a]\n{PLAIN.replace('size=1g', '')}")
    done = blockyard("import", "fio", "job.fio", "--size", "3GiB")
    assert "file_size: 3GiB\n" in done.stdout


def test_the_command_names_each_thing_that_cannot_be_said(
    blockyard: Blockyard, tmp_path: Path
) -> None:
    (tmp_path / "job.fio").write_text(f"[a]\n{PLAIN}thinktime=5\nflow=1\n")
    for lenient in ([], ["--lenient"]):
        done = blockyard("import", "fio", "job.fio", *lenient)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.splitlines() == [
            "blockyard: job.fio:8: thinktime=5: pauses between IOs",
            "blockyard: job.fio:9: flow=1: depends on what other jobs do",
        ]
    (tmp_path / "job.fio").write_text(f"[a]\n{PLAIN}direct=0\n")
    done = blockyard("import", "fio", "job.fio", "--lenient")
    assert done.returncode == 0
    assert done.stderr.startswith("blockyard: assumed: direct: every IO goes to the device")
    Scenario.load(done.stdout, "made.yaml", [])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["gone.fio"], "gone.fio: No such file or directory"),
        (["bytes.fio"], "bytes.fio: not UTF-8 text"),
        (["gp3.yaml"], "gp3.yaml:1: `name: gp3`: not of a fio job file, which begins"),
        (["run.sh"], "run.sh:2: `fio --name=a`: a command line; give it as `blockyard import fio"),
        (["job.fio", "--size", "4g"], "--size: `4g`; expected a whole size such as 400GiB"),
        (["job.fio", "--runtime", "soon"], "--runtime: `soon`; expected a whole time such as 60s"),
        (["job.fio", "--set", "bs"], "--set: `bs`; expected NAME=VALUE"),
        (["job.fio", "-o", "no/where.yaml"], "no/where.yaml: No such file or directory"),
    ],
)
def test_what_the_command_cannot_read_or_write(
    blockyard: Blockyard, tmp_path: Path, arguments: list[str], message: str
) -> None:
    (tmp_path / "bytes.fio").write_bytes(b"[\xff\xfe]")
    (tmp_path / "run.sh").write_text("#!/bin/sh\nfio --name=a")
    (tmp_path / "job.fio").write_text(f"[a]\n{PLAIN}")
    done = blockyard("import", "fio", *arguments)
    assert done.returncode == 2
    assert one_line(done).startswith(f"blockyard: {message}")
    assert not (tmp_path / "no").exists()


PIECES = st.one_of(
    st.sampled_from(
        [
            *(
                "fio",
                "sudo",
                "#fio",
                "--name=a",
                "--name",
                "--bs=8k",
                "-rw",
                "read",
                "--",
                "-",
                "=",
            ),
            *("--=", "'", '"', "|", ">", "2>&1", "\\", "$", "${", "${A}", "--section=a", ";", "&&"),
        ]
    ),
    st.text(max_size=4),
)


@given(st.lists(PIECES, min_size=1, max_size=9), st.booleans())
def test_any_words_are_jobs_or_an_error_in_one_line(words: list[str], quoted: bool) -> None:
    said = "none"
    try:
        command_line.read([" ".join(words)] if quoted else words, Settings())
    except jobfile.JobFileError as error:
        said = str(error)
    except (OSError, ValueError) as error:
        # Of a job file that is not there, or cannot be a name.
        said = str(error)
    assert said


WORDS = st.sampled_from(
    [
        *("[a]", "[global]", "[b]", "direct=1", "rw=randread", "rw=write", "rw=randrw", "size=1g"),
        *(
            "runtime=9",
            "runtime=",
            "bs=8k",
            "bs=",
            "bs=0",
            "bs=4k,8k",
            "bssplit=4k/50:8k",
            "=",
            "x",
        ),
        *("numjobs=0", "numjobs=3", "iodepth=0", "iodepth=9", "rate_iops=0", "rate_iops=7,9"),
        *(
            "size=${S}",
            "size=50%",
            "size=999999999999999t",
            "offset=2g",
            "ramp_time=3",
            "stonewall",
        ),
        *("fsync=1", "nrfiles=0", "startdelay=1", "wait_for=a", "zonemode=zbd", "ioengine=cpuio"),
        *("ioengine=libaio", "random_distribution=zipf:1.2", "rwmixread=101", "rate_process=x"),
        *("runtime=99999999999999999999d", "kb_base=1", "percentage_random=,", "filename=a:b"),
    ]
)


@given(st.lists(WORDS, max_size=14), st.booleans(), st.booleans())
def test_any_file_is_a_scenario_or_errors_in_lines(
    words: list[str], begun: bool, lenient: bool
) -> None:
    text = (f"[global]\n{PLAIN}[a]\n" if begun else "") + "\n".join(words)
    said = ["none"]
    with tempfile.TemporaryDirectory() as folder:
        try:
            loaded(text, Path(folder), lenient=lenient)
        except jobfile.JobFileError as error:
            said = str(error).splitlines()
    assert said
    assert all(line.strip() for line in said)
