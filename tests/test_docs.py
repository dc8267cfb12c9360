"""The documentation: its links lead somewhere, its commands run, and their output is true."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from blockyard._core import Scenario
from blockyard.runs.tables import INTERVALS, VOLUMES
from conftest import ROOT
from nursery import on_a_path
from pages import PAGES, SAVED, SHARED, WITH_DATABASES, Block, blocks, name_of, prose

REFERENCE = ROOT / "docs" / "reference"

# The languages of blocks that are run, or not; no other language is allowed.
RUN = ("console", "sh", "python")
SHOWN = (*SAVED, "text")

# Blocks of commands that no test here runs, by page and first line, and why.
_BENCHMARK = "compares speeds, which takes minutes and programs of others"
_UNTIL_STOPPED = "serves until it is stopped; docs/howto/postgresql.md does the same"
_BY_WHEEL = "tests/test_wheel.py does it"
_CLUSTER = "needs a cluster; tests/test_sweep_engines.py has local ones"
_FLEET = "needs hosts; tests/test_bench_hosts.py has SSH servers"
_DATABASE = "needs a database on a disk; tests/test_observe.py has a loop device"
_BY_CI = "a step of .ci/run, which runs these tests, too"
NOT_RUN = {
    ("CONTRIBUTING.md", "make build    # .venv/bin/blockyard, with all it needs"): _BY_CI,
    (
        "README.md",
        "make demo   # what to buy, and published tests beside what was published",
    ): "takes minutes",
    (
        "README.md",
        "blockyard emulate scenarios/examples/gp2.yaml --as block --control gp2.control",
    ): _UNTIL_STOPPED,
    ("docs/reference/prices.md", "region=eu-central-1"): "fetches a file from AWS",
    (
        "docs/emulate.md",
        "blockyard emulate scenarios/examples/gp2.yaml --as block --backing /var/tmp/volumes",
    ): _UNTIL_STOPPED,
    ("benchmarks/bench/README.md", "make build"): _BENCHMARK,
    (
        "benchmarks/commits/README.md",
        "git worktree add ../before 6b2cb69 && make -C ../before build",
    ): _BENCHMARK,
    ("benchmarks/clusters/README.md", "make build"): _BENCHMARK,
    ("benchmarks/days/README.md", "make build"): _BENCHMARK,
    ("benchmarks/emulate/README.md", "make build"): _BENCHMARK,
    ("benchmarks/failover/README.md", "make build .venv/installed-dev"): _BENCHMARK,
    ("benchmarks/incidents/README.md", "make build"): _BENCHMARK,
    ("benchmarks/mirrors/README.md", "make build"): _BENCHMARK,
    ("benchmarks/page/README.md", "make build"): _BENCHMARK,
    (
        "benchmarks/page/README.md",
        ".venv/bin/python benchmarks/page/first_answer.py",
    ): _BENCHMARK,
    ("benchmarks/observe/README.md", "make build"): _BENCHMARK,
    ("benchmarks/oltp/README.md", "make build"): _BENCHMARK,
    ("benchmarks/plan/README.md", "make build"): _BENCHMARK,
    ("benchmarks/queues/README.md", "make build"): _BENCHMARK,
    ("benchmarks/replay/README.md", "make build"): _BENCHMARK,
    ("benchmarks/simulate/README.md", "make build"): _BENCHMARK,
    ("benchmarks/traces/README.md", "make build"): _BENCHMARK,
    ("benchmarks/sweep/README.md", "make build"): _BENCHMARK,
    (
        "benchmarks/simulate/README.md",
        "cargo test --release -p blockyard-simulate --test all -- --ignored --nocapture what_an_io",
    ): _BENCHMARK,
    ("catalog/README.md", "pip download --no-deps moto==5.2.5"): "scripts/drift.sh does it",
    (
        "catalog/README.md",
        "python3 catalog/generate_prices.py --check zz_generated.pricing_aws.go",
    ): "needs a file of another repository",
    (
        "docs/install.md",
        "make wheel   # target/wheels/blockyard-VERSION-cp311-abi3-PLATFORM.whl",
    ): _BY_WHEEL,
    ("docs/install.md", "python3 -m venv ~/blockyard"): _BY_WHEEL,
    (
        "docs/howto/bench-a-fleet.md",
        "blockyard bench bought.yaml --hosts hosts.yaml --map data=/dev/nvme1n1 --out together",
    ): _FLEET,
    ("docs/howto/bench-a-fleet.md", "grep -e hosts: -e db1 hosts.yaml > one.yaml"): _FLEET,
    (
        "docs/howto/observe.md",
        "blockyard observe --device /var/lib/postgresql --unit postgresql --duration 1m "
        "--out tuesday",
    ): _DATABASE,
    (
        "docs/howto/observe.md",
        "blockyard observe --device /var/lib/postgresql --unit postgresql --calls --duration 1m "
        "--out waits",
    ): _DATABASE,
    (
        "docs/howto/observe.md",
        "blockyard observe --device nvme1n1 --volume gp2,size=60GiB --instance m5.large "
        "--duration 1m --out slow",
    ): _DATABASE,
    (
        "docs/howto/replay.md",
        "blockyard observe --device /var/lib/postgresql --unit postgresql --io-log \\",
    ): _DATABASE,
    ("docs/howto/sweep.md", "dask ssh node1 node2 &"): _CLUSTER,
    ("docs/howto/sweep.md", "from dask_jobqueue import SLURMCluster"): _CLUSTER,
    ("docs/howto/sweep.md", "from dask_kubernetes.operator import KubeCluster"): _CLUSTER,
    (
        "docs/howto/sweep.md",
        "kubectl port-forward service/raycluster-head-svc 10001:10001 &",
    ): _CLUSTER,
    ("docs/tutorial.md", "make build"): _BY_CI,
    ("fuzz/README.md", "cargo install cargo-fuzz"): "fuzzes without end",
    (
        "requirements/README.md",
        "for set in uv runtime build dev docs; do",
    ): "asks for the newest packages",
}

# Programs that a page's commands need.
NEEDED = {"docs/howto/check-what-you-bought.md": ["fio"]}


# What words state of an output that the page does not show: each is on the page, and printed.
STATED = {
    "docs/howto/backup.md": ["1 h 27 min", "6.60 ms", "312 MB/s", "58 min", "3.08 ms"],
    "docs/howto/days.md": [
        "5,000 IOPS", "136 % of the demand", "6,144 IOPS", "gp3 of 188 GiB", "of 63 GiB",
    ],
    "docs/howto/fio.md": ["12,600", "3,150", "-69 %", "$61.08", "$16.08"],
    "docs/howto/how-much-can-it-take.md": ["576 IOs/s", "2,500", "47 min"],
    "docs/howto/last-nights-iostat.md": [
        "1,448 IOPS at 1.11 ms", "bursts of up to 5,566", "Of 5,566 IOPS due of reads", "1,405",
        "gp3 with 3,200 IOPS",
    ],
    "docs/howto/lost-zone.md": [
        "6.04 s", "1,007 transactions", "1,295 transactions", "7.71 s", "23.7 s",
    ],
    "docs/howto/oltp.md": [
        "593 transactions a second at 54.0 ms (p99 122 ms)", "90 % of their time", "hit ratio 91 %",
    ],
    "docs/howto/own-layout.md": ["12,000 IOPS", "302 a second"],
    "docs/howto/pull-request.md": ["-50% IOPS", "p99 +73%", "cost -48%", "3.15 ms"],
    "docs/howto/what-should-i-buy.md": [
        "c6g.4xlarge (arm64)", "$447.52", "56 %", "$253.80",
    ],
    "docs/howto/replay.md": [
        "credits were used up", "baseline of 120 IOPS 41% of the time", "$74.08", "2.01 s",
        "gp3 with 3,000 IOPS", "1.04 ms", "+4.00", "+33.40", "io2 with 400 IOPS", "+27.00",
        "-71 %", "0.51 ms", "124 ms", "0.46 ms", "125 ms", "0.54 ms", "1.03 ms", "73.28",
        "114.08", "0.35 ms", "0.58 ms", "done after 33.2 s",
    ],
    "docs/tutorial.md": ["6,600", "0.61 ms", "1.33", "2.67 ms", "3,600 IOPS"],
}  # fmt: skip


def anchors(page: Path) -> set[str]:
    """The anchors on a page: its headings, in the form that GitHub gives them."""
    headings = re.findall(r"^#+ (.*)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def pages_with(*languages: str) -> list[Path]:
    """The pages that have blocks of these languages."""
    return [page for page in PAGES if blocks(page, *languages)]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_relative_links_lead_to_files_and_headings(page: Path) -> None:
    for link in re.findall(r"\]\(([^)]+)\)", prose(page)):
        if "://" not in link:
            path, _, anchor = link.partition("#")
            target = page.parent / path if path else page
            assert target.exists(), link
            assert not anchor or anchor in anchors(target), link


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_block_is_run_or_has_no_commands(page: Path) -> None:
    assert not re.search(r"\A {4}|\n\n {4,}\S", prose(page)), "code without a language"
    for block in blocks(page):
        assert block.language in RUN + SHOWN, block.opening
        if block.language == "text":
            assert not re.search(r"^(\$ |(blockyard|make|pip) )", block.text, re.MULTILINE)


def test_what_is_not_run_is_there() -> None:
    there = {(name_of(page), block.opening) for page in PAGES for block in blocks(page, *RUN)}
    assert NOT_RUN.keys() <= there


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The path of the documents' commands: `blockyard` in forks, and this Python's programs."""
    folder = tmp_path_factory.mktemp("programs")
    with on_a_path(folder):
        yield f"{folder}:{Path(sys.executable).parent}:{os.environ['PATH']}"


