"""The commands, and the one place where calls end."""

import sys
from collections.abc import Sequence
from typing import Annotated

import typer
from typer.core import TyperGroup

from blockyard.cli import listing, parsing, streams
from blockyard.cli.completion import setup
from blockyard.cli.lazy_commands import Lazy
from blockyard.cli.status import CommandError, Status

# In the order in which the help lists them.
COMMANDS = {
    name: f"blockyard.cli.{'import_' if name == 'import' else name.replace('-', '_')}"
    for name in (
        "simulate",
        "bench",
        "emulate",
        "observe",
        "describe",
        "report",
        "compare",
        "sweep",
        "capacity",
        "what-if",
        "cost",
        "fit",
        "plan",
        "playground",
        "schema",
        "steer",
        "catalog",
        "prices",
        "import",
        "export",
        "provision",
    )
}

_app = typer.Typer(
    name="blockyard",
    cls=listing.Group,
    help="The proving ground for the block storage under a database.",
    add_completion=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 88},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        import blockyard

        streams.say(f"blockyard {blockyard.__version__}")
        raise typer.Exit


@_app.callback(
    epilog="\b\nExample:\n  blockyard simulate scenarios/intersystems-2022/b080.yaml --out b080"
)
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
    show_completion: setup.Show = None,
    install_completion: setup.Install = None,
) -> None:
    """The proving ground for the block storage under a database."""


def group() -> TyperGroup:
    """All commands, each loaded when it is requested."""
    found: TyperGroup = parsing.quickly(typer.main.get_group(_app))
    found.commands = Lazy(COMMANDS)
    return found


def ended(arguments: Sequence[str]) -> int:
    """Carry out a command line, ensure that its output is written, return its exit status."""
    status = run(arguments)
    try:
        streams.settle()
    except streams.OutputError as error:
        # Already reported if the command ended because of it.
        return status if status in (Status.FAILED, Status.UNREAD) else _unprinted(error)
    return status


def run(arguments: Sequence[str]) -> int:
    """Carry out a command line and return its exit status.

    Every error is one line on standard error, never a traceback.
    """
    try:
        return _carried_out(arguments)
    except CommandError as error:
        return _fail(error.lines, error.status)
    except streams.OutputError as error:
        return _unprinted(error)
    except typer.TyperException as error:
        return _fail([f"{_unparsed(error)}; see --help"], Status.BAD_INPUT)
    except KeyboardInterrupt:
        return Status.INTERRUPTED
    except Exception as error:  # noqa: BLE001 - the last resort: one line, no traceback
        line, status = _said(error)
        return _fail([line], status)


def _carried_out(arguments: Sequence[str]) -> int:
    setup.answer_shells()
    words = arguments or ["--help"]
    return int(group().main(words, prog_name="blockyard", standalone_mode=False) or Status.DONE)


def _said(error: Exception) -> tuple[str, Status]:
    """What to say about an error that no command handles itself."""
    from blockyard import _core

    kinds = {
        _core.ScenarioError: Status.BAD_INPUT,
        _core.FileError: Status.BAD_INPUT,
        _core.MachineError: Status.LACKING,
        _core.RunError: Status.FAILED,
    }
    for kind, status in kinds.items():
        if isinstance(error, kind):
            return str(error), status
    return f"unexpected {type(error).__name__}: {error}", Status.FAILED


def _unprinted(error: streams.OutputError) -> int:
    return Status.UNREAD if error.reader_is_gone else _fail([str(error)], Status.FAILED)


# Options of earlier versions, with the names that they have now.
_RENAMED = {"--for-good": "--sustained", "--worlds": "--samples"}


def _unparsed(error: typer.TyperException) -> str:
    """Why a command line cannot be parsed."""
    option = getattr(error, "option_name", "")
    if option in _RENAMED:
        return f"{option} is called {_RENAMED[option]} now"
    return _plain(error.format_message())


def _plain(message: str) -> str:
    """A message of the option parser, on one line, without what is meant for programmers."""
    line = " ".join(line.strip() for line in message.splitlines())
    return line.replace("Value error, ", "").rstrip(".")


def _fail(lines: Sequence[str], status: Status) -> int:
    for line in lines:
        # A name may have line breaks in it.
        print(f"blockyard: {' '.join(line.splitlines())}", file=sys.stderr)  # noqa: T201
    return status
