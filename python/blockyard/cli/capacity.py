"""`blockyard capacity`: the largest load at which goals hold."""

import json
from pathlib import Path
from typing import Annotated

import typer

from blockyard.cli import files, options, running, streams
from blockyard.cli.completion import values
from blockyard.cli.status import Status
from blockyard.questions.capacity import MOST_IOS, find

EXAMPLE = """\b
Examples:
  blockyard capacity scenarios/examples/gp3.yaml --goal 'readers.latency.p99 < 2ms'
  blockyard capacity scenarios/examples/gp2.yaml --sustained --html curve.html
  blockyard capacity scenarios/examples/gp3.yaml --prometheus rules.yaml --cloudwatch alarms.json
  blockyard capacity shop.yaml --job tpcc --goal 'tpcc.transactions.tps > 300'
"""


def command(
    scenario: options.Scenario,
    goals: Annotated[
        list[str] | None,
        typer.Option(
            "--goal",
            metavar="GOAL",
            help="A goal, such as 'readers.latency.p99 < 2ms'; may be repeated. By default "
            "the scenario's goals.",
        ),
    ] = None,
    job: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The job whose load varies; by default all jobs', by one factor.",
            autocompletion=values.jobs,
        ),
    ] = None,
    up_to: Annotated[
        float | None,
        typer.Option(
            metavar="LOAD",
            help="Highest load to try: processes, threads, IOs or transactions a second; for "
            "several jobs, the factor. By default 1,000 times the scenario's.",
        ),
    ] = None,
    sustained: options.Sustained = False,
    most_ios: options.MostIos = MOST_IOS,
    seed: options.Seed = None,
    sets: options.Sets = None,
    html: options.Html = None,
    stills: options.HtmlStills = False,
    static: options.Static = False,
    prometheus: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write alerts at the answer as rules of Prometheus, for --metrics of emulate and "
            "observe.",
        ),
    ] = None,
    cloudwatch: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write alerts at the answer as alarms of CloudWatch: a CloudFormation template.",
        ),
    ] = None,
    as_json: options.Json = False,
) -> int:
    """Find the highest load that meets the goals with 95 % probability, to 1 %.

    The load is the processes or threads of a closed loop, or the rate of an open one. A job
    with a list of loads gets one throughout; all steps of a schedule are multiplied. All
    loads are simulated with the scenario's seed, those near the answer with up to 30. Says
    what the bottleneck is. Exits with status 1 if no load meets the goals.
    """
    from blockyard.cli.tries import tries

    files.check_new(html, prometheus, cloudwatch)
    file = running.read(scenario, sets, seed).scenario()
    with tries(file.name) as tried:
        found = find(
            file,
            goals or [],
            tried,
            job=job,
            up_to=up_to,
            sustained=sustained,
            most_ios=most_ios,
        )
    if html is not None:
        from blockyard.cli.report import plots
        from blockyard.pages import page
        from blockyard.pages.capacity import load_curve

        with plots("--stills"):
            text = page.html(load_curve(found, file.to_yaml()), stills=stills, static=static)
        files.write(text, html)
    if found["holds"] is not None and (prometheus or cloudwatch):
        from blockyard.formats import alerts

        for path, written in ((prometheus, alerts.prometheus), (cloudwatch, alerts.cloudwatch)):
            if path is not None:
                files.write(written(found), path)
    if as_json:
        streams.say(json.dumps(found, indent=2))
    else:
        from blockyard.cli import capacity_table, terminal

        console = terminal.on_stdout()
        for part in capacity_table.parts(found, console.width):
            console.print(part, markup=False, soft_wrap=isinstance(part, str))
    return Status.DONE if found["holds"] is not None else Status.MISSED
