from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, Protocol, final

from blockyard.types.status import Status as _Status

__all__ = [
    "ADVICE_FACTOR",
    "ALIKE",
    "CARRIED",
    "FELT",
    "GAIN",
    "MANY_TIMES",
    "NOTEWORTHY",
    "QUESTION_IOS",
    "SEEDS",
    "FileError",
    "Histogram",
    "Interval",
    "Latencies",
    "MachineError",
    "Measurements",
    "Paired",
    "RecordBatch",
    "Requirement",
    "RunError",
    "Scenario",
    "ScenarioError",
    "__version__",
    "_histogram",
    "_latencies",
    "_scenario",
    "attached_as",
    "bill",
    "bought",
    "capacity",
    "catalog_instances",
    "catalog_prices",
    "catalog_volumes",
    "check_layout",
    "check_result",
    "comment",
    "compare",
    "empty_table",
    "findings",
    "paired",
    "plain",
    "rds_storage",
    "regions",
    "schema",
    "seconds",
    "simulate_many",
    "table_columns",
    "terraform",
    "under_demand",
    "what_if",
]

ADVICE_FACTOR: float
ALIKE: float
CARRIED: float
FELT: float
GAIN: float
MANY_TIMES: float
NOTEWORTHY: float
QUESTION_IOS: int
SEEDS: int
__version__: str

class FileError(ValueError): ...
class ScenarioError(ValueError): ...
class MachineError(OSError): ...
class RunError(OSError): ...

# What is told of a run while it goes on: `runs.observer.Observer` explains.
class _Observer(Protocol):
    def serving(self, devices: list[tuple[str, str, str, str]]) -> None: ...
    def prepared(self, device: str, done: int, of: int) -> None: ...
    def interval(self, interval: Interval) -> None: ...
    def rows(self, table: str, rows: RecordBatch) -> None: ...
    def warn(self, message: str) -> None: ...
    def stopped(self) -> bool: ...

@final
class Scenario:
    @staticmethod
    def load(text: str, file_name: str, sets: Sequence[str] = ...) -> Scenario: ...
    @property
    def name(self) -> str: ...
    @property
    def region(self) -> str | None: ...
    @property
    def seed(self) -> int: ...
    @property
    def repeats(self) -> int: ...
    @property
    def duration_s(self) -> float: ...
    @property
    def warmup_s(self) -> float: ...
    @property
    def step_starts_s(self) -> list[float]: ...
    @property
    def devices(self) -> list[str]: ...
    # Of each file: the job, the device, bytes, whether it is read.
    def files(self) -> list[tuple[str, str, int, bool]]: ...
    def jobs(self) -> str: ...
    def layout(self) -> str: ...
    def unlike(self, other: Scenario) -> list[str]: ...
    def differences(self, other: Scenario) -> list[tuple[str, str, str]]: ...
    def show(self) -> str: ...
    def to_yaml(self) -> str: ...
    def check_simulation(self) -> None: ...
    def simulate(
        self,
        observer: _Observer,
        *,
        latency_log: str | None = None,
        io_log: str | None = None,
        seeds: int | None = 1,
    ) -> str | None: ...
    def what_if(self, cases: str) -> list[str]: ...
    # The options of the command line that say how, by their names.
    def bench(self, observer: _Observer, arguments: dict[str, Any]) -> str | None: ...
    def emulate(self, observer: _Observer, arguments: dict[str, Any]) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Interval:
    @property
    def done_s(self) -> float: ...
    def rows(self) -> RecordBatch: ...
    def status(self) -> _Status | None: ...

@final
class RecordBatch:
    @property
    def num_rows(self) -> int: ...
    # Capsules of Arrow's C data interface.
    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]: ...
    def __arrow_c_schema__(self) -> object: ...

@final
class Histogram:
    @staticmethod
    def of(us: Sequence[float], counts: Sequence[int]) -> Histogram: ...
    @staticmethod
    def merged(histograms: Sequence[Histogram]) -> Histogram: ...
    @property
    def count(self) -> int: ...
    @property
    def mean_us(self) -> float: ...
    @property
    def max_us(self) -> float: ...
    def quantiles_us(self, quantiles: Sequence[float]) -> list[float]: ...
    def buckets(self) -> list[tuple[float, int]]: ...
    def counts(self, edges_us: Sequence[float]) -> list[int]: ...

@final
class Latencies:
    @staticmethod
    def read(path: str | PathLike[str]) -> Latencies: ...
    @staticmethod
    def of(rows: Sequence[tuple[str, float, float, Histogram]]) -> Latencies: ...
    @property
    def tags(self) -> list[str]: ...
    def merged(
        self, tags: Sequence[str], from_s: float = 0.0, to_s: float | None = None
    ) -> Histogram: ...
    def over_time(self, tags: Sequence[str], bin_s: float) -> list[tuple[float, Histogram]]: ...

