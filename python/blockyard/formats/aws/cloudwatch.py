"""CloudWatch's answers: get-metric-data, which needs its query, and get-metric-statistics."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from blockyard.formats.aws import moments
from blockyard.formats.aws.account import STATISTICS, Account
from blockyard.formats.aws.answer import Answer
from blockyard.formats.foreign.error import ForeignError
from blockyard.formats.foreign.tree import Node

# The dimension that says what a metric is of.
_DIMENSIONS = ("VolumeId", "InstanceId", "DBInstanceIdentifier")

_RESOURCE = re.compile(r"\b(vol|i)-[0-9a-f]{8,17}\b")


@dataclass(frozen=True)
class Asked:
    """What an entry of a query asks for."""

    of: str
    metric: str
    period_s: int
    statistic: str
    place: str


def data(answer: Answer, queries: Sequence[Answer], account: Account) -> None:
    """Add the answer of get-metric-data. Raises ForeignError."""
    results = [(node.get("Id").text(), node) for node in answer.node.items()]
    asked = _asked(answer.node.file, {name for name, _ in results}, queries, account)
    for name, node in results:
        found = asked[name]
        if found is None:
            continue
        times, values = list(node.get("Timestamps").items()), list(node.get("Values").items())
        if len(times) != len(values):
            problem = f"{len(values)} values for {len(times)} times; expected one for each"
            raise ForeignError(node.place, problem)
        points = {
            moments.moment(time.value, time.place): value.number()
            for time, value in zip(times, values, strict=True)
        }
        complete = not node.has("StatusCode") or node.get("StatusCode").text() == "Complete"
        account.add(found.of, found.metric, found.period_s, points, complete=complete)


def statistics(answer: Node, account: Account) -> None:
    """Add the answer of get-metric-statistics, of which `resource` says what it is of.

    Raises ForeignError.
    """
    metric = answer.get("Label").text()
    points: dict[int, float] = {}
    if metric not in STATISTICS:
        account.note(f"not used: {metric}")
        return
    for node in answer.get("Datapoints").items():
        known = next((name for name in STATISTICS[metric] if node.has(name)), None)
        if known is None:
            others = ", ".join(key for key, _ in node.members() if key not in ("Timestamp", "Unit"))
            raise _wrong_statistic(node.place, metric, others)
        time = node.get("Timestamp")
        points[moments.moment(time.value, time.place)] = node.get(known).number()
    if points:
        of = resource(answer.file, metric, account)
        account.add(of, metric, moments.period(points), points)


def resource(path: Path, metric: str, account: Account) -> str:
    """What a file's metric is of, by the file's name. Raises ForeignError."""
    if found := _RESOURCE.search(path.name):
        return found[0]
    named = [name for name in account.databases if name in path.stem]
    if named:
        return max(named, key=len)
    of_volume = metric.startswith("Volume")
    only = list(account.volumes) if of_volume else [*account.databases, *account.instances]
    if metric == "BurstBalance":
        only = [*account.volumes, *account.databases]
    if len(only) == 1:
        return only[0]
    raise ForeignError(
        path,
        f"{metric} of what is not said; put its id into the file's name, such as "
        f"vol-0123456789abcdef0-{path.name}",
    )


def check_statistic(place: object, metric: str, statistic: str) -> None:
    """Refuse a statistic that does not say what the metric means. Raises ForeignError."""
    if statistic not in STATISTICS[metric]:
        raise _wrong_statistic(place, metric, statistic)


def _wrong_statistic(place: object, metric: str, statistic: str) -> ForeignError:
    wanted = STATISTICS[metric][0]
    return ForeignError(place, f"`{statistic}` of {metric}; expected `{wanted}`")


def _asked(
    path: Path, names: set[str], queries: Sequence[Answer], account: Account
) -> dict[str, Asked | None]:
    """What each result's entry asked for: in the query beside it, if there is one, else in any.

    None is for a metric that is not used.
    """
    fitting = []
    for query in queries:
        entries = {node.get("Id").text(): node for node in query.node.items()}
        if names <= entries.keys():
            fitting.append((query.node.file, entries))
    beside = [found for found in fitting if found[0].parent == path.parent]
    # Files of one folder tell by the beginning of their names which belong together.
    best = max((_common(found[0].name, path.name) for found in beside or fitting), default=0)
    fitting = [found for found in beside or fitting if _common(found[0].name, path.name) == best]
    if not fitting:
        first = min(names, default="")
        raise ForeignError(
            path,
            f"no query beside it has the Id `{first}`; expected the file that was given to "
            "get-metric-data, as its answer names no volume",
        )
    asked = [{name: _entry(of[name], account) for name in sorted(names)} for _, of in fitting]
    plain = [{name: _key(one) for name, one in of.items()} for of in asked]
    if any(other != plain[0] for other in plain[1:]):
        files = ", ".join(str(file) for file, _ in fitting[:2])
        raise ForeignError(
            path, f"two queries could be its own: {files}; give each answer and its query a folder"
        )
    return asked[0]


def _key(asked: Asked | None) -> tuple[str, str] | None:
    return None if asked is None else (asked.of, asked.metric)


def _common(one: str, other: str) -> int:
    pairs = zip(one, other, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _entry(node: Node, account: Account) -> Asked | None:
    if not node.has("MetricStat"):
        account.note("not used: expressions of a query")
        return None
    stat = node.get("MetricStat")
    metric = stat.get("Metric").get("MetricName").text()
    if metric not in STATISTICS:
        account.note(f"not used: {metric}")
        return None
    of = next(_values(stat.get("Metric")), None)
    if of is None:
        expected = " or ".join(_DIMENSIONS)
        raise ForeignError(stat.place, f"{metric} of no one; expected the dimension {expected}")
    period, statistic = stat.get("Period"), stat.get("Stat")
    check_statistic(statistic.place, metric, statistic.text())
    if not 1 <= period.whole() <= 86_400:
        raise period.unexpected("seconds, at most a day")
    return Asked(of, metric, period.whole(), statistic.text(), node.place)


def _values(metric: Node) -> Iterator[str]:
    for dimension in metric.get("Dimensions").items() if metric.has("Dimensions") else ():
        if dimension.get("Name").text() in _DIMENSIONS:
            yield dimension.get("Value").text()
