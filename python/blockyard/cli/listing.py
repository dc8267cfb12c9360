"""How the help of a group lists its commands."""

from typing import Any

from typer.core import TyperGroup


class Group(TyperGroup):
    """A group whose help has the whole first sentence of each command."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List the commands, each on as many lines as it needs."""
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [(name, command.get_short_help_str(1000)) for name, command in commands if command]
        with formatter.section("Commands"):
            formatter.write_dl(rows)
