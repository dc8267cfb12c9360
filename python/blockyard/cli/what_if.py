"""`blockyard what-if`: what changes of a layout would bring, and for what money."""

import json
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from blockyard.cli import files, observed, options, running, streams
from blockyard.cli.completion import values
from blockyard.cli.status import CommandError, Status
from blockyard.questions.capacity import MOST_IOS
from blockyard.questions.what_if import find

if TYPE_CHECKING:
    from blockyard.questions.observed_load import Replayed
    from blockyard.types.what_if import Alternatives

EXAMPLE = """\b
Examples:
  blockyard what-if scenarios/examples/gp3.yaml --term 1y-no-upfront
  blockyard what-if scenarios/examples/gp2.yaml --sustained
  blockyard what-if today.yaml --workload iostat.txt
  blockyard what-if scenarios/examples/gp3.yaml --vcpu 8 --memory 64GiB
  blockyard what-if scenarios/percona-2018/single-node.yaml --job tpcc --json
"""


def command(
    scenario: options.Scenario,
    workload: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Take the load over time from a file of iostat, sar or others, or a run "
            "directory, in place of the scenario's.",
        ),
    ] = None,
    mapped: observed.Mapped = None,
    device: observed.Devices = None,
    interval: observed.Interval = None,
    start: observed.Start = None,
    lsblk: observed.Lsblk = None,
    job: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The job whose gain counts; by default all. Other jobs' losses and all goals "
            "always count.",
            autocompletion=values.jobs,
        ),
    ] = None,
    sustained: options.Sustained = False,
    vcpu: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="The fewest vCPUs of a cheaper instance; by default two smaller sizes of the "
            "family are tried, and other families with no fewer.",
        ),
    ] = None,
    memory: Annotated[
        str | None,
        typer.Option(metavar="SIZE", help="The least memory of a cheaper instance; likewise."),
    ] = None,
    region: options.Region = None,
    term: options.InstanceTerm = options.Term.ON_DEMAND,
    price_file: options.PriceFile = None,
    most_ios: options.MostIos = MOST_IOS,
    seed: options.Seed = None,
    sets: options.Sets = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "-o", "--out", metavar="FILE", help="With --workload: write a scenario with all of it."
        ),
    ] = None,
    as_json: options.Json = False,
) -> int:
    """Try changes of a layout: what they save or bring in IOPS or TPS, p99 and cost.

    Each is tried alone: more and fewer volumes, IOPS, MiB/s and GiB, larger, smaller and
    cheaper instances, other volume types with what the load takes, io2 for the journal
    only, and settings of clusters. Then two and three are made together, where each helped.
    Each is an override of the scenario, which the catalog may refuse, simulated with the
    same seeds.
    First come changes that meet missed goals, the cheapest first. Where all goals are met,
    savings come first, each with what it gives up; then the most gain per dollar.

    With --workload the answer is what the layout, and others, would have done under a load
    that was observed, such as last night's: the rates, sizes and shares of reads of each
    interval, of its busiest part if all of it takes too many IOs.
    """
    from blockyard.cli.tries import tries
    from blockyard.questions.observed_load import under

    given = running.read(scenario, sets, seed)
    load = None
    if workload is not None:
        with running.reading(workload):
            places = dict(map(running.pair, mapped or []))
            how = observed.reading(device, interval, start, lsblk)
            load = under(workload, given, most_ios, how, places)
        files.check_new(out)
        if out is not None:
            files.write(load.night, out)
    elif mapped or out or device or interval or start or lsblk:
        message = "--map, --out, --device, --interval, --start, --lsblk: expected --workload too"
        raise CommandError(message, Status.BAD_INPUT)
    file = load.scenario if load else given.scenario()
    with running.reading(scenario), tries(file.name) as tried:
        found = find(
            file,
            tried,
            job=job,
            sustained=sustained,
            vcpu=vcpu,
            memory=memory,
            region=region,
            term=term,
            price_file=price_file,
            most_ios=most_ios,
        )
    _print(found, load, as_json=as_json)
    return Status.DONE


def _print(found: "Alternatives", load: "Replayed | None", *, as_json: bool) -> None:
    notes = list(load.notes) if load else []
    if load and not found["sustained_sets"]:
        notes += load.beside(found["result"])
    if as_json:
        streams.say(json.dumps({**found, "workload": notes} if load else found, indent=2))
        return
    from blockyard.cli import terminal, what_if_table

    console = terminal.on_stdout()
    for part in what_if_table.parts(found, console.width):
        console.print(part, markup=False, soft_wrap=isinstance(part, str))
    for note in notes:
        for line in textwrap.wrap(f"- {note}.", console.width, subsequent_indent="  "):
            streams.say(line)
