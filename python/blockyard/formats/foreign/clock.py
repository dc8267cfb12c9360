"""Time stamps of programs that write them in the user's locale."""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise

_DAY = 86_400.0
# A clock that goes back by less than this was set back; if by more, midnight passed.
_SET_BACK = 7_200.0

_STAMP = re.compile(
    r"\s*(\d{1,4})[/.-](\d{1,2})[/.-](\d{1,4})[ T]+"
    r"(\d{1,2}):(\d\d):(\d\d)(?:[.,]\d+)?\s*([AaPp][Mm])?\s*([+-]\d\d:?\d\d|Z)?\s*"
)


def moment(stamp: str) -> datetime | None:
    """Return the time from a stamp such as `2026-11-21T15:14:38+0000` or `11/21/26 03:14:38 PM`.

    Where day and month cannot be told apart, the month comes first, as in the C locale. The zone is
    ignored. None if the text is no stamp.
    """
    found = _STAMP.fullmatch(stamp)
    if not found:
        return None
    first, second, third, hour, minute, second_of = (int(found[part]) for part in range(1, 7))
    if found[7]:
        hour = hour % 12 + (12 if found[7].lower() == "pm" else 0)
    if first > 31:
        year, month, day = first, second, third
    elif first > 12 or "." in stamp[: found.end(3)]:
        day, month, year = first, second, third
    else:
        month, day, year = first, second, third
    try:
        century = 0 if year >= 100 else 2000
        return datetime(century + year, month, day, hour, minute, second_of)
    except ValueError:
        return None


def elapsed(moments: Sequence[datetime]) -> list[float]:
    """Return the seconds since the first moment, judged by the time of day alone.

    So neither the order of day and month nor a clock that is set back by an hour matters, as long
    as successive moments are less than a day apart.
    """
    seconds = [0.0]
    for before, after in pairwise(moments):
        step = (_of_day(after) - _of_day(before)).total_seconds() % _DAY
        seconds.append(seconds[-1] + (0.0 if step > _DAY - _SET_BACK else step))
    return seconds if moments else []


def _of_day(time: datetime) -> timedelta:
    return timedelta(hours=time.hour, minutes=time.minute, seconds=time.second)
