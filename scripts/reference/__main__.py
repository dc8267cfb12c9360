"""Fills the generated parts of docs/reference: `PYTHONPATH=scripts python -m reference`.

With `--check` nothing is written; a page that differs is an error.
"""

import json
import sys
from pathlib import Path

from marked import fill, settled
from reference import columns, commands, profiles
from reference.schemas import Reference

ROOT = Path(__file__).parents[2]
COMMAND = "PYTHONPATH=scripts python -m reference"

# Types that few readers need: the pages name their keys or values, and the schemas describe them.
RARE = {
    "scenario": (
        "Link PacketCost Cluster MirrorLayout DirtyRegionLog Resync Quantiles Grounded Slope "
        "LatencyProfile SlowPhase Wij WriteDaemons Journal JournalMirror MirrorMember Dejournal "
        "RedoLog PageFlush Table NuRandRows TableUse Galera EngineNode Standbys SemiSync Return "
        "Cut Restore Pause Resume Switch Degrade Modify Grow Add"
    ),
    "result": (
        "Mode Direction Tool Machine Target Cpu Verified Busy Cycle StoppedEngine "
        "TransactionKindTotal TransactionStep TimeSpent EngineIoTotal ThrottledBy Spread Quartiles "
        "EngineTotal EngineHalf ReplicationTotal NodeTotal LagTotal Behind LinkTotal LinkWaits "
        "LinkHeld Held PacketCpu MirrorTotal JournalMirrorTotal MirrorTransition MirrorMemberTotal "
        "Outage OutagePart EventKind EventEffect TotalRange Range LatencyRange TransactionRange "
        "Expected ExpectedRange WorstSecond TimeAbove JobShare AmountTotal "
        "TransactionTotal VolumeTotal LatencyUs Event GoalOutcome ObservedDevice ObservedOp "
        "EbsStatistics EbsOp ObservedLoad Places Issuers HeavyWrites ObservedProcess IoPressure "
        "LostEvents ObservedCalls CallKind Caller CallingThread"
    ),
}


def schema_parts(name: str) -> dict[str, str]:
    """The types of a schema."""
    schema = json.loads((ROOT / "schemas" / f"{name}.schema.json").read_text())
    return {name: Reference(schema, written=name == "scenario", rare=RARE[name].split()).text()}


def main() -> int:
    """Fills, or compares, the pages."""
    pages = {
        "command-line.md": {"commands": commands.text()},
        "scenario.md": schema_parts("scenario"),
        "results.md": {
            **schema_parts("result"),
            **{name: columns.text(name) for name in ("intervals", "volumes", "transactions")},
        },
        "python.md": {"totals_of_many": columns.text("totals_of_many")},
        "catalog.md": {"profiles": profiles.text()},
    }
    settled_all = True
    for name, parts in pages.items():
        page = ROOT / "docs" / "reference" / name
        fresh = page.read_text()
        for part, text in parts.items():
            fresh = fill(fresh, part, text)
        settled_all &= settled(page, fresh, COMMAND)
    return int(not settled_all)


if __name__ == "__main__":
    sys.exit(main())
