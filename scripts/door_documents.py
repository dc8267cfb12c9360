"""What passes between Rust and Python as JSON: what has a schema, and where its types stand."""

import json
from dataclasses import dataclass, field
from typing import Any

from blockyard import _core

Schema = dict[str, Any]

# Of a package of types: the module that has what no other has, and that which has what several
# parts have.
REST = "__init__"
SHARED = "shared"


@dataclass(frozen=True)
class Document:
    """What is described by a schema, and the module or package of its types."""

    name: str
    # The types of the whole.
    rust: str
    python: str
    # What it says.
    about: str
    # Of a package, what several of its modules have.
    shared: str = ""
    # The other modules of a package: what they are about, and the types from which theirs are
    # reached.
    parts: dict[str, tuple[str, set[str]]] = field(default_factory=dict)

    @property
    def schema(self) -> Schema:
        """Its schema."""
        schema: Schema = json.loads(_core.schema(self.name))
        return schema

    @property
    def module(self) -> str:
        """The name of its module or package."""
        return self.name.replace("-", "_")

    @property
    def package(self) -> str:
        """That with all above it."""
        return f"blockyard.types.{self.module}"

    @property
    def file(self) -> str:
        """The name of its schema's file."""
        return f"{self.name}.schema.json"

    def about_of(self, module: str) -> str:
        """What one of its modules is about."""
        if module in self.parts:
            return self.parts[module][0]
        return self.shared if module == SHARED else self.about


# What people write has a schema, and no types in Python.
READ = ("scenario", "requirement", "sweep", "hosts")

# What Rust gives, in its order.
DOCUMENTS = (
    Document(
        "result",
        "RunResult",
        "Result",
        "What stands in `result.json`.",
        shared="What several parts of `result.json` have.",
        parts={
            "transactions": ("What `result.json` says of transactions.", {"TransactionTotal"}),
            "network": (
                "What `result.json` says of links and mirrors.",
                {"JournalMirrorTotal", "LinkTotal", "MirrorTotal", "PacketCpu"},
            ),
            "events": ("What `result.json` says of events.", {"Event"}),
            "observed": ("What `result.json` says of an observation.", {"Observed"}),
        },
    ),
    Document("bill", "Bill", "Bill", "What stands in a bill."),
    Document(
        "facts",
        "Facts",
        "Facts",
        "What a run's figures say of its limits.",
        shared="What several parts of a run's facts have.",
        parts={
            "loads": ("What the jobs of a run were to do.", {"JobLoad"}),
            "devices": ("The devices of a run, and the limits in force over them.", {"Device"}),
            "network": (
                "What links of mirrors and events did to a run.",
                {"EventHold", "LinkHold"},
            ),
            "waits": ("What IOs of a run waited for.", {"Held", "LimitWaits", "WaitSeries"}),
            "behind": ("The open loops of a run that fell behind.", {"Behind"}),
            "transactions": ("What binds the transactions of a run.", {"Bound"}),
        },
    ),
    Document("findings", "Findings", "Findings", "What was found out about a run."),
    Document("capacity", "Capacity", "Capacity", "The largest load at which goals hold."),
    Document(
        "what-if",
        "Alternatives",
        "Alternatives",
        "What changes of a layout would bring.",
        parts={
            "change": ("Changes of a layout that are tried.", {"Change"}),
        },
    ),
    Document(
        "plan",
        "Answer",
        "Answer",
        "What a plan says.",
        parts={
            "layout": ("A layout that was planned, and what it holds.", {"Layout"}),
            "reason": ("Why a layout, a volume type or an instance type does not do.", {"Reason"}),
        },
    ),
    Document("comparison", "Compared", "Comparison", "What differs between runs."),
    Document("comparison-tables", "Tables", "Tables", "Figures of runs, side by side, as text."),
    Document("status", "Status", "Status", "What a running service says of itself."),
    Document("so-far", "Vec<SoFar>", "ByDevice", "What observed devices have done so far."),
    Document("jobs", "Vec<Job>", "Jobs", "The jobs of a scenario."),
    Document("layout", "Layout", "Layout", "The layout of a scenario at its start."),
    Document("bought", "Bought", "Bought", "What is bought of a layout."),
    Document(
        "catalog-volumes",
        "Vec<VolumeRule>",
        "VolumeRules",
        "The volume types of the catalog, by their rules.",
    ),
    Document(
        "catalog-instances",
        "Vec<InstanceType>",
        "InstanceTypes",
        "The instance types of the catalog.",
    ),
    Document(
        "catalog-prices",
        "Vec<RegionPrices>",
        "RegionsPrices",
        "The prices that are known, by region.",
    ),
    Document("fit", "Fitted", "Fitted", "What was fitted to measurements."),
    Document(
        "under-demand",
        "UnderDemand",
        "UnderDemand",
        "What limits would do to a measured load.",
    ),
    Document("verdict", "Verdict", "Verdict", "What a load on observed storage waited for."),
)
