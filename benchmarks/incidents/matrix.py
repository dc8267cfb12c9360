"""Prints confusion matrices of outcomes: what was made, and what each source of data says."""

import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from incident import CLASSES

_COLUMNS = [*CLASSES, "cannot know"]


def said(outcomes: Sequence[dict[str, Any]], half: int | None = 1) -> str:
    """The matrices of one half, by even and odd numbers in each class; of all without one."""
    kept = [one for one in outcomes if not one["left_out"]]
    if half is not None:
        kept = [one for one in kept if one["number"] // len(CLASSES) % 2 == half]
    sources = list(kept[0]["sources"]) if kept else []
    lines = [f"{len(kept)} incidents"]
    for source in sources:
        pairs = Counter((one["label"], one["sources"][source]["class"]) for one in kept)
        right = sum(count for (label, found), count in pairs.items() if label == found)
        unknown = sum(count for (_, found), count in pairs.items() if found == "cannot know")
        wrong = len(kept) - right - unknown
        lines += [
            "",
            f"**{source}**: {right / len(kept):.1%} right, {unknown / len(kept):.1%} cannot know, "
            f"{wrong / len(kept):.1%} wrong",
            "",
            f"| made | {' | '.join(_COLUMNS)} |",
            "| --- |" + " --- |" * len(_COLUMNS),
        ]
        lines += [
            f"| {label} | {' | '.join(str(pairs[label, found] or '') for found in _COLUMNS)} |"
            for label in CLASSES
        ]
    return "\n".join(lines)


if __name__ == "__main__":
    place, *halves = sys.argv[1:]
    print(
        said(
            [json.loads(line) for line in Path(place).read_text().splitlines()],
            int(halves[0]) if halves else 1,
        )
    )
