"""`blockyard import aws`: what an account's volumes live on, and what would be better."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from blockyard.cli import aws_text, files, options, streams
from blockyard.cli.plan import progress
from blockyard.cli.running import opened, reading
from blockyard.cli.status import CommandError, Status

if TYPE_CHECKING:
    from blockyard.questions.account import Examined
    from blockyard.words.account_finding import Finding

EXAMPLE = """\b
Examples:
  blockyard import aws volumes.json instances.json --query query.json
  blockyard import aws volumes.json instances.json query.json metrics.json
  blockyard import aws --live --region eu-west-1 --html account.html
  blockyard import aws answers/ --instance i-0abc12345678def01 --out orders --html orders.html
"""


def command(
    answers: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="FILE",
            help="Saved answers (JSON) of describe-volumes, describe-instances, "
            "describe-db-instances, get-metric-data with its query, get-metric-statistics; "
            "CloudWatch's CSV; folders of them.",
        ),
    ] = None,
    live: Annotated[
        bool,
        typer.Option("--live", help="Ask AWS itself, read-only; needs `blockyard[aws]`."),
    ] = False,
    region: Annotated[
        str | None, typer.Option(metavar="NAME", help="The region that --live asks.")
    ] = None,
    instance: Annotated[
        str | None,
        typer.Option(metavar="ID", help="Only this instance or database, by its id or name."),
    ] = None,
    price_file: options.PriceFile = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--out",
            metavar="FOLDER",
            help="Write each layout as a scenario to a new folder: NAME.yaml, NAME-next.yaml "
            "with its changes, NAME-load.yaml with what CloudWatch saw of its load.",
        ),
    ] = None,
    html: options.Html = None,
    query: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write what to ask of CloudWatch to a new file for get-metric-data, and end.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> int:
    """Say what an AWS account's volumes live on, and what would be better.

    Reads saved answers, which needs no credentials, or asks AWS (--live). Of each instance with its
    volumes, and of each database of RDS: which burst credits end, and when; what is at a limit;
    which volumes would be cheaper or better, in dollars. Several give a table, the largest saving
    first.
    """
    files.check_new(out, html, query)
    paths = _paths(answers, region, live=live)
    if query is not None:
        _write_query(paths, instance, query)
        return Status.DONE
    found = _found(paths, region, instance, price_file)
    if out is not None:
        with reading(out):
            _write(found.findings, out)
    if html is not None:
        from blockyard.pages import account as pages
        from blockyard.pages import page

        files.write(page.html(pages.examined(region or paths[0].name, found.findings, found)), html)
    if as_json:
        streams.say(json.dumps([_document(one) for one in found.findings], indent=2))
    else:
        aws_text.say(found, out)
    if found.failed:
        raise CommandError(
            [f"{name}: {error}" for name, error in found.failed.items()],
            Status.MISSED if found.findings else Status.BAD_INPUT,
        )
    return Status.DONE


def _document(found: "Finding") -> dict[str, object]:
    """All but the files that --out writes."""
    document = asdict(found)
    del document["load_scenario"], document["load_files"]
    return document


def _paths(answers: Sequence[Path] | None, region: str | None, *, live: bool) -> list[Path]:
    """The files; none where AWS itself is asked."""
    if live and answers:
        raise CommandError("--live: beside files; expected either of them", Status.BAD_INPUT)
    if live != (region is not None):
        raise CommandError(
            "--live: expected --region beside it, such as us-east-1"
            if live
            else "--region: is that of --live; expected --live beside it",
            Status.BAD_INPUT,
        )
    if not live and not answers:
        raise CommandError("no file; expected saved answers, or --live", Status.BAD_INPUT)
    return list(answers or [])


def _write_query(paths: Sequence[Path], instance: str | None, query: Path) -> None:
    from blockyard.questions.account_query import query_of

    if not paths:
        raise CommandError("--query: --live needs none; expected either", Status.BAD_INPUT)
    with reading(paths[0]):
        asked = query_of(paths, only=instance)
    files.write(json.dumps(asked, indent=1) + "\n", query)


def _found(
    paths: Sequence[Path], region: str | None, instance: str | None, price_file: Path | None
) -> "Examined":
    from blockyard.formats.aws.live import NoBotoError
    from blockyard.questions.account import examine, examine_live

    with reading(paths[0] if paths else Path()), progress("reading") as told:
        if region is None:
            return examine(paths, only=instance, prices=price_file, progress=told)
        try:
            return examine_live(region, only=instance, prices=price_file, progress=told)
        except NoBotoError as error:
            raise CommandError(f"--live: {error}", Status.BAD_INPUT) from error


def _write(findings: Sequence["Finding"], folder: Path) -> None:
    """A new folder with what there is and what would be better, as scenarios."""
    taken: set[str] = set()
    with opened(folder) as made:
        for found in findings:
            name = found.name if found.name not in taken else f"{found.name}-{found.id}"
            taken.add(name)
            (made.partial / f"{name}.yaml").write_text(found.scenario, encoding="utf-8")
            if found.load_scenario is not None:
                load = made.partial / f"{name}-load.yaml"
                load.write_text(found.load_scenario, encoding="utf-8")
            for file, text in found.load_files.items():
                (made.partial / file).write_text(text, encoding="utf-8")
            if found.next_scenario is not None:
                after = made.partial / f"{name}-next.yaml"
                after.write_text(found.next_scenario, encoding="utf-8")
        made.publish()