@pytest.mark.slow
@pytest.mark.parametrize(
    "page",
    [page for page in pages_with(*RUN) if page.stem not in WITH_DATABASES],
    ids=name_of,
)
def test_commands_run_in_their_order(
    page: Path, tmp_path: Path, programs: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", programs)
    missing = [program for program in NEEDED.get(name_of(page), []) if not shutil.which(program)]
    if missing:
        pytest.skip(f"missing: {', '.join(missing)}")
    for name in SHARED:
        (tmp_path / name).symlink_to(ROOT / name)
    printed, hidden = "", ""
    for block in blocks(page):
        if (name_of(page), block.opening) in NOT_RUN:
            continue
        if block.language in SAVED and block.file:
            (tmp_path / block.file).write_text(block.text)
        elif block.language == "console":
            hidden += run_console(block, tmp_path)
        elif block.language == "sh":
            hidden += finished("bash", "-euo", "pipefail", "-c", block.text, folder=tmp_path)
        elif block.language == "python":
            printed = finished("python", "-c", block.text, folder=tmp_path)
        elif block.language == "text" and block.follows:
            assert printed == block.text
    for stated in map(unspaced, STATED.get(name_of(page), [])):
        assert stated in unspaced(prose(page)), "no longer on the page: leave it out of STATED"
        assert stated in unspaced(hidden), "the page says what is not printed"
    for line in quoted(page):
        assert unspaced(line) in unspaced(hidden), line


def quoted(page: Path) -> list[str]:
    """The lines that a page shows as part of an answer."""
    parts = re.findall(r"^From the answer:\n\n```text\n(.*?)^```", page.read_text(), re.M | re.S)
    return "".join(parts).splitlines()


def unspaced(text: str) -> str:
    """A text without blanks, which pages and outputs have in other places."""
    return "".join(text.split())


def run_console(block: Block, folder: Path) -> str:
    """Run each command of a block, and return what they print but the page does not show.

    Those shown with output must print it.
    """
    hidden = ""
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        printed = finished(*shlex.split(command), folder=folder)
        if output:
            assert lines(printed) == lines(output)
        else:
            hidden += printed
    return hidden


def lines(text: str) -> list[str]:
    """The lines of an output, without the blanks at their ends, which pages must not have."""
    return [line.rstrip() for line in text.strip().splitlines()]


def finished(*command: str, folder: Path) -> str:
    """The output of a command that must succeed."""
    done = subprocess.run(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("page", pages_with("yaml"), ids=name_of)
def test_yaml_blocks_are_scenarios(page: Path) -> None:
    for block in blocks(page, "yaml"):
        Scenario.load(block.text, name_of(page), [])


def test_results_page_has_every_column() -> None:
    page = (REFERENCE / "results.md").read_text()
    for name, schema in (("intervals", INTERVALS), ("volumes", VOLUMES)):
        _, _, rest = page.partition(f"## {name}.parquet")
        columns = re.findall(r"^- `(\w+)` \(", rest.partition("\n## ")[0], re.MULTILINE)
        assert columns == list(schema.names)
