"""What a user says of a file that lists block devices, where the file itself does not."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path


@dataclass(frozen=True)
class Reading:
    """How to read a file. What does not concern a file, such as devices of fio's, is ignored."""

    # The devices that count, by name; if empty, those that `counted` finds.
    devices: tuple[str, ...] = ()
    # The time between reports, and the begin of the first, of a file without times.
    interval_s: float | None = None
    start: datetime | None = None
    # The output of `lsblk --json` on the machine that the file is from.
    lsblk: Path | None = None


AS_IT_IS = Reading()
