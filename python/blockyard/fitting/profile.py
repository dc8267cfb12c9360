"""What was fitted, as a profile that scenarios read and as a list of parameters."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import yaml

from blockyard._core import Scenario, ScenarioError
from blockyard.text import formatting
from blockyard.types.fit import Figure, Fitted, LimitFit, Quantile, Verdict

_KIB = 1024
_MIB = 1 << 20
# A gp2 volume has 3 IOPS for each GiB, 100 at least, and credits for up to 3,000.
_GP2_BURST, _GP2_NEAR, _GP2_CREDITS, _GP2_SIZES = 3_000, 0.02, 5_400_000, (33, 1_000)
# As EBS serves what waits for a limit.
_ORDER = "per_direction"
_OPS: tuple[Literal["read"], Literal["write"]] = ("read", "write")
_FAMILY: dict[str, Literal["read", "write", "host"]] = {
    "reads": "read",
    "writes": "write",
    "latency_factor": "host",
}


@dataclass(frozen=True)
class Parameter:
    """A parameter in words."""

    name: str
    value: str
    # The limits of 95 %, where there are any.
    limits: str
    ios: int
    verdict: Verdict
    why: str


@dataclass(frozen=True)
class Fit:
    """A profile of one device, the limits that bound, and what each figure rests on."""

    # Latencies in nanoseconds, rates in IOs or bytes a second.
    figures: Fitted
    # The catalog's profile that the rest is kept from.
    like: str
    # The device, as the measurements call it.
    device: str
    # The names of the measurements.
    sources: list[str]
    # What a reader must know of them.
    notes: list[str]

    def parameters(self) -> list[Parameter]:
        """Every parameter with its value, its limits and its verdict."""
        return list(_parameters(self.figures))

    def family(self) -> list[Parameter]:
        """How much slower than `like` reads, writes and the whole host are."""
        return [
            _of(name, self.figures["family"][part], lambda times: f"{times:.3f}")
            for name, part in _FAMILY.items()
        ]

    def yaml(self, path: str = "./mine.yaml") -> str:
        """The profile as a file that `latency:` of a volume takes, under the name `path`."""
        head = [f"# Made by `blockyard fit` of {', '.join(self.sources)}."]
        head += [f"# {note}" for note in self.said()]
        head += ["#", *self._limits(path), ""]
        return "\n".join([*head, f"like: {self.like}", *self._parts(), ""])

    def volume(self, size: str) -> dict[str, object]:
        """A volume of a scenario with this profile and these limits, and no others that bind."""
        keys: dict[str, object] = {"type": "unlimited", "size": size}
        for limit in self._bound():
            keys |= yaml.safe_load(_provisioned(limit))
        if gp2 := self._gp2():
            keys = {"type": "gp2", **gp2}
        return {**keys, "discipline": _ORDER, "latency": yaml.safe_load(self.yaml())}

    def rates(self) -> list[str]:
        """What `volume` is limited to, in words."""
        found = [limit for limit in self.figures["limits"] if limit["applies"] == "both"]
        if not self._gp2():
            found = self._bound()
        stated = [yaml.safe_load(_provisioned(limit)) for limit in found]
        return [f"{one['iops']:,} IOPS" if "iops" in one else one["throughput"] for one in stated]

    def _bound(self) -> list[LimitFit]:
        """The limits of the volume that a scenario may state: no baseline below credits."""
        found = self.figures["limits"]
        return [one for one in found if one["applies"] == "both" and not one["credits"]]

    def _gp2(self) -> dict[str, object] | None:
        """Size and balance of a gp2 volume whose baseline was seen; None if it is no gp2's."""
        seen = [one for one in self.figures["limits"] if one["credits"]]
        bursts = [one["rate"]["value"] or 0.0 for one in self._bound()]
        if len(seen) != 1 or any(abs(rate / _GP2_BURST - 1) > _GP2_NEAR for rate in bursts):
            return None
        (one,) = seen
        size, balance = round((one["rate"]["value"] or 0.0) / 3), one["depth"]["low"]
        if one["applies"] != "both" or one["counts"] == "bytes" or not balance:
            return None
        if not _GP2_SIZES[0] <= size < _GP2_SIZES[1]:
            return None
        # All that is known of its balance is that it lasted for so long.
        share = min(1.0, balance / _GP2_CREDITS)
        return {"size": f"{size}GiB", "burst_balance": f"{share:.2%}"}

    def said(self) -> list[str]:
        """What a reader must know: where measurements come from, and what was left out."""
        return [*self.notes, *self._counted()]

    def _counted(self) -> list[str]:
        out = self.figures["left_out"]
        said = [f"Latencies of {self.figures['used']:,} IOs were taken."]
        if out["limited"]:
            said.append(f"{out['limited']:,} were left out, as a limit may have made them wait.")
        if out["slow"]:
            said.append(f"{out['slow']:,} were left out, of the slow state or next to it.")
        if out["loaded"]:
            said.append(f"{out['loaded']:,} were left out, as latency rose with the load.")
        if out["unlike"]:
            said.append(f"{out['unlike']:,} were left out, of unknown size or issued late.")
        return said

    def _limits(self, path: str) -> Iterator[str]:
        found = self.figures["limits"]
        if not found:
            yield "# No limit was seen to bind."
        for limit in found:
            for one in _limit(limit):
                limits = f", {one.limits}" if one.limits else ""
                yield f"# {one.name}: {one.value}{limits}: {one.verdict}, {one.why}"
        rates = ["size: 100GiB", *map(_provisioned, self._bound())]
        types = (self.like, "unlimited")
        keys = next(keys for of in types if _is_sold(keys := [f"type: {of}", *rates]))
        if gp2 := self._gp2():
            keys = ["type: gp2", f"size: {gp2['size']}"]
        yield "# A volume of a scenario takes rates, and this file; depths are those of its type:"
        yield f"#   {self.device}: {{{', '.join([*keys, f'latency: {path}'])}}}"

    def _parts(self) -> Iterator[str]:
        figures = self.figures
        measured = [op for op in _OPS if not _is_kept(figures[op])]
        for op in measured:
            rows = figures[op]
            yield _part(op, _table_why(rows), _table(rows))
        if measured:
            size = round(figures["base_size"]["value"] or 0)
            yield _part("base_size", figures["base_size"]["why"], _size(size))
        slopes = figures["per_kib"]
        if any(slopes[op]["verdict"] == "measured" for op in _OPS):
            values: dict[str, str] = {op: f"{slopes[op]['value'] or 0:.0f}ns" for op in _OPS}
            why = "; ".join(f"{op}: {slopes[op]['verdict']}, {slopes[op]['why']}" for op in _OPS)
            yield _part("per_kib", why, _mapping(values))
        why = "one volume of one host, whose own factors are in its quantiles"
        if measured:
            yield _part("spread", why, "0%")
            yield _part("volume_spread", why, "0%")
        else:
            yield f"# spread, volume_spread and slow: as {self.like}"
        if measured and figures["slow"]["verdict"] != "kept":
            states = [
                _mapping({"times": f"{times:.3f}", "mean": f"{max(stay_s, 0.001):.3f}s"})
                for times, stay_s in figures["slow_states"]
            ]
            yield _part("slow", figures["slow"]["why"], f"[{', '.join(states)}]")


