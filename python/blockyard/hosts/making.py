"""A bench on several hosts, and its folder: a run directory for each, and figures of all."""

import threading
from collections.abc import Mapping, Sequence
from typing import Any

from blockyard._core import ScenarioError
from blockyard.hosts import fleet
from blockyard.hosts.about import ABOUT, About, HostRun, Status
from blockyard.hosts.host import Host
from blockyard.hosts.merging import Measured, merged
from blockyard.hosts.session import Means, Session
from blockyard.hosts.view import View
from blockyard.runs.execution import RunSpec, ScenarioFile
from blockyard.runs.new_folder import NewFolder


def runs(file: ScenarioFile, hosts: Sequence[Host]) -> list[RunSpec]:
    """The run of each host: the scenario with the next seed, so that loads are alike, not equal.

    Raises ScenarioError for bad content.
    """
    scenario = file.scenario()
    if scenario.repeats != 1:
        raise ScenarioError(
            f"{file.name}: repeats: {scenario.repeats}; expected 1 with --hosts, whose runs go on "
            "at one moment"
        )
    seeds = range(scenario.seed, scenario.seed + len(hosts))
    return [RunSpec(scenario.name, file.scenario(f"seed={seed}")) for seed in seeds]


def bench(
    hosts: Sequence[Host],
    asked: Sequence[RunSpec],
    arguments: Mapping[str, Any],
    folder: NewFolder,
    means: Means,
    stop: threading.Event,
    view: View,
) -> About:
    """Carry out a run on each host, and keep what was measured in `folder`.

    Once `stop` is set all end. A host that fails is named in the result, and its figures are left
    out. The folder is published if anything was measured. Raises FleetRefusedError, with nothing
    written anywhere, and OSError if something cannot be written here.
    """
    place = folder.partial
    pairs = zip(hosts, asked, strict=True)
    sessions = [Session(host, run, arguments, place / host.name) for host, run in pairs]
    within_s = fleet.lead(sessions, means, stop, view)
    about = About(
        scenario=asked[0].name,
        started_within_ms=None if within_s is None else within_s * 1e3,
        hosts=[
            _became(session, run.scenario.seed)
            for session, run in zip(sessions, asked, strict=True)
        ],
        totals=merged([found for session in sessions if (found := _measured(session))]),
    )
    if any(session.outcome for session in sessions):
        (place / ABOUT).write_text(about.json() + "\n", encoding="utf-8")
        folder.publish()
    return about


def _measured(session: Session) -> Measured | None:
    if session.outcome is None or session.latencies is None:
        return None
    scenario, totals = session.outcome.scenario, session.outcome.result["totals"]
    return Measured(session.host.name, totals, session.latencies, scenario.warmup_s)


def _became(session: Session, seed: int) -> HostRun:
    host, outcome, error = session.host, session.outcome, session.error
    status: Status = "interrupted"
    if error:
        status = "failed"
    elif outcome:
        status = outcome.result["status"]
    reason = str(error) if error else None
    goals = outcome.result["goals"] if outcome else []
    missed = [f"{one['goal']}: {one['measured']}" for one in goals if not one["met"]]
    run = host.name if outcome else None
    return HostRun(host.name, host.ssh, seed, status, reason, run, missed)
