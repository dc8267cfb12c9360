"""One name for a limit: in results, in tables and in sentences."""

import json

import pyarrow.parquet as pq
import pytest

import blockyard as by
from blockyard.runs.run import Run
from blockyard.text import limit_names
from blockyard.words import paragraphs

# Both the instance's IOPS and the volumes' baseline throttle IOs.
_SCENARIO = """\
name: both
as_of: 2022-11-10
duration: 20s
host: {instance: m5.large, burst_balance: 0%}
storage:
  data: {stripe: {width: 2, chunk: 64KiB}, of: {type: gp2, size: 100GiB, burst_balance: 0%}}
  big: {type: gp3, size: 1000GiB, iops: 16000}
workload:
  readers: {kind: ranread, on: data, file_size: 10GiB, processes: 16}
  others: {kind: ranread, on: big, file_size: 10GiB, processes: 32}
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("both")
    (folder / "both.yaml").write_text(_SCENARIO)
    return by.simulate(folder / "both.yaml", out=folder / "run")


def test_tables_and_result_call_limits_the_same(run: Run) -> None:
    assert run.path
    result = json.loads((run.path / "result.json").read_text())
    resolved = {(found["owner"], found["limit"]) for found in result["resolved"]}
    assert ("host", "iops_credits") in resolved
    assert {(found["owner"], found["limit"]) for found in result["limits"]} <= resolved
    rows = pq.read_table(run.path / "volumes.parquet").to_pylist()
    for volume in result["volumes"]:
        name = volume["name"]
        over = {found for found in resolved if found[0] in ("host", name)}
        [row] = [row for row in rows if (row["t_s"], row["volume"]) == (0, name)]
        assert {_of_row(name, limit) for limit in volume["seconds_throttled"]} <= over
        for named in (dict(row["throttled_us"]), dict(row["limits"])):
            assert {_of_row(name, limit) for limit in named} == over
        assert "host.iops_credits" in volume["seconds_throttled"]


def _of_row(volume: str, name: str) -> tuple[str, str]:
    """The owner and the limit in a name that appears beside a volume's."""
    owner, dot, limit = name.partition(".")
    return (owner, limit) if dot else (volume, name)


def test_words_come_from_one_place(run: Run) -> None:
    assert run.facts
    assert run.facts["modelled"]
    waits = run.facts["modelled"]["waits"]
    throttled = {limit_names.in_words(found["limit"]) for found in waits}
    assert throttled == {"data IOPS baseline", "instance IOPS baseline"}
    said = " ".join(paragraphs.of(run))
    assert all(name in said for name in throttled)
