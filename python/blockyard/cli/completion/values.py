"""The values that arguments can take: from this folder, the catalog, a scenario, a service.

What cannot be read offers no values: a shell has no place for errors.
"""

import contextlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import typer

from blockyard import _core
from blockyard.runs.execution import ScenarioFile
from blockyard.service import control

_SCENARIOS = (".yaml", ".yml", ".json")


def scenarios(incomplete: str) -> list[str]:
    """Scenario files, and folders that may contain some."""
    head, slash, beginning = incomplete.rpartition("/")
    folder = Path(f"{head}{slash}" or ".")
    with contextlib.suppress(OSError):
        return sorted(
            f"{head}{slash}{entry.name}{'/' if entry.is_dir() else ''}"
            for entry in folder.iterdir()
            if entry.name.startswith(beginning)
            and (beginning.startswith(".") or not entry.name.startswith("."))
            and (entry.is_dir() or entry.name.endswith(_SCENARIOS))
        )
    return []


def devices(context: typer.Context, incomplete: str) -> list[str]:
    """The devices of the command line's scenario."""
    return [name for name in _devices(context) if name.startswith(incomplete)]


def jobs(context: typer.Context, incomplete: str) -> list[str]:
    """The jobs of the command line's scenario."""
    scenario = _scenario(context)
    found = json.loads(scenario.jobs()) if scenario else []
    return [job["name"] for job in found if job["name"].startswith(incomplete)]


def mappings(context: typer.Context, incomplete: str) -> list[str]:
    """`DEVICE=` for the devices of the command line's scenario; a path follows it."""
    return _keys(_devices(context), incomplete)


def hosts(context: typer.Context, incomplete: str) -> list[str]:
    """The hosts of the command line's scenario."""
    scenario = _scenario(context)
    found = json.loads(scenario.layout())["hosts"] if scenario else []
    return [host["name"] for host in found if host["name"].startswith(incomplete)]


def _devices(context: typer.Context) -> list[str]:
    scenario = _scenario(context)
    return scenario.devices if scenario else []


def _scenario(context: typer.Context) -> _core.Scenario | None:
    """The command line's scenario; None if it cannot be read."""
    # While an option lacks its value, the words before it are not yet arguments.
    words = [context.params.get("scenario"), *context.args]
    with contextlib.suppress(OSError, ValueError):
        path = next(filter(None, words), None)
        return ScenarioFile.read(Path(path), ()).scenario() if path else None
    return None


def fronts(incomplete: str) -> list[str]:
    """How devices can be served; where follows after `=`."""
    block = ["block"] if "block".startswith(incomplete) else []
    return [*_keys(("nbd", "fuse"), incomplete), *block]


def _keys(names: Iterable[str], incomplete: str) -> list[str]:
    """`NAME=` for each name that fits; none after the `=`, where a file name follows."""
    keys = [f"{name}=" for name in names if f"{name}=".startswith(incomplete)]
    return [] if "=" in incomplete else keys


def regions(incomplete: str) -> list[str]:
    """The regions of the catalog."""
    return [name for name in _core.regions() if name.startswith(incomplete)]


def volume_types(incomplete: str) -> list[str]:
    """The volume types of the catalog."""
    return _named(_core.catalog_volumes(None, None), incomplete)


def instances(incomplete: str) -> list[str]:
    """The instance types of the catalog."""
    return _named(_core.catalog_instances(None, None), incomplete)


def _named(rows: str, incomplete: str) -> list[str]:
    names = dict.fromkeys(row["type"] for row in json.loads(rows))
    return [name for name in names if name.startswith(incomplete)]


def limits(context: typer.Context, incomplete: str) -> list[str]:
    """`NAME=` for the limits of the service that the command line names."""
    volumes = _status(context).get("volumes", [])
    names = (limit["name"] for volume in volumes for limit in volume["limits"])
    return _keys(dict.fromkeys(names), incomplete)


def steered(context: typer.Context, incomplete: str) -> list[str]:
    """The devices and volumes of the service that the command line names."""
    status = _status(context)
    names = [row["name"] for key in ("devices", "volumes") for row in status.get(key, [])]
    return [name for name in dict.fromkeys(names) if name.startswith(incomplete)]


def links_steered(context: typer.Context, incomplete: str) -> list[str]:
    """The links of the service that the command line names."""
    links = _status(context).get("links", [])
    return [link["name"] for link in links if link["name"].startswith(incomplete)]


def _status(context: typer.Context) -> dict[str, Any]:
    """The state of the service at the PATH of `steer PATH`, an argument of a parent command."""
    ancestor: Any = context
    while ancestor is not None:
        if ancestor.params.get("path"):
            with contextlib.suppress(OSError, ValueError):
                status: dict[str, Any] = control.ask(Path(ancestor.params["path"]), "status")
                return status
        ancestor = ancestor.parent
    return {}
