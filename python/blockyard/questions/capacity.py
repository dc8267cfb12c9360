"""Find the largest load at which goals hold: `crates/capacity` searches."""

import json
from collections.abc import Mapping, Sequence
from typing import cast

from blockyard._core import QUESTION_IOS, Scenario
from blockyard._core import capacity as search
from blockyard.questions.arguments import Asked, file_of, in_python_words
from blockyard.runs.observer import Tried
from blockyard.types.capacity import Capacity

# What is simulated at most without being asked for.
MOST_IOS = QUESTION_IOS


@in_python_words
def capacity(
    scenario: Asked,
    goals: str | Sequence[str] = (),
    sets: Mapping[str, object] | None = None,
    *,
    job: str | None = None,
    up_to: float | None = None,
    sustained: bool = False,
    most_ios: int = MOST_IOS,
) -> Capacity:
    """Find the largest load at which `goals`, or else the scenario's, hold, to 1 %.

    They hold with 95 % of all seeds, by up to 30; `one_seed` is the load of the scenario's own.
    The load is that of `job`, or of all jobs by one factor: processes, threads, IOs or
    transactions a second, up to `up_to`. As many IOs are simulated as `most_ios` allow. With
    `sustained` burst balances and saved-up tokens are used up before the start.
    `scenario` and `sets` are as for `simulate`.

    Raises ScenarioError for what is wrong with the scenario, a goal or the job, OSError if a file
    cannot be read, and KeyboardInterrupt on Ctrl-C.

        >>> gp3 = "scenarios/examples/gp3.yaml"
        >>> found = blockyard.capacity(gp3, "readers.latency.p99 < 1.5ms", {"duration": "30s"})
        >>> found["outcome"], found["holds"]
        ('found', 2)
    """
    asked = [goals] if isinstance(goals, str) else goals
    loaded = file_of(scenario, sets).scenario()
    return find(
        loaded,
        asked,
        nothing,
        job=job,
        up_to=up_to,
        sustained=sustained,
        most_ios=most_ios,
    )


def find(
    scenario: Scenario,
    goals: Sequence[str],
    tried: Tried,
    *,
    job: str | None = None,
    up_to: float | None = None,
    sustained: bool = False,
    most_ios: int = MOST_IOS,
) -> Capacity:
    """Find the largest load at which goals hold; the scenario's own if there are no `goals`.

    With `sustained` burst balances and tokens are used up before the start.
    """
    text = search(
        scenario,
        list(goals),
        tried,
        job=job,
        up_to=up_to,
        sustained=sustained,
        most_ios=most_ios,
    )
    return cast(Capacity, json.loads(text))


def nothing(_last: str, _ios: int, _most_ios: int) -> None:
    """Look on and do nothing."""
