"""The command `blockyard`: one command a file, and one place where calls end."""

import signal
import sys
from collections.abc import Sequence
from typing import Annotated, NoReturn

import typer

import blockyard
from blockyard.cli import (
    bench,
    catalog,
    compare,
    emulate,
    export,
    import_,
    report,
    schema,
    simulate,
    steer,
    terminal,
)
from blockyard.cli.completion import setup
from blockyard.cli.status import CommandError, Status

app = typer.Typer(
    name="blockyard",
    help="The proving ground for the block storage under a database.",
    add_completion=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 88},
)
app.command("simulate", epilog=simulate.EXAMPLE)(simulate.command)
app.command("bench", epilog=bench.EXAMPLE)(bench.command)
app.command("emulate", epilog=emulate.EXAMPLE)(emulate.command)
app.add_typer(steer.app, name="steer")
app.command("report", epilog=report.EXAMPLE)(report.command)
app.command("compare", epilog=compare.EXAMPLE)(compare.command)
app.add_typer(catalog.app, name="catalog")
app.add_typer(import_.app, name="import")
app.add_typer(export.app, name="export")
app.command("schema", epilog=schema.EXAMPLE)(schema.command)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"blockyard {blockyard.__version__}")
        raise typer.Exit


@app.callback(
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


def run(arguments: Sequence[str]) -> int:
    """Carry out a command line; give its exit status.

    Every error is one line on standard error, never a traceback.
    """
    command = typer.main.get_command(app)
    setup.answer_shells()
    try:
        status = command.main(arguments or ["--help"], prog_name="blockyard", standalone_mode=False)
        return int(status or Status.DONE)
    except CommandError as error:
        return _fail(str(error), error.status)
    except (blockyard.ScenarioError, blockyard.FileError) as error:
        return _fail(str(error), Status.BAD_INPUT)
    except blockyard.MachineError as error:
        return _fail(str(error), Status.LACKING)
    except blockyard.RunError as error:
        return _fail(str(error), Status.FAILED)
    except typer.TyperException as error:
        return _fail(f"{_plain(error.format_message())}; see --help", Status.BAD_INPUT)
    except Exception as error:  # noqa: BLE001 - the last resort: a line, no traceback
        return _fail(f"unexpected {type(error).__name__}: {error}", Status.FAILED)


def _plain(message: str) -> str:
    """A message of the option parser without what it says to programmers."""
    return message.replace("Value error, ", "").rstrip(".")


def _fail(message: str, status: Status) -> int:
    for line in message.splitlines():
        print(f"blockyard: {line}", file=sys.stderr)  # noqa: T201
    return status


def main() -> NoReturn:
    """Run the command of `sys.argv` and exit with its status."""
    # A reader that goes away (`| head`) ends the command quietly, as elsewhere.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    terminal.write_anyway()
    sys.exit(run(sys.argv[1:]))
