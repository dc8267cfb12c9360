"""What held IOs back: the accounts of a result, with the volumes of a device together."""

from collections import defaultdict
from dataclasses import dataclass

from blockyard.limit_names import device_of, in_words
from blockyard.result import LimitAccount
from blockyard.run import Run


@dataclass(frozen=True)
class Cause:
    """A limit of a device's volumes, or of the host."""

    # `host`, or the device.
    owner: str
    kind: str
    # The device's volumes that it held IOs of; the host itself.
    volumes: tuple[str, ...]
    # Its share of the time that all limits held IOs.
    share: float
    # By job: how long it held the job's IOs, in seconds summed over IOs, and which share of
    # its tokens went to them, of those that it gave to IOs which it made wait.
    held_s: dict[str, float]
    took: dict[str, float]

    @property
    def name(self) -> str:
        """As charts and sentences call it: `data IOPS`, `instance throughput`."""
        return in_words(self.owner, self.kind)


def causes(run: Run) -> list[Cause]:
    """The limits that held IOs in a run, the one with most of the waiting first."""
    groups: defaultdict[tuple[str, str], list[LimitAccount]] = defaultdict(list)
    for account in run.result["limits"]:
        if account["held_s"] > 0:
            groups[device_of(account["owner"]), account["limit"]].append(account)
    found = [_cause(owner, kind, accounts) for (owner, kind), accounts in groups.items()]
    return sorted(found, key=lambda cause: (-cause.share, cause.name))


def _cause(owner: str, kind: str, accounts: list[LimitAccount]) -> Cause:
    held_s: defaultdict[str, float] = defaultdict(float)
    took: defaultdict[str, float] = defaultdict(float)
    held_ios = sum(account["held_ios"] for account in accounts)
    for account in accounts:
        for part in account["jobs"]:
            held_s[part["job"]] += part["held_s"]
            # The volumes of a device are alike, so each weighs as much as it let wait.
            took[part["job"]] += part["took"] * account["held_ios"] / held_ios
    return Cause(
        owner,
        kind,
        tuple(sorted(account["owner"] for account in accounts)),
        sum(account["share"] for account in accounts),
        dict(held_s),
        dict(took),
    )
