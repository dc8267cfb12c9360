"""Alerts at the knee that `capacity` finds: rules of Prometheus, alarms of CloudWatch."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from blockyard.service.metrics import Metrics
from conftest import Blockyard

SERVICE = """\
name: service
as_of: 2026-10-01
warmup: 1s
duration: 6s
storage:
  data:
    stripe: {chunk: 256KiB, width: 2}
    of: {type: gp2, size: 200GiB, tokens: 0%, burst_balance: 0%}
workload:
  reads: {kind: ranread, on: data, file_size: 10GiB, rate: 800/s}
goals: reads.latency.p99 < 5ms
"""


@pytest.fixture
def written(blockyard: Blockyard, tmp_path: Path) -> tuple[float, Path, Path]:
    """The load at the knee, and both files."""
    (tmp_path / "service.yaml").write_text(SERVICE)
    files = ("--prometheus", "rules.yaml", "--cloudwatch", "alarms.json")
    finished = blockyard("capacity", "service.yaml", *files, "--json")
    assert finished.returncode == 0, finished.stderr
    holds = json.loads(finished.stdout)["holds"]
    return holds, tmp_path / "rules.yaml", tmp_path / "alarms.json"


def test_rules_are_of_metrics_that_are_served(written: tuple[float, Path, Path]) -> None:
    holds, file, _ = written
    [group] = yaml.safe_load(file.read_text())["groups"]
    rules = {rule["alert"]: rule["expr"] for rule in group["rules"]}
    assert list(rules) == [
        "VolumeLoadNearKnee",
        "VolumeLatencyBeyondKnee",
        "VolumeCreditsLow",
        "VolumeStalled",
    ]
    threshold = re.search(r"> (\d+) or", rules["VolumeLoadNearKnee"])
    assert threshold
    # What comes due by chance is not to the last IO what was asked.
    assert int(threshold[1]) == pytest.approx(0.9 * holds, rel=0.02)
    asked = set(re.findall(r"(\w+?)(?:_total)?\{", " ".join(rules.values())))
    assert asked <= _served(), asked
    if promtool := shutil.which("promtool"):
        check = [promtool, "check", "rules", str(file)]
        done = subprocess.run(check, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def _served() -> set[str]:
    """The names of all metrics."""
    device: Any = dict.fromkeys(
        ["reads", "writes", "read_bytes", "write_bytes", "read_time_s", "write_time_s"], 1
    )
    device |= {"name": "data", "in_flight": 0, "flushes": 0, "trims": 0}
    metrics = Metrics()
    metrics.update(1.0, [device])
    return {family.name for family in metrics.collect()}


def test_alarms_are_as_cloudwatch_takes_them(
    written: tuple[float, Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    holds, _, file = written
    boto3, moto = pytest.importorskip("boto3"), pytest.importorskip("moto")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "none")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "none")
    template = json.loads(file.read_text())
    given = {"Topic": "arn:aws:sns:us-east-1:1:t", "Data0Volume": "vol-0", "Data1Volume": "vol-1"}
    assert set(template["Parameters"]) == set(given)
    with moto.mock_aws():
        client = boto3.client("cloudwatch", "us-east-1")
        for name, resource in template["Resources"].items():
            assert resource["Type"] == "AWS::CloudWatch::Alarm"
            # The client refuses what the API does not know.
            client.put_metric_alarm(AlarmName=name, **_with(resource["Properties"], given))
        made = client.describe_alarms()["MetricAlarms"]
    assert len(made) == 2 * 7
    assert all(alarm["AlarmActions"] == [given["Topic"]] for alarm in made)
    rates = [alarm["Threshold"] for alarm in made if alarm["AlarmName"].endswith("LoadNearKnee")]
    assert rates == [pytest.approx(0.45 * holds, rel=0.02)] * 2


def _with(value: Any, given: dict[str, str]) -> Any:
    """The properties with their parameters, as CloudFormation puts them in."""
    if isinstance(value, dict):
        if set(value) == {"Ref"}:
            return given[value["Ref"]]
        return {key: _with(part, given) for key, part in value.items()}
    return [_with(part, given) for part in value] if isinstance(value, list) else value


def test_no_load_that_holds_writes_no_alerts(blockyard: Blockyard, tmp_path: Path) -> None:
    (tmp_path / "service.yaml").write_text(SERVICE)
    goal = ("--goal", "reads.latency.p99 < 10us")
    finished = blockyard("capacity", "service.yaml", *goal, "--prometheus", "rules.yaml")
    assert finished.returncode == 1
    assert not (tmp_path / "rules.yaml").exists()
