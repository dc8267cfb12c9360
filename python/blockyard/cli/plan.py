"""`blockyard plan`: the cheapest layout that meets a requirement."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from blockyard.cli import files, observed, options, plan_fleet, plan_requirement, running, streams
from blockyard.cli.completion import values
from blockyard.cli.status import Status

if TYPE_CHECKING:
    from blockyard.types.plan import Answer

EXAMPLE = """\b
Examples:
  blockyard plan wanted.yaml --explain
  blockyard plan --size 2TiB --read-iops 60000 --write-iops 20000 --p99 2ms
  blockyard plan --from today.yaml --workload runs/peak-hour --out tomorrow.yaml --html plan.html
  blockyard plan --size 600GiB --workload iostat.txt --lsblk lsblk.json
  blockyard plan --size 600GiB --demand day.csv
  blockyard plan fleet.csv --no-prove --out layouts
"""


def _wanted(help_text: str, metavar: str, name: str | None = None) -> object:
    names = [name] if name else []
    return typer.Option(*names, metavar=metavar, help=help_text)


Text = str | None


def command(
    requirement: Annotated[
        Path | None,
        typer.Argument(
            metavar="[REQUIREMENT]",
            help="A requirement (YAML or JSON), or a row for each database (CSV); options "
            "override it.",
            autocompletion=values.scenarios,
        ),
    ] = None,
    size: Annotated[Text, _wanted("Size of the data.", "SIZE")] = None,
    read_iops: Annotated[Text, _wanted("Reads a second.", "N")] = None,
    write_iops: Annotated[Text, _wanted("Writes a second.", "N")] = None,
    read_throughput: Annotated[Text, _wanted("Bytes read a second, as 500MiB/s.", "RATE")] = None,
    write_throughput: Annotated[Text, _wanted("Bytes written a second.", "RATE")] = None,
    io_size: Annotated[Text, _wanted("Size of an IO.", "SIZE")] = None,
    p99: Annotated[Text, _wanted("Maximum p99 of reads and writes.", "TIME")] = None,
    skew: Annotated[
        Text, _wanted("Which blocks reads and writes prefer, as '{zipf: 0.99}'.", "SKEW")
    ] = None,
    demand: Annotated[
        Text,
        _wanted("Demand by interval, a CSV file, in place of rates; repeated for good.", "FILE"),
    ] = None,
    duration: Annotated[
        Text, _wanted("Duration of the load; by default sustained.", "TIME")
    ] = None,
    headroom: Annotated[
        Text, _wanted("Headroom below every limit; by default 10%.", "SHARE")
    ] = None,
    probability: Annotated[
        Text,
        _wanted("Probability with which goals hold when simulated; by default 95%.", "SHARE"),
    ] = None,
    free_space: Annotated[
        Text, _wanted("Free space in each file system; by default 20%.", "SHARE")
    ] = None,
    replicas: Annotated[
        Text, _wanted("Nodes beside the first that get its log, in other zones.", "N")
    ] = None,
    growth: Annotated[Text, _wanted("Growth of the data, as 40%/year.", "RATE")] = None,
    horizon: Annotated[
        Text, _wanted("How long it must do, as '3 years'; by default a year.", "TIME")
    ] = None,
    instance: Annotated[
        Text,
        typer.Option(metavar="TYPE", help="An existing instance.", autocompletion=values.instances),
    ] = None,
    architecture: Annotated[Text, _wanted("x86_64 or arm64.", "NAME")] = None,
    vcpu: Annotated[Text, _wanted("Minimum vCPUs.", "N")] = None,
    memory: Annotated[Text, _wanted("Minimum memory.", "SIZE")] = None,
    family: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only this family; may be repeated.")
    ] = None,
    volume_type: Annotated[
        list[str] | None,
        typer.Option(
            "--type",
            metavar="NAME",
            help="Only this volume type; may be repeated.",
            autocompletion=values.volume_types,
        ),
    ] = None,
    max_volumes: Annotated[Text, _wanted("Maximum volumes; by default 8.", "N")] = None,
    generation: Annotated[
        Text, _wanted("Instances of EC2's current generation, or any.", "current|any")
    ] = None,
    burstable: Annotated[
        bool | None, typer.Option("--burstable", help="Also burstable instances (T).")
    ] = None,
    region: Annotated[
        Text, _wanted("The region of the prices; by default us-east-1.", "NAME")
    ] = None,
    as_of: Annotated[Text, _wanted("The day of limits and prices.", "DATE")] = None,
    term: Annotated[
        Text, _wanted("How instances are paid for: on-demand, 1y-no-upfront, …", "TERM")
    ] = None,
    sets: options.Sets = None,
    workload: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="Take the load from a scenario (of `demand` jobs by interval), a run directory, "
            "or a file of fio, iostat, sar or others.",
        ),
    ] = None,
    device: observed.Devices = None,
    interval: observed.Interval = None,
    start: observed.Start = None,
    lsblk: observed.Lsblk = None,
    since: Annotated[
        Path | None,
        typer.Option(
            "--from",
            metavar="SCENARIO",
            help="Start from this existing layout and report what to change; also the output "
            "of `terraform show -json`.",
        ),
    ] = None,
    price_file: options.PriceFile = None,
    prove: Annotated[
        bool,
        typer.Option(help="Simulate the layouts with up to 30 seeds; drop those that miss a goal."),
    ] = True,
    samples: Annotated[
        int,
        typer.Option(
            min=1,
            max=100_000,
            metavar="N",
            help="Monte Carlo samples for a requirement with ranges.",
        ),
    ] = 1000,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Seed of the samples.")] = 1,
    factor: Annotated[
        int,
        typer.Option(
            min=0,
            max=1000,
            metavar="N",
            help="Penalty for a shortfall, as a multiple of the cost of covering it.",
        ),
    ] = 3,
    out: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--out",
            metavar="FILE",
            help="Write the layout and its load as a scenario; of a fleet a folder of them.",
        ),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the report as a new page, with cost against p99.",
        ),
    ] = None,
    stills: options.HtmlStills = False,
    static: options.Static = False,
    explain: Annotated[
        bool,
        typer.Option("--explain", help="Explain why each alternative was rejected, with numbers."),
    ] = False,
    as_json: options.Json = False,
) -> int:
    """Find the cheapest instance and volumes that meet a requirement, and prove it.

    All limits apply at once: each volume's, with burst credits over the load's duration,
    and the instance's. What you do not state has the defaults of docs/plan.md: 8 volumes,
    current instances, 20% free space; the cheapest possible without them is named
    beside the answer. Exits with status 1 if nothing meets the requirement.
    """
    from blockyard.questions import plan

    files.check_new(out, html)
    given = plan_requirement.of(
        {
            "--size": size,
            "--read-iops": read_iops,
            "--write-iops": write_iops,
            "--read-throughput": read_throughput,
            "--write-throughput": write_throughput,
            "--io-size": io_size,
            "--p99": p99,
            "--skew": skew,
            "--demand": demand,
            "--duration": duration,
            "--headroom": headroom,
            "--probability": probability,
            "--free-space": free_space,
            "--replicas": replicas,
            "--growth": growth,
            "--horizon": horizon,
            "--instance": instance,
            "--architecture": architecture,
            "--vcpu": vcpu,
            "--memory": memory,
            "--family": family,
            "--generation": generation,
            "--burstable": burstable,
            "--type": volume_type,
            "--max-volumes": max_volumes,
            "--region": region,
            "--as-of": as_of,
            "--term": term,
        },
        sets or [],
    )
    if requirement is not None and plan_fleet.is_one(requirement):
        plan_fleet.refuse({"--workload": workload, "--from": since, "--explain": explain})
        with plan_requirement.told_by_option(sets or []), progress() as told:
            return plan_fleet.run(
                requirement,
                given,
                prices=price_file,
                prove=prove,
                wanted=plan_fleet.Wanted(out, html, as_json),
                progress=told,
            )
    with (
        running.reading(requirement or workload or since or Path()),
        plan_requirement.told_by_option(sets or []),
        progress() as told,
    ):
        made = plan.plan(
            requirement,
            given,
            workload=workload,
            reading=observed.reading(device, interval, start, lsblk),
            since=since,
            prices=price_file,
            prove=prove,
            samples=samples,
            seed=seed,
            factor=factor,
            progress=told,
        )
    if out is not None and made.scenario is not None:
        files.write(made.scenario, out)
    if html is not None:
        files.write(_page(made.answer, stills=stills, static=static), html)
    if as_json:
        streams.say(json.dumps(made.answer, indent=2))
    else:
        _print(made.answer, explain=explain)
    return Status.DONE if made.best is not None else Status.MISSED


def _page(answer: "Answer", *, stills: bool, static: bool) -> str:
    from blockyard.cli.report import plots
    from blockyard.pages import page
    from blockyard.pages.plan import planned

    with plots("--stills"):
        return page.html(planned(answer), stills=stills, static=static)


def _print(answer: "Answer", *, explain: bool) -> None:
    from blockyard.cli import plan_text, terminal

    for line in plan_text.lines(answer, terminal.on_stdout().width, explain=explain):
        streams.say(line)


@contextmanager
def progress(doing: str = "planning") -> Iterator[Callable[[str], object]]:
    """What goes on, on a line that is taken away again; nothing where that cannot be redrawn."""
    from blockyard.cli import terminal

    console = terminal.on_stderr()
    if not terminal.can_redraw(console):
        yield lambda _: None
        return
    with console.status(doing) as status:
        yield lambda step: status.update(step)
