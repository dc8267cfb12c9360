"""What a run's figures say about its limits: one typed call, as Python describes it."""

import dataclasses
import types
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

import pyarrow as pa
import pytest

from blockyard import FileError
from blockyard.runs.run import Run
from blockyard.types import facts
from runs import simulated

NO_HOST_LIMITS = """\
name: unpublished
duration: 2s
host: {instance: m1.small}
storage:
  data: {type: gp2, size: 100GiB}
workload:
  readers: {kind: ranread, on: data, file_size: 10GiB, processes: 1}
"""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Run]:
    folder = tmp_path_factory.mktemp("runs")
    return [
        simulated(folder, "examples/gp3"),
        simulated(folder, "examples/gp2"),
        simulated(folder, "examples/small-database"),
        simulated(folder, "intersystems-2022/b083", "duration=3m"),
    ]


def known(run: Run) -> facts.Facts:
    assert run.facts
    return run.facts


def test_python_describes_what_rust_gives(runs: list[Run]) -> None:
    for run in runs:
        _check(known(run), facts.Facts, "facts")


def _check(value: Any, kind: Any, place: str) -> None:
    if is_typeddict(kind):
        hints = get_type_hints(kind)
        assert set(value) == set(hints), place
        for name, of in hints.items():
            _check(value[name], of, f"{place}.{name}")
    elif get_origin(kind) is list:
        for number, item in enumerate(value):
            _check(item, get_args(kind)[0], f"{place}[{number}]")
    elif get_origin(kind) is tuple:
        assert len(value) == len(get_args(kind)), place
        for item, of in zip(value, get_args(kind), strict=True):
            _check(item, of, place)
    elif get_origin(kind) is Literal:
        assert value in get_args(kind), place
    elif get_origin(kind) in (Union, types.UnionType):
        _check_any(value, get_args(kind), place)
    elif kind is float:
        assert isinstance(value, int | float), place
    else:
        assert isinstance(value, kind), place


def _check_any(value: Any, kinds: tuple[Any, ...], place: str) -> None:
    problems = []
    for kind in kinds:
        try:
            return _check(value, kind, place)
        except (AssertionError, TypeError) as problem:
            problems.append(problem)
    raise AssertionError(place, problems)


def test_facts_are_taken_once(runs: list[Run]) -> None:
    assert runs[0].facts is runs[0].facts
    assert runs[0].asked() is runs[0].asked()


def test_use_of_a_limit_is_what_volumes_served(runs: list[Run]) -> None:
    run = runs[0]
    limit = known(run)["limits"][0]
    [volume] = run.result["volumes"]
    assert limit["used"]
    assert limit["used"]["mean"] == pytest.approx(volume["ios"] / run.result["duration_s"])
    # Its interval is a second.
    assert limit["used"]["peak"] == volume["peak_iops_1s"]


def test_the_host_sees_what_all_devices_do(runs: list[Run]) -> None:
    run = runs[3]
    limits = known(run)["limits"]
    [host] = [
        limit
        for limit in limits
        if limit["limit"] == _limit(None, "ios") and not limit["limit"]["credits"]
    ]
    ios = sum(volume["ios"] for volume in run.result["volumes"])
    measured = run.result["duration_s"] - run.warmup_s
    assert host["used"]
    assert host["used"]["mean"] == pytest.approx(ios / measured)


def _limit(device: str | None, counts: str) -> dict[str, object]:
    return {
        "device": device,
        "leg": None,
        "host": None if device else "host",
        "counts": counts,
        "applies": "both",
        "credits": False,
        "network": False,
    }


def test_waits_are_the_tables(runs: list[Run]) -> None:
    for run in runs:
        modelled = known(run)["modelled"]
        assert modelled
        waited = sum(us for series in modelled["series"] for us in series["waited_us"])
        rows = (us for row in run.volumes["throttled_us"].to_pylist() for _, us in row)
        assert waited == pytest.approx(sum(rows))


def test_credits_end(runs: list[Run]) -> None:
    modelled = known(runs[1])["modelled"]
    assert modelled
    [data] = modelled["credits"]
    assert (data["volumes"], data["last_s"]) == (["data"], 0)
    assert [used_up["device"] for used_up in modelled["used_up"]] == ["data"]


def test_an_instance_whose_limits_are_not_published_has_none(tmp_path: Path) -> None:
    run = simulated(tmp_path, NO_HOST_LIMITS)
    assert all(limit["limit"]["device"] == "data" for limit in known(run)["limits"])
    assert run.result["resolved"][0]["value"] is None


def test_a_limit_that_cannot_be_read_is_named(runs: list[Run]) -> None:
    run = runs[0]
    maps = run.volumes["limits"].combine_chunks()
    names = pa.array(["speed"] * len(maps.keys), pa.string())
    column = pa.MapArray.from_arrays(maps.offsets, names, maps.items)
    place = run.volumes.schema.get_field_index("limits")
    volumes = run.volumes.set_column(place, "limits", column)
    wrong = dataclasses.replace(run, volumes=volumes, stored=None)
    with pytest.raises(FileError, match=r"run-\d+: volumes: `speed` is no limit; expected"):
        _ = wrong.facts
