"""A host of an account with the load that CloudWatch saw, on its devices or on others."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from blockyard._core import Scenario, under_demand
from blockyard.formats.aws import scenario as scenarios
from blockyard.formats.aws.demand import Demand
from blockyard.formats.aws.hosts import Device, Host
from blockyard.questions import observed
from blockyard.types.under_demand import LimitUnderDemand, UnderDemand
from blockyard.words.under_load import is_throttling

# The ends of the names of the metrics that a limit's figure is of.
_COUNTED_BY = {"ios": ("Ops", "IOPS"), "bytes": ("Bytes", "Throughput")}


@dataclass(frozen=True)
class HostUnderLoad:
    """A host, and what is known of its load."""

    host: Host
    load: Demand | None
    # What was left of burst credits at first, in percent, by device and as `host`.
    begun: dict[str, float]

    def scenario(self, devices: Sequence[Device]) -> tuple[str, Scenario]:
        """The host with these devices, of which those that are new begin with full credits."""
        there = [one.name for one in devices if one in self.host.devices]
        left = {of: pct for of, pct in self.begun.items() if of in (*there, observed.HOST)}
        text = scenarios.text(self.host, self.load, left, devices)
        return text, Scenario.load(text, self.host.id)

    def under(self, scenario: Scenario) -> UnderDemand:
        """What the load does to a layout's limits. Raises ValueError where no load is known."""
        if self.load is None:
            raise ValueError(f"{self.host.id}: no load is known")
        found: UnderDemand = json.loads(under_demand(scenario, json.dumps(self.load.document())))
        unknown = self.load.unknown
        found["limits"] = [one for one in found["limits"] if _is_known(one, unknown)]
        return found


def _is_known(limit: LimitUnderDemand, unknown: Mapping[str, Sequence[str]]) -> bool:
    """Whether all that a device's limit counts is known, or what is known suffices."""
    kinds = _COUNTED_BY[limit["limit"]["counts"]]
    missing = unknown.get(limit["limit"]["device"] or "", ())
    return is_throttling(limit) or not any(metric.endswith(kinds) for metric in missing)
