"""What is said of a sweep: how many runs are ahead, what they came to, what decides."""

from collections.abc import Iterator, Sequence

from blockyard._core import SweepPlan, sweep_decides
from blockyard.sweeps.about import Refusal, refusals
from blockyard.sweeps.making import Estimate
from blockyard.sweeps.sweep import Sweep
from blockyard.text.formatting import duration, share, size

# Reasons of refusals that are told; the rest are in sweep.json.
_REASONS = 3
# What explains less of a figure does not decide it.
_LITTLE = 0.1
# Of runs this near to each other nothing decides: with two of them either axis explains all.
_ALIKE = 0.02


def ahead(plan: SweepPlan) -> list[str]:
    """How many runs there are, and which combinations are refused."""
    refused = plan.refused()
    left = plan.combinations - len(refused)
    seeds = len(plan.seeds)
    of = f"{counted(left, 'combination')} with {counted(seeds, 'seed')} each"
    lines = [f"{counted(left * seeds, 'run')}: {of}"]
    if refused:
        lines += refusal_lines(refusals([reason for _, reason in refused]))
    return lines


def refusal_lines(refused: Sequence[Refusal]) -> Iterator[str]:
    """Why combinations are not run, the most frequent reasons first."""
    yield f"{counted(sum(one.combinations for one in refused), 'combination')} refused"
    for one in refused[:_REASONS]:
        yield f"  {one.combinations}: {one.reason}"
    others = refused[_REASONS:]
    if others:
        count = sum(one.combinations for one in others)
        yield f"  {count}: {counted(len(others), 'other reason')}, listed in sweep.json"


def estimate(found: Estimate) -> str:
    """How long a sweep takes and how much disk, by its timed sample."""
    known = f"{found.known:,} were done before; " if found.known else ""
    return (
        f"{known}a run takes {duration(found.each_s)}, the rest about {duration(found.left_s)} "
        f"and {size(found.bytes)} of disk"
    )


def outcome(sweep: Sweep) -> Iterator[str]:
    """What a sweep came to."""
    about = sweep.about
    yield f"{sweep.path}: {counted(about.done, 'run')}{_parts(sweep)}"
    if about.found is not None:
        yield found(sweep)
    elif about.done:
        yield decided(sweep)
    if about.status == "interrupted":
        left = about.runs - about.done
        are = "is" if left == 1 else "are"
        yield f"interrupted; --resume carries out the {counted(left, 'run')} that {are} missing"


def _parts(sweep: Sweep) -> str:
    about = sweep.about
    parts: list[str] = []
    if not about.done:
        return ""
    if about.goals:
        met = sum(1 for one in sweep.runs["goals_met"].to_pylist() if one)
        parts.append(f"{met:,} met the goals")
    if about.failed:
        parts.append(f"{about.failed:,} failed")
    broken = sum(1 for errors in sweep.runs["io_errors"].to_pylist() if errors)
    if broken:
        parts.append(f"{broken:,} with failed IOs, which no latency counts")
    return "".join(f", {part}" for part in parts)


def found(sweep: Sweep) -> str:
    """What a search found, in a sentence."""
    about = sweep.about
    one = about.found
    if one is None:
        return ""
    goals = " and ".join(f"`{goal}`" for goal in about.goals)
    tried = f"{one.tried:,} of {counted(one.of, 'combination')} tried"
    if about.status == "interrupted":
        return f"interrupted before the answer was known; {tried}"
    if one.combination is None:
        return f"No combination meets {goals}; {tried}."
    sets = ", ".join(one.sets)
    cost = (
        "whose price is not known"
        if one.usd_per_month is None
        else f"at ${one.usd_per_month:,.2f} a month"
    )
    return f"The cheapest that meets {goals}: {sets}, {cost}; {tried}."


def main_figure(sweep: Sweep) -> str | None:
    """The figure that a sweep is judged by: the first latency, or else the first."""
    figures = sweep.about.figures
    latencies = [figure for figure in figures if figure.endswith("_us")]
    return next(iter(latencies or figures), None)


def decided(sweep: Sweep, figure: str | None = None) -> str:
    """What decides a figure, in a sentence."""
    figure = figure or main_figure(sweep)
    if figure is None:
        return "No figures."
    told = plain(figure)
    known = [value for value in sweep.runs[figure].to_pylist() if value is not None]
    if not known:
        return f"{told} was measured in no run."
    if len(known) == 1:
        return f"{told} was measured in one run, so that no axis decides it."
    if max(known) - min(known) <= _ALIKE * abs(max(known)):
        return f"No axis moves {told}: all runs are within {share(_ALIKE)} of each other."
    found = shares(sweep, figure)
    if not found or found[0][1] < _LITTLE:
        return f"No axis alone decides {told}; it depends on how they combine, or on chance."
    first, most = found[0]
    others = [f"{axis} {share(part)}" for axis, part in found[1:] if part >= _LITTLE]
    beside = f", {' and '.join(others)}" if others else ""
    return f"{first} decides {told}: it explains {share(most)} of its variation{beside}."


def shares(sweep: Sweep, figure: str) -> list[tuple[str, float]]:
    """The axes that vary, and how much of a figure's variation each explains, the most first."""
    rows, axes = sweep.runs, sweep.axes
    levels = [rows[axis].combine_chunks().dictionary_encode().indices.to_pylist() for axis in axes]
    found = sweep_decides(levels, rows[figure].to_pylist())
    return [(axes[axis], part) for axis, part in found]


def short(axes: Sequence[str]) -> dict[str, str]:
    """Each axis by as much of the end of its path as tells it from the others."""
    found = {}
    for axis in axes:
        parts = axis.split(".")
        ends = (".".join(parts[-count:]) for count in range(1, len(parts) + 1))
        others = [other for other in axes if other != axis]
        unlike = (
            end for end in ends if not any(f".{other}".endswith(f".{end}") for other in others)
        )
        found[axis] = next(unlike, axis)
    return found


def plain(figure: str) -> str:
    """A figure's column as goals name it."""
    return figure.removesuffix("_us").removesuffix("_s")


def counted(count: int, what: str) -> str:
    """A count with its noun."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"
