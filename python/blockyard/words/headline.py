"""A run in one sentence: what was asked, what was delivered, what limits it, for how long."""

from blockyard.runs import told
from blockyard.types.facts import Facts
from blockyard.types.result import Result


def headline(result: Result, facts: Facts | None) -> str:
    """The sentence; `facts` are the run's, None of foreign files.

    Of a `Run` its tables help: `run.told.headline()`.
    """
    return told.of_result(result, facts).headline()
