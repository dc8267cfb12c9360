"""`blockyard fit`: a volume's own profile, from what was measured on it."""

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from blockyard.cli import files, options, running, streams
from blockyard.cli.status import CommandError, Status

if TYPE_CHECKING:
    from blockyard.fitting.profile import Parameter
    from blockyard.questions.fit import Fit

EXAMPLE = """\b
Examples:
  blockyard fit runs/low runs/full -o mine.yaml
  blockyard fit fio.json --like io2-block-express --json
  blockyard fit logs/ --device nvme1n1
  blockyard fit runs/gp3 --family
"""

# From this width on there is room for reasons.
_WIDE = 120

_HEADINGS = ["", "value", "95% limits", "IOs", "verdict", ""]
_VERDICT = _HEADINGS.index("verdict")


def command(
    measured: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE",
            help="Run directories of bench or observe, with or without --io-log, ios.csv, fio's "
            "JSON, or a folder of its logs; all of one device.",
        ),
    ],
    out: files.Out = None,
    like: Annotated[
        str,
        typer.Option(metavar="PROFILE", help="The catalog's profile that fills gaps."),
    ] = "gp3",
    device: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The device, where several had IO."),
    ] = None,
    family: Annotated[
        bool,
        typer.Option(
            "--family", help="Only the factor that moves the profiles of all volumes of this host."
        ),
    ] = False,
    as_json: options.Json = False,
) -> int:
    """Make a latency profile, and the limits that throttled, from measurements of one device.

    Each parameter is measured, bounded from one side, kept from --like, or unknown.
    Latencies come only from unthrottled IOs; a limit needs load that it throttled for some
    seconds, and its depth a rest before. A volume takes the profile as latency:
    ./mine.yaml.
    """
    from blockyard.questions.fit import fit

    if family and out is not None:
        raise CommandError(
            "--family: makes no profile; expected it without --out", Status.BAD_INPUT
        )
    with running.reading(measured[0]):
        made = fit(*measured, like=like, device=device)
    if out is not None:
        files.write(made.yaml(f"./{out.name}"), out)
    if as_json:
        streams.say(json.dumps(_plain(made), indent=2))
    elif family:
        _print(made.family(), made)
        _print_use(made)
    else:
        _print(made.parameters(), made)
    return Status.DONE


def _plain(made: "Fit") -> dict[str, object]:
    parameters = [dataclasses.asdict(parameter) for parameter in made.parameters()]
    return dataclasses.asdict(made) | {"parameters": parameters}


def _print_use(made: "Fit") -> None:
    host = made.figures["family"]["host"]
    if host["verdict"] == "measured":
        streams.say(
            f"Every network volume of such a host: --set host.latency_factor={host['value']:.3f}"
        )


def _print(parameters: "Sequence[Parameter]", made: "Fit") -> None:
    from rich.table import Table

    from blockyard.cli import columns, terminal

    console = terminal.on_stdout()
    rows = [_row(parameter, made.like) for parameter in parameters]
    # Reasons come last, if there is room for them.
    shown = len(_HEADINGS) if console.width >= _WIDE else len(_HEADINGS) - 1
    table = Table(box=None, pad_edge=False, padding=(0, columns.GAP, 0, 0))
    for place, heading in enumerate(_HEADINGS[:shown]):
        widest = max(len(row[place]) for row in rows)
        table.add_column(
            heading,
            justify="right" if 0 < place < _VERDICT else "left",
            min_width=widest if place <= _VERDICT else None,
        )
    for row in rows:
        table.add_row(*row[:shown])
    console.print(table)
    for line in made.said():
        console.print(line, soft_wrap=True)


def _row(one: "Parameter", like: str) -> list[str]:
    value = one.value or (f"as {like}" if one.verdict == "kept" else "")
    ios = f"{one.ios:,}" if one.ios else ""
    return [one.name, value, one.limits, ios, one.verdict, one.why]
