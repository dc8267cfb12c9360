from collections.abc import Callable, Sequence
from typing import TypeAlias, final

__all__ = [
    "Scenario",
    "ScenarioError",
    "__version__",
    "catalog_instances",
    "catalog_volumes",
    "result_schema",
    "scenario_schema",
]

__version__: str

_Row: TypeAlias = tuple[object, ...]

class ScenarioError(ValueError): ...

@final
class Scenario:
    @staticmethod
    def load(text: str, file_name: str, sets: Sequence[str] = ...) -> Scenario: ...
    @property
    def name(self) -> str: ...
    @property
    def seed(self) -> int: ...
    @property
    def repeats(self) -> int: ...
    @property
    def duration_s(self) -> float: ...
    def show(self) -> str: ...
    def to_yaml(self) -> str: ...
    def simulate(
        self,
        observer: Callable[[float, list[_Row], list[_Row]], bool],
        *,
        stepwise: bool = False,
        latency_log: str | None = None,
    ) -> str: ...

def catalog_volumes(as_of: str | None = None, matching: str | None = None) -> str: ...
def catalog_instances(as_of: str | None = None, matching: str | None = None) -> str: ...
def scenario_schema() -> str: ...
def result_schema() -> str: ...