def _is_sold(keys: Sequence[str]) -> bool:
    """Whether there is a volume of this type with these rates."""
    try:
        Scenario.load(f"{{name: fit, storage: {{data: {{{', '.join(keys)}}}}}}}", "fit", [])
    except ScenarioError:
        return False
    return True


def _part(name: str, why: str, value: str) -> str:
    quoted = json.dumps(why, ensure_ascii=False)
    return f"{name}:\n  basis: fitted\n  why: {quoted}\n  value: {value}"


def _mapping(values: Mapping[str, str]) -> str:
    return "{" + ", ".join(f"{name}: {value}" for name, value in values.items()) + "}"


def _table(rows: Sequence[Quantile]) -> str:
    return _mapping({row["name"]: _duration(row["figure"]["value"] or 0.0) for row in rows})


def _table_why(rows: Sequence[Quantile]) -> str:
    """How many IOs, and which quantiles have which verdict."""
    verdicts: dict[str, list[str]] = {}
    for row in rows:
        verdicts.setdefault(row["figure"]["verdict"], []).append(row["name"])
    said = [f"{verdict} {', '.join(names)}" for verdict, names in verdicts.items()]
    return f"{rows[0]['figure']['ios']:,} IOs; {'; '.join(sorted(said, reverse=True))}"


