"""The choices beside those of the scenarios: what each would give."""

from validation.infoscale.grid import (
    AS_IS,
    CONFIGURATIONS,
    MIRRORS,
    SHARED,
    SHOWN,
    SINGLE,
    TCP,
    UDP,
    ZONES,
    Choice,
)
from validation.infoscale.relations import broken
from validation.markdown import table
from validation.run import Job, Runs

# Enough for what lies ready in buckets to be used up before it counts, and for the share of
# reads, which is drawn, to be near a half.
SHORT = ("duration=9s", "warmup=6s")
LOCAL, LOG = "storage.data.mirror.read=local", "storage.data.mirror.log={}"
# A log that forgets every region at once, so that each write finds its region clean.
CLEAN = "storage.data.mirror.log={active: 1}"
ZONE = "us-east-1a/us-east-1b"


def _in_flight(count: int) -> Choice:
    return Choice(f"{count} in flight", (f"workload.load.outstanding={count}",))


def _near(time: str) -> Choice:
    own = tuple((name, f"zones.within={time}") for name in (TCP, UDP))
    return Choice(f"zone round trip {time} (0.25ms)", own=own)


def _far(time: str) -> Choice:
    own = ((ZONES, f"zones.round_trip={{{ZONE}: {time}}}"),)
    return Choice(f"round trip across zones {time} (0.80ms)", own=own)


def _overhead(tcp: str, udp: str) -> Choice:
    times = {TCP: tcp, UDP: udp, ZONES: udp}
    own = tuple((name, f"links.llt.overhead={time}") for name, time in times.items())
    return Choice(f"overhead TCP {tcp}, UDP {udp} (0.25ms, 0.28ms)", own=own)


def _link(key: str, value: str, instead: str) -> Choice:
    return Choice(f"{key} {value} ({instead})", mirrors=(f"links.llt.{key}={value}",))


def _packet(time: str) -> Choice:
    sets = (f"links.llt.cpu={{per_packet: {time}}}",)
    return Choice(f"CPU {time} a packet (12us)", mirrors=sets)


def _catalog() -> Choice:
    single = tuple((name, "storage.data.latency=null") for name in (SINGLE, SHARED))
    legs = tuple(
        (name, f"storage.data.mirror.legs.{leg}.latency=null") for name in MIRRORS for leg in "ab"
    )
    return Choice("the catalog's gp2 (0.5ms)", own=single + legs)


CHOICES = (
    Choice("reads local", mirrors=(LOCAL,)),
    Choice("log of 1,237 regions", mirrors=(LOG,)),
    Choice("log, every region clean", mirrors=(CLEAN,)),
    _in_flight(16),
    _near("0.10ms"),
    _near("0.50ms"),
    _far("0.40ms"),
    _far("1.50ms"),
    _overhead("0ms", "0ms"),
    _overhead("0.25ms", "0.25ms"),
    _link("bandwidth", "500Mbit/s", "1Gbit/s"),
    _packet("6us"),
    _packet("24us"),
    _catalog(),
)


def _shortened(choice: Choice) -> Choice:
    return Choice(choice.title, (*SHORT, *choice.every), choice.mirrors, choice.own)


def jobs() -> dict[str, Job]:
    """What the table needs, beside the scenarios as they are."""
    return {name: job for it in CHOICES for name, job in _shortened(it).jobs().items()}


def neighbours(runs: Runs) -> str:
    """The IOPS and CPU points of the pattern that was shown, and what breaks."""
    shown = [CONFIGURATIONS[name] for name in MIRRORS]
    head = ["choice", "1 and 2", *shown, "CPU points 3, 4, 5", "breaks"]
    rows = []
    for choice in (AS_IS, *map(_shortened, CHOICES)):
        grid = choice.grid(runs)
        iops = [f"{grid[SHOWN, name].iops:,.0f}" for name in CONFIGURATIONS]
        # Nearly always the same, and then one figure.
        no_mirror = " and ".join(dict.fromkeys(iops[: -len(MIRRORS)]))
        points = [f"{grid[SHOWN, name].cpu_points:.1f}" for name in MIRRORS]
        rows.append(
            [choice.title, no_mirror, *iops[-len(MIRRORS) :], ", ".join(points), broken(grid)]
        )
    return table(head, rows)
