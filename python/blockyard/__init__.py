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
        UnlikeError,
        __version__,
    )
    from blockyard.fitting.profile import Fit
    from blockyard.formats.foreign.reading import Reading
    from blockyard.pages.view import RunView
    from blockyard.questions.bench import bench
    from blockyard.questions.capacity import capacity
    from blockyard.questions.compare import compare
    from blockyard.questions.cost import cost
    from blockyard.questions.describe import Described, describe
    from blockyard.questions.fit import fit
    from blockyard.questions.fleet import Fleet, FleetError, plan_fleet
    from blockyard.questions.import_trace import import_trace
    from blockyard.questions.load import load, load_all
    from blockyard.questions.observe import observe
    from blockyard.questions.plan import Plan, plan
    from blockyard.questions.provision import provision
    from blockyard.questions.simulate import simulate, simulate_many
    from blockyard.questions.sweep import sweep
    from blockyard.questions.what_if import what_if
    from blockyard.runs.run import Run
    from blockyard.sweeps.sweep import Sweep
    from blockyard.types.bill import Bill

__all__ = [
    "Bill",
    "Described",
    "FileError",
    "Fit",
    "Fleet",
    "FleetError",
    "Histogram",
    "Latencies",
    "MachineError",
    "Plan",
    "Reading",
    "Run",
    "RunError",
    "RunView",
    "Scenario",
    "ScenarioError",
    "Sweep",
    "UnlikeError",
    "__version__",
    "bench",
    "capacity",
    "compare",
    "cost",
    "describe",
    "fit",
    "import_trace",
    "load",
    "load_all",
    "observe",
    "plan",
    "plan_fleet",
    "provision",
    "simulate",
    "simulate_many",
    "sweep",
    "what_if",
]

# Where each name is from. Modules are loaded when a name of theirs is first asked for: most
# commands need few of them, and the command answers signals only once this file is read.
_HOMES = {
    "fitting.profile": ["Fit"],
    "formats.foreign.reading": ["Reading"],
    "pages.view": ["RunView"],
    "questions.bench": ["bench"],
    "questions.capacity": ["capacity"],
    "questions.compare": ["compare"],
    "questions.cost": ["cost"],
    "questions.describe": ["Described", "describe"],
    "questions.fit": ["fit"],
    "questions.fleet": ["Fleet", "FleetError", "plan_fleet"],
    "questions.import_trace": ["import_trace"],
    "questions.load": ["load", "load_all"],
    "questions.observe": ["observe"],
    "questions.plan": ["Plan", "plan"],
    "questions.provision": ["provision"],
    "questions.simulate": ["simulate", "simulate_many"],
    "questions.sweep": ["sweep"],
    "questions.what_if": ["what_if"],
    "runs.run": ["Run"],
    "sweeps.sweep": ["Sweep"],
    "types.bill": ["Bill"],
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
