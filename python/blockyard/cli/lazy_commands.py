"""Commands that are loaded when they or their help are called for."""

import importlib
from collections import UserDict
from collections.abc import Mapping
from typing import Any

import typer

from blockyard.cli import parsing


class Lazy(UserDict[str, Any]):
    """Commands by name, each made from its module when it is first requested."""

    def __init__(self, modules: Mapping[str, str]) -> None:
        super().__init__(modules)

    def __getitem__(self, name: str) -> Any:
        """Return the command; its module has a group `app` or a function `command`."""
        found = super().__getitem__(name)
        if isinstance(found, str):
            found = self.data[name] = _command(name, importlib.import_module(found))
        return found


def _command(name: str, module: Any) -> Any:
    if hasattr(module, "app"):
        group = typer.main.get_group(module.app)
        group.name = name
        return parsing.quickly(group)
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    alone.command(name, epilog=module.EXAMPLE)(module.command)
    return parsing.quickly(typer.main.get_command(alone))
