"""Prints confusion matrices of outcomes: what was made, and what each source of data says."""

import json
import re
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


def counted(outcomes: Sequence[dict[str, Any]]) -> str:
    """What sources say of few incidents, side by side: how many are right, and what others are."""
    kept = [one for one in outcomes if not one["left_out"]]
    left_out = [one["left_out"] for one in outcomes if one["left_out"]]
    sources = list(kept[0]["sources"]) if kept else []
    lines = [
        f"{len(kept)} of {len(outcomes)} incidents; left out: {by_reason(left_out)}",
        "",
        f"| made | | {' | '.join(sources)} |",
        "| --- |" + " --- |" * (len(sources) + 1),
    ]
    for label in CLASSES:
        own = [one for one in kept if one["label"] == label]
        found = [Counter(one["sources"][source]["class"] for one in own) for source in sources]
        cells = [_cell(label, counts) for counts in found]
        lines += [f"| {label} | {len(own)} | {' | '.join(cells)} |"] if own else []
    rights = [sum(one["sources"][it]["class"] == one["label"] for one in kept) for it in sources]
    lines.append(f"| right | | {' | '.join(f'{right / len(kept):.1%}' for right in rights)} |")
    return "\n".join(lines)


def by_reason(left_out: Sequence[str]) -> str:
    """How many were left out for each reason, most first: reasons differ in numbers alone.

    Of what went wrong the last line counts, as of a traceback.
    """
    last = (why.strip().splitlines()[-1] for why in left_out)
    reasons = (re.sub(r"\d[\d,.]*", "N", why) for why in last)
    counts = Counter(reasons).most_common()
    return "; ".join(f"{count}: {reason}" for reason, count in counts) or "none"


def _cell(label: str, counts: Counter[str]) -> str:
    others = (f"{name} {count}" for name, count in counts.items() if name != label)
    return ", ".join([str(counts[label]), *others])


if __name__ == "__main__":
    place, *halves = sys.argv[1:]
    print(
        said(
            [json.loads(line) for line in Path(place).read_text().splitlines()],
            int(halves[0]) if halves else 1,
        )
    )
