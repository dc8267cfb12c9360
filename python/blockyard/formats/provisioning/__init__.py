"""A layout in the form of what sets it up: Terraform, CloudFormation, LVM, IRIS, a migration.

Each format has a module, which writes all that has a meaning in it, and refuses the rest with the
place in the scenario. The text is made only of what the resolver says of the scenario.
"""

import importlib
import re
from collections.abc import Iterator
from dataclasses import dataclass

from blockyard._core import Scenario, ScenarioError, check_layout
from blockyard.formats.provisioning.layout import Layout

#: The formats, and whether each is for one host alone.
FORMATS = {
    "terraform": False,
    "cloudformation": False,
    "lvm": True,
    "iris": True,
    "migration": True,
}

#: Where file systems are mounted, each in a folder of its device's name.
MOUNTS = "/mnt"

_FOLDER = re.compile(r"(/[A-Za-z0-9_-][A-Za-z0-9._-]*)+")


@dataclass(frozen=True)
class Provisioned:
    """What a layout is set up with: the text of a file, and what it leaves out."""

    text: str
    notices: tuple[str, ...]
    # What it does, step by step and with durations; only of a migration.
    summary: str = ""


def provisioned(
    scenario: Scenario,
    file: str,
    target: str,
    *,
    host: str | None = None,
    mounts: str | None = None,
    with_instance: bool = False,
    old: tuple[Scenario, str] | None = None,
) -> Provisioned:
    """Write a scenario's layout as `target`, one of `FORMATS`; `file` is what errors call it.

    `host` is the one to write for, which some formats need if there are several, and others take
    for all; `mounts` is where file systems are mounted; `with_instance` the instances are made too;
    a migration begins with the layout `old`, a scenario and what errors call its file. Raises
    ScenarioError for what the format has no form for.
    """
    layout = Layout.of(scenario, file)
    if target not in FORMATS:
        raise ScenarioError(f"format: `{target}`; expected {', '.join(FORMATS)}")
    module = importlib.import_module(f"{__name__}.{target}")
    check_layout(scenario, file)
    names = [it.name for it in layout.hosts]
    if host is not None and host not in names:
        raise ScenarioError(f"host: `{host}`; expected one of the scenario's: {', '.join(names)}")
    if FORMATS[target] and with_instance:
        raise ScenarioError(f"with_instance: {target} makes no instances")
    if (target == "migration") != (old is not None):
        raise ScenarioError(
            f"from: {target} {'begins with an old layout' if not old else 'has none'}"
        )
    summary = ""
    if FORMATS[target]:
        if host is None and len(names) > 1:
            layout.refuse("hosts", f"{target} is for one: state its `host`, {' or '.join(names)}")
        host = host or names[0]
    if old is not None:
        before = Layout.of(*old)
        if host not in [it.name for it in before.hosts]:
            before.refuse("hosts", f"none is called {host}")
        text, summary = module.written(before, layout, host)
    elif FORMATS[target]:
        text = module.written(layout, host, _folder(mounts or MOUNTS))
    elif mounts is not None:
        raise ScenarioError(f"mounts: `{mounts}`; {target} mounts nothing")
    else:
        text = module.written(layout, host, with_instance=with_instance)
    return Provisioned(text, tuple(_notices(layout)), summary)


def _folder(path: str) -> str:
    if not _FOLDER.fullmatch(path):
        raise ScenarioError(
            f"mounts: `{path}`; expected an absolute path of letters, digits, `.`, `_` and `-`"
        )
    return path


def _notices(layout: Layout) -> Iterator[str]:
    if layout.events:
        yield f"{layout.file}: events: left out; this is the layout before any"
