"""CloudWatch's times, as whole seconds since 1970."""

from collections.abc import Iterable
from datetime import UTC, datetime
from itertools import pairwise

from blockyard.formats.foreign.error import unexpected

# No metric of an account is from before or after these.
_FIRST = datetime(2006, 1, 1, tzinfo=UTC).timestamp()
_LAST = datetime(2100, 1, 1, tzinfo=UTC).timestamp()

# CloudWatch's periods; a gap of another length is that between points that are missing.
_PERIODS = (1, 5, 10, 30, 60, 300, 900, 3600, 21_600, 86_400)


def moment(value: object, place: object) -> int:
    """The second of a time such as `2026-11-16T00:05:00+00:00`, `…Z` or a number of seconds.

    A time without a zone is in UTC. Raises ForeignError for anything else.
    """
    expected = "a time such as 2026-11-16T00:05:00Z"
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise unexpected(place, value, expected)
    try:
        if isinstance(value, str):
            found = datetime.fromisoformat(value.strip().replace("/", "-"))
            seconds = (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
        else:
            seconds = float(value)
    except (ValueError, OverflowError) as error:
        raise unexpected(place, value, expected) from error
    if not _FIRST <= seconds <= _LAST:
        raise unexpected(place, value, f"{expected}, of this century")
    return int(seconds)


def period(moments: Iterable[int]) -> int:
    """The period of a metric that does not state it: its smallest gap, as CloudWatch has them."""
    gaps = (later - earlier for earlier, later in pairwise(sorted(set(moments))))
    smallest = min(gaps, default=60)
    return max((known for known in _PERIODS if known <= smallest), default=1)
