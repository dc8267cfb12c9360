"""What to ask CloudWatch of an AWS account."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from blockyard._core import FileError
from blockyard.formats import aws
from blockyard.formats.aws import query
from blockyard.questions.account import Place, wanted


def query_of(answers: Sequence[Place], *, only: str | None = None) -> dict[str, object]:
    """What to ask CloudWatch of what is described: the file for `get-metric-data`.

    Raises as `examine`, and FileError for more metrics than a request may have.
    """
    paths = [Path(one) for one in answers]
    made = query.written(wanted(aws.read(paths), only), datetime.now(UTC))
    entries = made["MetricDataQueries"]
    if isinstance(entries, list) and len(entries) > query.MOST:
        raise FileError(
            f"{paths[0]}: {len(entries):,} metrics; CloudWatch takes {query.MOST} at once: name an "
            "instance or a database with --instance"
        )
    return made
