"""Scenarios and overrides that callers from Python pass, and errors in their words."""

import functools
import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import ParamSpec, TypeVar

from blockyard._core import Scenario, ScenarioError
from blockyard.runs.execution import ScenarioFile

Place = str | Path

# A scenario file, or what stands in one.
Asked = Place | Mapping[str, object]

# A scenario that was loaded, or what one is made of, alone or with its overrides.
Variant = Scenario | Asked | tuple[Asked, Mapping[str, object]]

P = ParamSpec("P")
R = TypeVar("R")

# A dict is one line of JSON, in which a line's number says nothing.
LINE_OF_A_DICT = r"^scenario:\d+: "


def overrides(sets: Mapping[str, object], above: str = "") -> Iterator[str]:
    """Values as `--set` takes them: PATH=VALUE. Raises TypeError if `sets` is no mapping."""
    if not isinstance(sets, Mapping):
        kind = type(sets).__name__
        raise TypeError(f'sets: a {kind}; expected a dict such as {{"storage.data.iops": 6000}}')
    for name, value in sets.items():
        path = f"{above}{name}"
        if isinstance(value, Mapping):
            yield from overrides(value, f"{path}.")
        else:
            yield f"{path}={value if isinstance(value, str) else as_json(value)}"


def file_of(scenario: Asked, sets: Mapping[str, object] | None) -> ScenarioFile:
    """A scenario's file with its overrides; a dict as if it were one."""
    given = tuple(overrides(sets if sets is not None else {}))
    if isinstance(scenario, Mapping):
        return ScenarioFile(as_json(scenario), "scenario", given)
    return ScenarioFile.read(Path(scenario), given)


def given(scenario: Variant) -> Scenario | tuple[str, str, tuple[str, ...]]:
    """A scenario, or the text, name and overrides of one."""
    if isinstance(scenario, Scenario):
        return scenario
    asked, sets = scenario if isinstance(scenario, tuple) else (scenario, {})
    file = file_of(asked, sets)
    return file.text, file.name, file.sets


def as_json(value: object) -> str:
    """A value as JSON, which is YAML too; what JSON lacks, such as a path, as its text."""
    return json.dumps(value, default=str, ensure_ascii=False)


def in_python_words(call: Callable[P, R]) -> Callable[P, R]:
    """Have the ScenarioErrors of a function name its parameters, not the command's options."""

    @functools.wraps(call)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return call(*args, **kwargs)
        except ScenarioError as error:
            message = in_words(str(error))
            if message == str(error):
                raise
            raise ScenarioError(message) from error

    return called


def in_words(message: str) -> str:
    """An error of the command line in the words of Python."""
    option = re.match(r"--([a-z-]+): ", message)
    if option:
        plural = {"set": "sets", "goal": "goals"}
        name = plural.get(option[1], option[1].replace("-", "_"))
        return f"{name}: {message[option.end() :]}"
    return re.sub(LINE_OF_A_DICT, "scenario: ", message)
