"""What a row of `measurements/rows.jsonl` is; its README says what the words mean."""

from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from validation.measured.words import Class, Flag

PLACE = Path(__file__).parents[3] / "measurements" / "rows.jsonl"

Positive = Annotated[float, Field(gt=0)]
Whole = Annotated[int, Field(gt=0)]
AtLeast0 = Annotated[float, Field(ge=0)]
# Figures by name, at most two levels deep, such as quantiles and a series of minutes.
Figures = dict[str, float | list[float] | dict[str, float]]
# A day or an instant as far as it is known: a year, a month, a day or a second.
When = Annotated[str, Field(pattern=r"^\d{4}(-\d\d(-\d\d(T\d\d:\d\d:\d\d)?)?)?$")]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Volume(_Strict):
    """The volumes, all alike; sizes and limits are those of one."""

    type: str
    count: Whole
    layout: Literal["raid0", "separate"] | None = None
    scope: Literal["disk", "array"] | None = None
    size_gib: Whole | None = None
    iops: Whole | None = None
    throughput_mibps: Positive | None = None


class Workload(_Strict):
    """What was asked of them."""

    tool: str
    rw: Literal[
        "append",
        "capacity",
        "map",
        "production",
        "randread",
        "randrw",
        "randwrite",
        "ratio",
        "read",
        "rw",
        "tpcb",
        "tpcc",
        "write",
    ]
    engine: str | None = None
    block_read: Whole | None = None
    block_write: Whole | None = None
    read_pct: Annotated[int, Field(ge=0, le=100)] | None = None
    iodepth: Whole | None = None
    numjobs: Whole | None = None
    in_flight: Whole | None = None
    write_in_flight: Whole | None = None
    direct: bool | None = None
    sync: Literal["dsync", "fdatasync", "fsync", "unknown"] | None = None
    commit_window_us: Whole | None = None
    filesystem: Literal["ext4", "mixed", "raw", "xfs"] | None = None
    file_mib: Whole | None = None
    rate_iops: Whole | None = None
    ramp_s: Positive | None = None
    runtime_s: Positive | None = None
    gap_s: AtLeast0 | None = None


class Operation(_Strict):
    """The reads or the writes of a run, as the tool counted them."""

    iops: Positive | None = None
    bw_mibps: Positive | None = None
    bw_mb_s: Positive | None = None
    total_ios: Whole | None = None
    runtime_s: Positive | None = None
    seconds: Positive | None = None
    runs: Whole | None = None
    # The tool's latency of completion, in the guest, with the range of repeats of the mean.
    clat_us: dict[str, AtLeast0 | list[AtLeast0]] = {}
    lat_us: Figures = {}
    slat_us_mean: AtLeast0 | None = None
    lat_us_mean_before_end: Positive | None = None
    lat_us_mean_after_end: Positive | None = None
    lat_us_mean_in_a_dip_once_every_24_h: Positive | None = None
    lat_us_mean_range: list[Positive] | None = None
    share_below_8ms: Positive | None = None
    iops_samples: Figures = {}
    bw_samples_mibps: Figures = {}
    iops_per_second: Figures = {}
    iops_over_runs: Figures = {}
    bw_mibps_over_runs: Figures = {}
    clat_mean_us_over_runs: Figures = {}

    def latency_us(self, name: str) -> float | None:
        """A figure of the completion latency, as `mean` or `p99_9`."""
        value = self.clat_us.get(name)
        return None if isinstance(value, list) else value


class Grid(_Strict):
    """A map of latencies: a line for each rate of reads, a cell for each rate of writes."""

    read_iops_steps: list[AtLeast0] = []
    write_bytes_per_s_steps: list[AtLeast0] = []
    # None where it is beyond the end of the map's scale.
    p50_ms: list[list[Positive | None]]
    p95_ms: list[list[Positive | None]]


class Results(_Strict):
    """What was measured."""

    read: Operation | None = None
    write: Operation | None = None
    device: Figures = {}
    device_histogram_us: dict[str, Whole] = {}
    sync_us: Figures = {}
    series: dict[str, list[Positive]] = {}
    grid: Grid | None = None
    db: Figures = {}
    relative: Figures = {}

    def of(self, op: str) -> Operation | None:
        """The reads or the writes."""
        return self.read if op == "read" else self.write


class Row(_Strict):
    """A measurement with its settings and its source; what is left out is not known."""

    id: Annotated[str, Field(pattern=r"^[a-z0-9]+-\d{3}$")]
    source: str
    url: Annotated[str, Field(pattern=r"^https://")] | None = None
    commit: Annotated[str, Field(pattern=r"^[0-9a-f]{40}$")] | None = None
    path: str | None = None
    date: When | None = None
    date_to: When | None = None
    date_basis: Literal["beside", "commit", "log", "none", "page", "path", "post"]
    provider: Literal["aws", "azure", "gcp", "ovh"]
    classes: Annotated[list[Class], Field(alias="class", min_length=1)]
    flags: list[Flag] = []
    volume: Volume
    instance: str | None = None
    instance_family: str | None = None
    workload: Workload
    results: Results
    derived: Figures = {}

    @model_validator(mode="after")
    def _sorted(self) -> "Row":
        if self.flags != sorted(set(self.flags)):
            raise ValueError("flags are sorted, each once")
        return self

    @cached_property
    def prefix(self) -> str:
        """What the ids of a source's rows share."""
        return self.id.split("-")[0]


def read(place: Path = PLACE) -> list[Row]:
    """All rows. Raises ValueError with the line of a row that is not as it should be."""
    rows: list[Row] = []
    for number, line in enumerate(place.read_text().splitlines(), 1):
        try:
            row = Row.model_validate_json(line)
        except ValidationError as wrong:
            first = wrong.errors()[0]
            field = ".".join(map(str, first["loc"]))
            raise ValueError(f"{place}:{number}: {field}: {first['msg']}") from None
        if rows and rows[-1].id >= row.id:
            raise ValueError(
                f"{place}:{number}: {row.id} after {rows[-1].id}; expected ids in order"
            )
        rows.append(row)
    return rows
