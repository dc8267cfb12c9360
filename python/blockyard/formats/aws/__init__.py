"""Saved answers of AWS: what there is, and what it did.

    account = aws.read([Path("volumes.json"), Path("metrics.json")])

Read are the answers of `aws ec2 describe-volumes` and `describe-instances`, of `aws rds
describe-db-instances`, of `aws cloudwatch get-metric-data` with its query, and of
`get-metric-statistics`, what CloudWatch's console saves as CSV, and `terraform show -json`.
"""

import errno
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from blockyard.formats.aws import cloudwatch, console, inventory, terraform
from blockyard.formats.aws.account import Account
from blockyard.formats.aws.answer import Answer, answer
from blockyard.formats.foreign.error import ForeignError

__all__ = ["Account", "read"]

# What a folder's files are called that are looked into.
_SUFFIXES = (".json", ".csv")

# More files than these are a mistake.
_MOST = 20_000


def read(paths: Sequence[Path]) -> Account:
    """Read files, and of folders all that is JSON or CSV.

    Raises ForeignError, in one line that names the file, the place and what was expected, and
    OSError.
    """
    account = Account()
    answers = list(_answers(paths, account))
    queries = [one for one in answers if one.kind == "query"]
    for one in answers:
        if one.kind in inventory.READERS:
            inventory.READERS[one.kind](one.node, account)
        elif one.kind == "terraform":
            terraform.state(one.node, account)
    for one in answers:
        if one.kind == "data":
            cloudwatch.data(one, queries, account)
        elif one.kind == "statistics":
            cloudwatch.statistics(one.node, account)
    if not (account.volumes or account.databases):
        raise ForeignError(
            paths[0],
            "no volume and no database; expected the answer of `aws ec2 describe-volumes` or "
            "`aws rds describe-db-instances` beside it",
        )
    if strangers := account.strangers():
        more = f" and {len(strangers) - 1:,} more" if len(strangers) > 1 else ""
        account.note(
            f"CloudWatch's figures of {strangers[0]}{more} are of nothing in these answers"
        )
    return account


def _answers(paths: Sequence[Path], account: Account) -> Iterator[Answer]:
    for path in _files(paths):
        if path.suffix.lower() == ".csv":
            console.read(path, account)
        else:
            one = answer(path)
            if one.goes_on:
                account.note(f"{path} has a NextToken: the pages after it belong beside it")
            yield one


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        if not path.exists():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
        if not path.is_dir():
            yield path
            continue
        inside = (file for file in path.rglob("*") if file.suffix.lower() in _SUFFIXES)
        found = sorted(file for file in inside if file.is_file())
        if not found:
            raise ForeignError(path, "no file that ends in .json or .csv; expected saved answers")
        if len(found) > _MOST:
            raise ForeignError(path, f"more than {_MOST:,} files; expected the answers alone")
        yield from found
