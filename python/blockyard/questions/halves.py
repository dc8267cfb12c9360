"""What a description of a load is worth: what the first half of a run tells of its second."""

from collections.abc import Iterator, Sequence
from statistics import quantiles

import yaml

from blockyard._core import FileError, Histogram, ScenarioError
from blockyard.fitting import origin, sources
from blockyard.formats.foreign import device_names
from blockyard.questions import described_rest, fit
from blockyard.questions.demand_window import FLOWS, Window
from blockyard.questions.observed_load import replayed
from blockyard.questions.simulate import simulate
from blockyard.runs.execution import ScenarioFile
from blockyard.runs.run import Run

# Fewer intervals, or IOs, in a half say nothing of the other.
_INTERVALS = 10
_IOS = 1_000
_SHARES = (0.50, 0.95, 0.99)
# What is simulated takes some seconds at most.
_MOST_IOS = 20_000_000
# A volume without limits takes any load, and no profile depends on its size.
_SIZE = "16TiB"
_SIMULATED = (
    "error of its latencies, simulated with a profile fitted of its first half, in the second: "
)
_NOT_KNOWN = "error of its latencies, if simulated: not known"


def error(run: Run, window: Window) -> Iterator[str]:
    """How far the first half's rates, and the simulated latencies, are from the second half's."""
    if said := [*_rates(window)]:
        yield f"error of its first half as a forecast of the second: {'; '.join(said)}"
    try:
        said = [*_latencies(run, window)]
    except (FileError, ScenarioError) as error:
        yield f"{_NOT_KNOWN}, as no profile can be made of its first half: {error}"
    else:
        yield "; ".join(said)


def _rates(window: Window) -> Iterator[str]:
    intervals = round(window.duration_s / window.length_s)
    half = intervals // 2
    if half < _INTERVALS:
        return
    # Intervals without IOs may be missing.
    ios = [0] * intervals
    for slot in window.slots:
        place = round((slot.start_s - window.start_s) / window.length_s)
        if place < intervals:
            ios[place] += slot.ios
    first, second = (_of(part) for part in (ios[:half], ios[half : 2 * half]))
    yield from _said(f"IOPS of {window.length_s:g} s", first, second)


def _of(ios: Sequence[int]) -> list[float]:
    hundredths = quantiles(ios, n=100, method="inclusive")
    return [hundredths[round(100 * share) - 1] for share in _SHARES]


def _latencies(run: Run, window: Window) -> Iterator[str]:
    """The load simulated on a profile of the first half, against the second half."""
    middle = window.duration_s / 2
    first, second = _of_ops(run, 0.0, middle), _of_ops(run, middle, window.duration_s)
    known = [op for op in second if min(first[op].count, second[op].count) >= _IOS]
    if not known:
        yield f"{_NOT_KNOWN}: {_too_few(run)}"
        return
    if window.ios > _MOST_IOS:
        yield f"{_NOT_KNOWN}: more than {_MOST_IOS:,} IOs are not simulated for it"
        return
    again, limits = _simulated(run, window)
    simulated = _of_ops(again, middle, window.duration_s)
    for place, op in enumerate(known):
        found, true = simulated[op], second[op]
        what = f"{'' if place else _SIMULATED}{FLOWS[op]}"
        if found.count:
            yield from _said(what, found.quantiles_us(_SHARES), true.quantiles_us(_SHARES))
    if limits:
        yield f"it was throttled at {limits}, where rates do not tell how long its threads waited"


def _too_few(run: Run) -> str:
    if not run.latencies.tags:
        return f"{run.name} has no latencies of intervals"
    return f"each half needs {_IOS:,} reads or writes with latencies"


def _of_ops(run: Run, from_s: float, to_s: float) -> dict[str, Histogram]:
    """Latencies of reads and of writes; not of writes that flush requests may be among."""
    if kept := described_rest.latencies(run, from_s, to_s):
        return kept
    tags = {op: [tag for tag in run.latencies.tags if tag.endswith(f".{op}")] for op in FLOWS}
    return {
        op: run.latencies.merged(own, from_s, to_s)
        for op, own in tags.items()
        if op != "write" or not origin.mixes_empty_writes(run)
    }


def _simulated(run: Run, window: Window) -> tuple[Run, str]:
    """The described load, on a volume for each device, fitted of the first half.

    Also the limits of these that no closed loop was under.
    """
    source = sources.of_run(run, window.duration_s / 2)
    devices = sorted({device for slot in window.slots for device, _ in slot.flows})
    fitted = {device: fit.of([source], device=device) for device in devices}
    # Not every device's name may be one in a scenario.
    places = device_names.in_scenario(devices)
    storage = {name: fitted[device].volume(_SIZE) for name, device in places.items()}
    limits = {rate for found in fitted.values() for rate in found.rates()}
    tree = {"name": "halves", "storage": storage}
    file = ScenarioFile(yaml.safe_dump(tree, sort_keys=False), run.name, ())
    load = replayed(run, file, _MOST_IOS, places, closed=True)
    return simulate(yaml.safe_load(load.text)), "" if load.loops else " and ".join(sorted(limits))


def _said(what: str, found: Sequence[float], true: Sequence[float]) -> Iterator[str]:
    errors = [
        f"p{100 * share:g} {round(100 * (one / other - 1)):+}%"
        for share, one, other in zip(_SHARES, found, true, strict=True)
        if other
    ]
    if errors:
        yield f"{what} {', '.join(errors)}"
