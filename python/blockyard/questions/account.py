"""What an AWS account's volumes live on, what is at a limit, and what would be better."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from blockyard._core import FileError, Scenario, ScenarioError
from blockyard.formats import aws
from blockyard.formats.aws import hosts as inventory
from blockyard.formats.aws.account import Account
from blockyard.formats.aws.demand import Demand, demand
from blockyard.formats.aws.hosts import Host
from blockyard.questions import account_demand, account_drive, better_rds, better_volumes, observed
from blockyard.questions.better_volumes import of_device
from blockyard.questions.host_under_load import HostUnderLoad
from blockyard.runs import billing
from blockyard.runs.billing import Terms
from blockyard.words.account_finding import Finding
from blockyard.words.phrases import listed

Place = str | Path


@dataclass(frozen=True)
class Examined:
    """What was found out about an account."""

    # The largest saving first, then what runs dry, then by name.
    findings: list[Finding]
    # Why an instance or a database could not be judged, by its id.
    failed: dict[str, str]
    # What was left out, and what is charged for nothing.
    notes: list[str]


def examine(
    answers: Sequence[Place],
    *,
    only: str | None = None,
    prices: Place | None = None,
    progress: Callable[[str], object] | None = None,
) -> Examined:
    """What saved answers of AWS say of each instance and database with volumes.

    `answers` are files, and folders of them. `only` is the id or the name of the one that is
    looked at; `prices` a file with your own.

    Raises FileError, in one line, for a file that is no such answer or holds nothing to judge, and
    OSError.
    """
    return of_account(aws.read([Path(one) for one in answers]), only, prices, progress)


def examine_live(
    region: str,
    *,
    only: str | None = None,
    prices: Place | None = None,
    progress: Callable[[str], object] | None = None,
) -> Examined:
    """As `examine`, of what AWS answers now: what there is in a region, and its last week.

    Only reads, with the credentials that boto3 finds. Raises NoBotoError without boto3, and
    FileError for what AWS refuses.
    """
    from blockyard.formats.aws import live

    if progress is not None:
        progress(f"asking AWS, {region}")
    return of_account(live.read(region, only, datetime.now(UTC)), only, prices, progress)


def of_account(
    account: Account,
    only: str | None,
    prices: Place | None,
    progress: Callable[[str], object] | None,
) -> Examined:
    """As `examine`, of what was read."""
    told = progress or (lambda _: None)
    chosen = wanted(account, only)
    findings, failed = [], dict[str, str]()
    for number, host in enumerate(chosen, 1):
        told(f"{number:,} of {len(chosen):,}: {host.name}")
        try:
            findings.append(_finding(account, host, prices))
        except ScenarioError as error:
            failed[host.id] = _unplaced(error, host)
    findings.sort(key=lambda one: (-(one.saving or 0.0), one.under is None, one.name))
    return Examined(findings, failed, account.notes)


def wanted(account: Account, only: str | None) -> list[Host]:
    """The hosts and databases to look at: all, or the one of this id or name.

    Raises FileError if there is none.
    """
    found = list(inventory.hosts(account))
    chosen = [one for one in found if only is None or only in (one.id, one.name)]
    if not chosen:
        raise FileError(_nothing(found, only, account))
    return chosen


def _nothing(found: Sequence[Host], only: str | None, account: Account) -> str:
    if only is not None and found:
        known = ", ".join(one.id for one in found[:5])
        return f"no instance or database is called `{only}`; expected one such as {known}"
    notes = "; ".join(account.notes)
    return notes or "no instance with a volume and no database; expected at least one"


def _finding(account: Account, host: Host, prices: Place | None) -> Finding:
    load = demand(account, host)
    case = HostUnderLoad(host, load, observed.first_balances(account, host))
    text, today = case.scenario(host.devices)
    under = None if load is None else case.under(today)
    under_load, load_files = account_demand.under_load(host, text, load)
    found = Finding(
        name=host.name,
        id=host.id,
        kind=host.kind,
        devices=[one.name for one in host.devices],
        volumes=sum(one.width for one in host.devices),
        start=load.start if load else 0,
        under=under,
        scenario=text,
        load_scenario=under_load,
        load_files=load_files,
        balances=list(observed.balances(account, host)),
        checks=list(observed.checks(account, host)),
        slow=list(observed.slow(account, host)),
        unknown=load.unknown if load else {},
        volumes_only=host.instance_type is None,
        queues=list(observed.queues(account, host)),
        notes=list(_notes(host, load)),
    )
    if load is not None and (judged := account_drive.was_it_the_drive(account, host, load, text)):
        found = replace(found, drive=judged[0], drive_said=judged[1])
    found = replace(found, unexplained=observed.unexplained(found))
    if host.instance_class is not None:
        return _of_rds(found, case)
    return _priced(found, case, today, prices)


def _of_rds(found: Finding, case: HostUnderLoad) -> Finding:
    """With what gp3 would do in its place."""
    if found.under is None:
        return found
    if why := next(iter(_unsure(found).values()), None):
        return replace(found, remarks=[f"nothing is proposed: {why}"])
    remarks, after = better_rds.better(case, found.under)
    return replace(found, remarks=remarks, next_scenario=after)


def _priced(found: Finding, case: HostUnderLoad, today: Scenario, prices: Place | None) -> Finding:
    """With what it costs, and what would be in its place."""
    terms = Terms(price_file=prices)
    try:
        bill = billing.of_scenario(today, terms)
    except ScenarioError as error:
        return replace(found, prices=f"no prices: {_unplaced(error, case.host)}")
    found = replace(found, today_usd=bill["per_month"])
    if bill["region_from"] == "assumed":
        taken = f"no region is known of zone `{case.host.zone}`: prices are {bill['region']}'s"
        found = replace(found, prices=taken)
    if case.load is None or found.under is None:
        return found
    made = better_volumes.better(case, found.under, (bill, terms), _unsure(found))
    found = replace(found, remarks=made.remarks)
    if not made.changes:
        return found
    text, then = case.scenario(made.devices)
    cost = billing.of_scenario(then, terms)
    return replace(
        found,
        changes=[replace(one, after_usd=of_device(cost, one.device)) for one in made.changes],
        next_usd=cost["per_month"],
        next_scenario=text,
        next_under=case.under(then),
    )


def _unplaced(error: ScenarioError, host: Host) -> str:
    """What is wrong, without the place: a host's scenario is none that anybody has seen."""
    return str(error).removeprefix(f"{host.id}:").lstrip("0123456789: ")


def _unsure(found: Finding) -> dict[str, str]:
    """Why the load of a device is not known well enough to choose a volume by it."""
    saw = {
        device: f"CloudWatch saw {seen}, which its figures of the load do not explain"
        for device, seen in found.unexplained.items()
    }
    return saw | {
        device: f"no file has its {listed(metrics)}" for device, metrics in found.unknown.items()
    }


def _notes(host: Host, load: Demand | None) -> Iterator[str]:
    yield from host.assumptions.values()
    if load is not None:
        yield from load.notes
    if host.instance_class is not None:
        yield "RDS charges prices of its own: no dollars"
