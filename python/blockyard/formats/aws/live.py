"""Asks AWS itself, read-only, with boto3: the package of `blockyard[aws]`."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from types import ModuleType
from typing import Any

from blockyard._core import FileError
from blockyard.formats.aws import cloudwatch, hosts, inventory, query
from blockyard.formats.aws.account import Account
from blockyard.formats.aws.answer import Answer
from blockyard.formats.foreign.tree import Node

# What is asked, of which service: each is called `describe_*` or `get_*`, and reads.
_ASKED = (
    ("ec2", "describe_volumes", "Volumes", "volumes"),
    ("ec2", "describe_instances", "Reservations", "instances"),
    ("rds", "describe_db_instances", "DBInstances", "databases"),
)

_INSTALL = "expected boto3: pip install 'blockyard[aws]'"


class NoBotoError(Exception):
    """boto3 is not installed."""


def read(region: str, only: str | None, now: datetime) -> Account:
    """What there is in a region, and CloudWatch's figures of the week before `now`.

    `only` is the id or the name of the one instance or database whose figures are wanted.

    Raises NoBotoError; FileError, in one line, for what AWS refuses; ForeignError for an answer
    that is not as AWS describes it.
    """
    boto3 = _boto3()
    from botocore.exceptions import BotoCoreError, ClientError

    account = Account()
    try:
        session = boto3.session.Session(region_name=region)
        for service, call, key, kind in _ASKED:
            found = list(_items(session.client(service), call, key))
            inventory.READERS[kind](Node(_plain(found), Path(f"{service} {call}")), account)
        wanted = [one for one in hosts.hosts(account) if only is None or only in (one.id, one.name)]
        _figures(session.client("cloudwatch"), query.written(wanted, now), account)
    except (BotoCoreError, ClientError) as error:
        said = " ".join(str(error).split())
        raise FileError(f"AWS, region {region}: {said}") from error
    return account


def _boto3() -> ModuleType:
    try:
        import boto3
    except ModuleNotFoundError as error:
        raise NoBotoError(_INSTALL) from error
    module: ModuleType = boto3
    return module


def _items(client: Any, call: str, key: str, **arguments: object) -> Iterator[object]:
    """What all pages of an answer have under a key."""
    for page in client.get_paginator(call).paginate(**arguments):
        yield from page[key]


def _figures(client: Any, asked: dict[str, Any], account: Account) -> None:
    queries = asked["MetricDataQueries"]
    for first in range(0, len(queries), query.MOST):
        part = queries[first : first + query.MOST]
        own = {**asked, "MetricDataQueries": part}
        found = list(_items(client, "get_metric_data", "MetricDataResults", **own))
        node = Node(_plain(found), Path("cloudwatch get_metric_data"))
        question = Answer("query", Node(part, Path("query")))
        cloudwatch.data(Answer("data", node), [question], account)


def _plain(value: object) -> object:
    """An answer as JSON has it: times as seconds."""
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return value.timestamp() if isinstance(value, datetime) else value
