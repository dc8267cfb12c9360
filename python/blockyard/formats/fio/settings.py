"""Values that a job file leaves open, given with `--set` or by the environment."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

# `${NAME}` is a variable of the environment; fio itself knows the others, from its machine.
VARIABLE = re.compile(r"\$\{(\w+)\}|\$(pagesize|mb_memory|ncpus)\b")


@dataclass
class Settings:
    """Values by name: those of `--set`, then those of the environment."""

    given: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    # The variables that the file has.
    variables: set[str] = field(default_factory=set)

    def filled(self, text: str) -> str:
        """Replace the variables in `text` that have a value; the others stay."""
        return VARIABLE.sub(self._value, text)

    def _value(self, found: re.Match[str]) -> str:
        name = found[1] or found[2]
        self.variables.add(name)
        of_environment = self.environment.get(name) if found[1] else None
        return self.given.get(name, of_environment or found[0])

    def options(self) -> dict[str, str]:
        """Return what `--set` gives that is no variable of the file: options of all its jobs."""
        return {name: text for name, text in self.given.items() if name not in self.variables}


def unset_in(text: str) -> Sequence[str]:
    """Return the names of the variables in `text` that have no value."""
    return [found[1] or found[2] for found in VARIABLE.finditer(text)]
