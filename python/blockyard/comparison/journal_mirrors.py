"""What becomes of mirrors of journals, side by side."""

from collections.abc import Callable, Iterator, Sequence

from blockyard.runs.run import Run
from blockyard.text.formatting import duration
from blockyard.types.result import JournalMirrorTotal
from blockyard.words.phrases import in_bytes

# What is told, and how: what a mirror waited, had at risk and had behind.
_FIGURES: list[tuple[str, Callable[[JournalMirrorTotal], str]]] = [
    ("nothing was committed for", lambda mirror: duration(mirror["paused_s"])),
    ("of the journal at risk", lambda mirror: in_bytes(mirror["most_at_risk_bytes"])),
    (
        "dejournaling was behind by up to",
        lambda mirror: duration(max(one["most_backlog_s"] for one in mirror["members"])),
    ),
]


def side_by_side(names: Sequence[str], sides: Sequence[Sequence[Run]]) -> Iterator[str]:
    """A line for each figure of a mirror that differs, of the first run of each side."""
    found = [
        {mirror["job"]: mirror for mirror in side[0].result.get("journal_mirrors", [])}
        for side in sides
    ]
    for job in dict.fromkeys(job for mirrors in found for job in mirrors):
        for what, figure in _FIGURES:
            told = [figure(mirrors[job]) if job in mirrors else "no mirror" for mirrors in found]
            if len(set(told)) > 1:
                each = "; ".join(f"{name} {one}" for name, one in zip(names, told, strict=True))
                yield f"{job}, {what}: {each}"
