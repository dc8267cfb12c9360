"""Time stamps of programs that write them in the user's locale."""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise

_DAY = 86_400.0
# A clock that goes back by less than this was set back; if by more, midnight passed.
_SET_BACK = 7_200.0

# A date in digits, Chinese and Japanese ones included.
_DATE = re.compile(r"(\d{1,4})[/.年-]\s?(\d{1,2})[/.月-]\s?(\d{1,4})日?,?")
# `Nov 21`, as `ts` writes it.
_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
_MONTH = re.compile(rf"({'|'.join(_MONTHS)})\s+(\d{{1,2}})")
_TIME = re.compile(
    r"(\d{1,2})[:.時时](\d\d)[:.分](\d\d)秒?(?:[.,]\d+)?\s*([AaPp])?(?:\.?[Mm]\.?)?\s*"
    r"([+-]\d\d:?\d\d|Z|UTC)?"
)


def moment(stamp: str, on: datetime | None = None) -> datetime | None:
    """Return the time from a stamp such as `2026-11-21T15:14:38+0000` or `11/21/26 03:14:38 PM`.

    Where day and month cannot be told apart, the month comes first, as in the C locale. The zone is
    ignored. A stamp without a date, or a year, is of the day or the year of `on`. None if the text
    is no stamp.
    """
    text = stamp.strip()
    if date := _DATE.match(text):
        first, second, third = (int(date[part]) for part in (1, 2, 3))
        day = _day(first, second, third, day_first="." in date[0])
    elif on is not None and (date := _MONTH.match(text)):
        day = (on.year, _MONTHS.index(date[1]) + 1, int(date[2]))
    elif on is not None:
        day = (on.year, on.month, on.day)
    else:
        return None
    found = _TIME.fullmatch(text[date.end() if date else 0 :].lstrip(" T\t"))
    if not found:
        return None
    hour = int(found[1])
    if found[4]:
        hour = hour % 12 + (12 if found[4].lower() == "p" else 0)
    try:
        return datetime(*day, hour, int(found[2]), int(found[3]))
    except ValueError:
        return None


def _day(first: int, second: int, third: int, *, day_first: bool) -> tuple[int, int, int]:
    """Year, month and day of a date in digits."""
    if first > 31:
        year, month, day = first, second, third
    elif first > 12 or day_first:
        day, month, year = first, second, third
    else:
        month, day, year = first, second, third
    return (year if year >= 100 else 2000 + year, month, day)


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
