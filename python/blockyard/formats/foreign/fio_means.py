"""fio's logs of means over windows, and its histogram logs."""

from bisect import bisect
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median_low

from blockyard._core import Histogram
from blockyard.formats.foreign.fio_bins import Window
from blockyard.formats.foreign.fio_samples import OPS, Cell, Cells, Samples

_MS_PER_S = 1_000
_NS_PER_US = 1_000
_BYTES_PER_KIB = 1_024
# If lines are further apart than this many windows, there was time without IO between them.
_GAP = 1.5

Place = tuple[str, int]


@dataclass(frozen=True)
class Process:
    """The logs of one process of a job: IOs with bandwidth, or windows, or both."""

    ios: Samples | None = None
    bandwidth: Samples | None = None
    latencies: Samples | None = None
    windows: Sequence[Window] = ()

    @property
    def last_ms(self) -> int:
        """Return the end of the last window; fio does not log anything later."""
        return self.ios.last_ms if self.ios else max(window.ms for window in self.windows)


def length_of(processes: Sequence[Process]) -> float:
    """Return the length of intervals in seconds: a window, but at least a second."""
    windows = [
        _window([ms for ms, _ in _times(process.ios)] if process.ios else _ends(process))
        for process in processes
    ]
    return max(1.0, round(median_low(windows) / _MS_PER_S, 1))


def cells_of(processes: Sequence[Process], length_s: float) -> Cells:
    """Return what the processes did in total."""
    ios: defaultdict[Place, float] = defaultdict(float)
    moved: defaultdict[Place, float] = defaultdict(float)
    # Sums of latencies, and the number of IOs that each sum covers.
    summed: defaultdict[Place, float] = defaultdict(float)
    weighed: defaultdict[Place, float] = defaultdict(float)
    histograms: defaultdict[Place, list[Histogram]] = defaultdict(list)
    for process in processes:
        counted = _ios(process, length_s)
        for place, count in counted.items():
            ios[place] += count
        for place, size in _bytes(process, length_s).items():
            moved[place] += size
        for place, mean_us in _means(process, length_s).items():
            count = counted.get(place, 0.0)
            summed[place] += mean_us * count
            weighed[place] += count
        for place, window in _windows(process, length_s):
            histograms[place].append(window.latencies)
    cells: Cells = {}
    for place, count in ios.items():
        known = histograms.get(place)
        histogram = Histogram.merged(known) if known else None
        mean = histogram.mean_us if histogram else None
        if weighed[place]:
            mean = summed[place] / weighed[place]
        cells[place] = Cell(round(count), round(moved[place]), mean, histogram)
    return cells


def _ios(process: Process, length_s: float) -> Mapping[Place, float]:
    if process.ios:
        return _amounts(process.ios, length_s)
    counted: defaultdict[Place, float] = defaultdict(float)
    for place, window in _windows(process, length_s):
        counted[place] += window.latencies.count
    return counted


def _bytes(process: Process, length_s: float) -> Mapping[Place, float]:
    if process.bandwidth:
        kib = _amounts(process.bandwidth, length_s)
        return {place: amount * _BYTES_PER_KIB for place, amount in kib.items()}
    moved: defaultdict[Place, float] = defaultdict(float)
    for place, window in _windows(process, length_s):
        moved[place] += window.latencies.count * window.block
    return moved


def _amounts(log: Samples, length_s: float) -> Mapping[Place, float]:
    """Return rates multiplied by the time for which they held."""
    amounts: defaultdict[Place, float] = defaultdict(float)
    rates = log.table["value"].to_pylist()
    for (place, held_s), rate in zip(_places(_times(log), length_s), rates, strict=True):
        amounts[place] += rate * held_s
    return amounts


def _means(process: Process, length_s: float) -> Mapping[Place, float]:
    """Return mean latencies in microseconds, each window weighed by the IOs that it had."""
    if not process.latencies:
        return {}
    times = _times(process.latencies)
    weights = _rates_at(times, process.ios)
    summed: defaultdict[Place, float] = defaultdict(float)
    weighed: defaultdict[Place, float] = defaultdict(float)
    values = process.latencies.table["value"].to_pylist()
    for (place, _), value, weight in zip(_places(times, length_s), values, weights, strict=True):
        summed[place] += value * weight
        weighed[place] += weight
    return {place: total / weighed[place] / _NS_PER_US for place, total in summed.items()}


def _rates_at(times: Sequence[tuple[int, str]], ios: Samples | None) -> list[float]:
    """Return the rates that `ios` has nearest to these times, at least 1.

    fio writes the logs of one window some milliseconds apart.
    """
    logged: dict[str, list[tuple[int, float]]] = {op: [] for op in OPS}
    if ios:
        for (ms, op), rate in zip(_times(ios), ios.table["value"].to_pylist(), strict=True):
            logged[op].append((ms, max(rate, 1)))
    found: list[float] = []
    for ms, op in times:
        after = bisect(logged[op], (ms, 0))
        around = logged[op][max(0, after - 1) : after + 1]
        found.append(min(around, key=lambda line: abs(line[0] - ms), default=(ms, 1))[1])
    return found


def _windows(process: Process, length_s: float) -> list[tuple[Place, Window]]:
    times = [(window.ms, window.op) for window in process.windows]
    places = [place for place, _ in _places(times, length_s)]
    return list(zip(places, process.windows, strict=True))


def _places(times: Sequence[tuple[int, str]], length_s: float) -> list[tuple[Place, float]]:
    """Return the interval of each line, and the seconds that it covers, which precede its time."""
    usual = _window([ms for ms, _ in times])
    before = dict.fromkeys(OPS, 0)
    places: list[tuple[Place, float]] = []
    for ms, op in times:
        held = ms - before[op]
        if not 0 < held < _GAP * usual:
            held = usual
        before[op] = ms
        middle_s = max(0.0, (ms - held / 2) / _MS_PER_S)
        places.append(((op, int(middle_s / length_s)), held / _MS_PER_S))
    return places


def _times(log: Samples) -> list[tuple[int, str]]:
    ops = (OPS[op] for op in log.table["op"].to_pylist())
    return list(zip(log.table["ms"].to_pylist(), ops, strict=True))


def _ends(process: Process) -> list[int]:
    return [window.ms for window in process.windows]


def _window(times: Sequence[int]) -> int:
    """Return the usual step between times, in milliseconds."""
    steps = [after - before for before, after in pairwise([0, *times]) if after > before]
    return median_low(steps) if steps else _MS_PER_S
