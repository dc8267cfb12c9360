"""The proving ground for the block storage under a database.

    >>> import blockyard
    >>> run = blockyard.simulate("scenarios/examples/gp3.yaml", {"duration": "30s"})
    >>> [total["job"] for total in run.result["totals"]]
    ['readers']

What storage and workloads do is computed in Rust (`blockyard._core`); Python
holds the command line, the run directory and what people look at.
"""

# Type checkers take it for true; `typing` itself would take a while to load.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from blockyard._core import (
        FileError,
        Histogram,
        Latencies,
        MachineError,
        RunError,
        Scenario,
        ScenarioError,
        __version__,
    )
    from blockyard.comparison.comparability import UnlikeError
    from blockyard.comparison.sides import compare
    from blockyard.formats.loading import load, load_all
    from blockyard.pages.view import RunView
    from blockyard.questions.api import (
        bench,
        capacity,
        cost,
        provision,
        simulate,
        simulate_many,
        what_if,
    )
    from blockyard.questions.fit import Fit, fit
    from blockyard.questions.plan import Plan, plan
    from blockyard.runs.run import Run
    from blockyard.types.bill import Bill

__all__ = [
    "Bill",
    "FileError",
    "Fit",
    "Histogram",
    "Latencies",
    "MachineError",
    "Plan",
    "Run",
    "RunError",
    "RunView",
    "Scenario",
    "ScenarioError",
    "UnlikeError",
    "__version__",
    "bench",
    "capacity",
    "compare",
    "cost",
    "fit",
    "load",
    "load_all",
    "plan",
    "provision",
    "simulate",
    "simulate_many",
    "what_if",
]

# Where each name is from. Modules are loaded when a name of theirs is first asked for: most
# commands need few of them, and the command answers signals only once this file is read.
_HOMES = {
    "questions.api": [
        "bench",
        "capacity",
        "cost",
        "provision",
        "simulate",
        "simulate_many",
        "what_if",
    ],
    "types.bill": ["Bill"],
    "comparison.sides": ["compare"],
    "comparison.comparability": ["UnlikeError"],
    "questions.fit": ["Fit", "fit"],
    "formats.loading": ["load", "load_all"],
    "questions.plan": ["Plan", "plan"],
    "runs.run": ["Run"],
    "pages.view": ["RunView"],
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        import importlib

        value = getattr(importlib.import_module(f"{__name__}.{_HOME.get(name, '_core')}"), name)
        # From now on the name is found without asking here.
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
