"""`blockyard what-if`: what changes of a layout would bring, and for what money."""

import json
from typing import Annotated

import typer

from blockyard.cli import options, running, streams
from blockyard.cli.completion import values
from blockyard.cli.status import Status
from blockyard.questions.capacity import MOST_IOS
from blockyard.questions.what_if import find

EXAMPLE = """\b
Examples:
  blockyard what-if gp3.yaml --term 1y-no-upfront
  blockyard what-if gp2.yaml --sustained
  blockyard what-if gp3.yaml --vcpu 8 --memory 64GiB
  blockyard what-if scenarios/percona-2018/single-node.yaml --job tpcc --json
"""


def command(
    scenario: options.Scenario,
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
    as_json: options.Json = False,
) -> int:
    """Try changes of a layout: what they save or bring in IOPS or TPS, p99 and cost.

    Each is tried alone: more and fewer volumes, IOPS, MiB/s and GiB, larger, smaller and
    cheaper instances, other volume types with what the load takes, and io2 for the journal
    only. Then two and three are made together, where each helped. Each is an override of
    the scenario, which the catalog may refuse, simulated with the same seeds.
    First come changes that meet missed goals, the cheapest first. Where all goals are met,
    savings come first, each with what it gives up; then the most gain per dollar.
    """
    from blockyard.cli.tries import tries

    file = running.read(scenario, sets, seed).scenario()
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
    if as_json:
        streams.say(json.dumps(found, indent=2))
    else:
        from blockyard.cli import terminal, what_if_table

        console = terminal.on_stdout()
        for part in what_if_table.parts(found, console.width):
            console.print(part, markup=False, soft_wrap=isinstance(part, str))
    return Status.DONE