def _is_kept(rows: Sequence[Quantile]) -> bool:
    return all(row["figure"]["verdict"] == "kept" for row in rows)


def _duration(nanos: float) -> str:
    return f"{nanos / 1e3:.0f}us" if nanos >= 1e5 else f"{nanos:.0f}ns"


def _size(size: int) -> str:
    return f"{size // _KIB}KiB" if size % _KIB == 0 else f"{size}B"


def _provisioned(limit: LimitFit) -> str:
    rate = limit["rate"]
    if limit["counts"] == "bytes":
        return f"throughput: {_round(rate, _MIB, 1)}MiB/s"
    return f"iops: {_round(rate, 1, 100)}"


def _round(rate: Figure, unit: int, step: int) -> int:
    """A rate in units; a multiple of `step` if one lies within its limits."""
    value = (rate["value"] or 0.0) / unit
    near = step * round(value / step)
    low, high = (rate["low"] or 0.0) / unit, (rate["high"] or 0.0) / unit
    return near if near and low <= near <= high else max(1, round(value))


def _parameters(figures: Fitted) -> Iterator[Parameter]:
    for op in _OPS:
        rows = figures[op]
        if _is_kept(rows):
            figure = rows[0]["figure"]
            yield Parameter(op, "", "", figure["ios"], "kept", figure["why"])
            continue
        for row in rows:
            yield _of(f"{op} {row['name']}", row["figure"], _latency)
    yield _of("base_size", figures["base_size"], lambda size: _size(round(size)))
    for op in _OPS:
        yield _of(f"{op} per_kib", figures["per_kib"][op], _latency)
    yield _of("slow times", figures["slow"], lambda times: formatting.number(times))
    if state := figures["slow_state"]:
        slow = figures["slow"]
        for name, stay_s in (("between slow", state["normal_s"]), ("slow for", state["slow_s"])):
            value = formatting.duration(stay_s)
            why = f"{state['visits']} slow states"
            yield Parameter(name, value, "", slow["ios"], slow["verdict"], why)
    for limit in figures["limits"]:
        yield from _limit(limit)


def _limit(limit: LimitFit) -> Iterator[Parameter]:
    of = {"both": "", "reads": " of reads", "writes": " of writes"}[limit["applies"]]
    counted = {"ios": "IOPS", "bytes": "throughput", "either": "IOPS or throughput"}
    name = f"{counted[limit['counts']]}{' baseline' if limit['credits'] else ''}{of}"

    def tokens(value: float) -> str:
        if limit["counts"] == "bytes":
            return f"{formatting.number(value / _MIB)} MiB"
        return f"{formatting.number(value, 4)} IOs"

    rate = _of(name, limit["rate"], lambda value: f"{tokens(value)}/s")
    if limit["counts"] == "either":
        size = _size(round(limit["io_bytes"]))
        why = f"{rate.why}; all IOs had {size}, so which of both is not known"
        rate = Parameter(rate.name, rate.value, rate.limits, rate.ios, rate.verdict, why)
    yield rate
    yield _of(f"{name} depth", limit["depth"], tokens)


def _of(name: str, figure: Figure, say: Callable[[float], str]) -> Parameter:
    value, low, high = figure["value"], figure["low"], figure["high"]
    if low is not None and high is not None:
        limits = _range(say(low), say(high))
    elif low is not None:
        limits = f"at least {say(low)}"
    else:
        limits = f"at most {say(high)}" if high is not None else ""
    shown = "" if value is None else say(value)
    return Parameter(name, shown, limits, figure["ios"], figure["verdict"], figure["why"])


def _latency(nanos: float) -> str:
    return formatting.latency(nanos / 1e3)


def _range(low: str, high: str) -> str:
    """Two limits, with their unit once if they share it."""
    figure, _, unit = low.partition(" ")
    return f"{figure} to {high}" if high.endswith(f" {unit}") else f"{low} to {high}"
