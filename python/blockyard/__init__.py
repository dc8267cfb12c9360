"""The proving ground for the block storage under a database.

    >>> import blockyard
    >>> text = open("scenarios/examples/gp3.yaml").read()
    >>> scenario = blockyard.Scenario.load(text, "gp3.yaml", ["duration=10s"])
    >>> result = scenario.simulate(lambda done_s, jobs, volumes: True)

What storage and workloads do is computed in Rust (`blockyard._core`); Python
holds the command line, the run directory and what people look at.
"""

from blockyard._core import MachineError, RunError, Scenario, ScenarioError, __version__

__all__ = ["MachineError", "RunError", "Scenario", "ScenarioError", "__version__"]