@final
class Measurements:
    def __init__(self) -> None: ...
    def add_run(
        self,
        edges_s: Sequence[float],
        # Each as `fitting.run_intervals.Series` has it.
        series: Sequence[Mapping[str, object]],
        latencies: Latencies,
        error: float,
    ) -> None: ...
    def add_ios(self, issued_ns: bytes, latency_ns: bytes, sizes: bytes, writes: bytes) -> None: ...
    def end_record(self) -> int: ...
    def fit(self, like: str) -> str: ...

# The last of each pair is what EC2 attaches the volume as.
def attached_as(scenario: Scenario, file: str, host: str) -> list[tuple[str, str]]: ...
def bill(
    scenario: Scenario,
    result: str | None = None,
    *,
    region: str | None = None,
    as_of: str | None = None,
    term: str | None = None,
    hours_per_month: int | None = None,
    prices: tuple[str, str] | None = None,
    snapshots: str | None = None,
) -> str: ...
def bought(
    scenario: Scenario, file: str, host: str | None = None, *, with_instance: bool = False
) -> str: ...
def capacity(
    scenario: Scenario,
    goals: Sequence[str],
    tried: Callable[[str, int, int], object],
    *,
    job: str | None = None,
    up_to: float | None = None,
    sustained: bool = False,
    most_ios: int = 300000000,
) -> str: ...
def what_if(
    scenario: Scenario,
    tried: Callable[[str, int, int], object],
    *,
    job: str | None = None,
    sustained: bool = False,
    vcpu: int | None = None,
    memory: str | None = None,
    region: str | None = None,
    term: str | None = None,
    prices: tuple[str, str] | None = None,
    most_ios: int = 300000000,
) -> str: ...
def catalog_volumes(as_of: str | None = None, matching: str | None = None) -> str: ...
def catalog_instances(as_of: str | None = None, matching: str | None = None) -> str: ...
def catalog_prices(
    as_of: str | None = None,
    matching: str | None = None,
    prices: tuple[str, str] | None = None,
) -> str: ...
def check_layout(scenario: Scenario, file: str) -> None: ...
def check_result(text: str, file_name: str) -> None: ...

@final
class Requirement:
    @staticmethod
    def load(
        text: str,
        file_name: str,
        sets: Sequence[str] = ...,
        prices: tuple[str, str] | None = None,
        base: tuple[str, str] | None = None,
    ) -> Requirement: ...
    @property
    def is_uncertain(self) -> bool: ...
    def plan(
        self,
        progress: Callable[[str], object],
        *,
        prove: bool = True,
        only_best: bool = False,
        samples: int = 1000,
        seed: int = 1,
        factor: float = 3.0,
        since: Scenario | None = None,
    ) -> str: ...

def findings(
    name: str,
    result: str,
    scenario: Scenario,
    volumes: dict[str, Any],
    stopped: Callable[[], bool] | None = ...,
) -> str: ...
def comment(paragraphs: Sequence[str], mark: str) -> str: ...
def plain(text: str) -> str: ...
def rds_storage(engine: str, instance_class: str) -> tuple[int | None, int, bool]: ...
def regions() -> list[str]: ...
def schema(document: str) -> str: ...
def seconds(text: str) -> float: ...

@final
class Paired:
    @property
    def seeds(self) -> list[int]: ...
    def why(self) -> str | None: ...
    def compare(self, fail_if: Sequence[str], device: str | None = ...) -> str: ...

def paired(
    sides: Sequence[tuple[Scenario, str]],
    seeds: int | None,
    tried: Callable[[str, int, int], object],
) -> Paired: ...
def compare(
    # Each run as `comparison.sides.Recorded` has it.
    sides: Sequence[Sequence[Mapping[str, object]]],
    fail_if: Sequence[str] = ...,
) -> str: ...
def simulate_many(
    scenarios: Sequence[Scenario | tuple[str, str, Sequence[str]]],
    threads: int,
    detail: str = "totals",
) -> RecordBatch: ...
def terraform(
    scenario: Scenario, file: str, host: str | None = None, *, with_instance: bool = False
) -> str: ...
def under_demand(scenario: Scenario, demand: str) -> str: ...
def empty_table(name: str) -> RecordBatch: ...
def table_columns(name: str) -> list[tuple[str, str, str]]: ...

# What pickle calls.
def _histogram(buckets: bytes, count: int, sum: int, max: int) -> Histogram: ...  # noqa: A002
def _latencies(rows: Sequence[tuple[str, int, Histogram]]) -> Latencies: ...
def _scenario(text: str, file_name: str, sets: Sequence[str]) -> Scenario: ...
