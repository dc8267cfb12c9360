"""A service, on the whole screen."""

from collections.abc import Iterable

from blockyard._core import Interval
from blockyard.cli.interval import series
from blockyard.cli.screen.display import Screen
from blockyard.cli.screen.frame import Device, Frame, Gauge, Listing
from blockyard.cli.screen.history import History, by_device, interval_s
from blockyard.cli.volume_state import throttled_by
from blockyard.runs.observer import Observer, Served
from blockyard.text.formatting import clock
from blockyard.types.facts import Counted
from blockyard.types.status import VolumeStatus

_HEADINGS = ("volume", "IOPS", "MiB/s", "burst", "throttled by")


class EmulateScreen(Observer):
    """Every device with its history, every volume, and what was done to them."""

    def __init__(self, name: str, screen: Screen) -> None:
        self._title = f"{name} emulated"
        self._screen = screen
        self._history = History()
        self._places: dict[str, str] = {}

    def serving(self, devices: list[Served]) -> None:
        """Clients can connect."""
        self._places = {name: place for name, place, _, _ in devices}
        self._screen.start()
        self._screen.show(Frame(self._title))

    def interval(self, interval: Interval) -> None:
        """An interval ended."""
        status = interval.status()
        if status is None:
            return
        rows = list(series(interval))
        devices = []
        for name, found in by_device(rows).items():
            volumes = [
                volume for volume in status["volumes"] if name in (volume["device"], volume["name"])
            ]
            gauges = self._history.gauges(
                name,
                found,
                most_iops=_most(volumes, "ios"),
                most_mib_per_s=_most(volumes, "bytes"),
            )
            place = self._places.get(name, "")
            devices.append(
                Device(name, place, (*gauges, *self._burst(name, volumes)), _throttled_by(volumes))
            )
        self._screen.show(
            Frame(
                self._title,
                f"up {clock(round(interval.done_s))}",
                devices=tuple(devices),
                listing=Listing(_HEADINGS, tuple(map(_row, status["volumes"])), last_is_text=True),
                at_s=interval.done_s,
                interval_s=interval_s(rows),
                events=tuple((event["t_s"], event["what"]) for event in status["events"]),
            )
        )

    def warn(self, message: str) -> None:
        """Show something that the user should know at once."""
        self._screen.warn(message)

    def _burst(self, device: str, volumes: Iterable[VolumeStatus]) -> list[Gauge]:
        """The lowest burst balance of the volumes, if any has one."""
        left = {
            volume["name"]: volume["balance_pct"]
            for volume in volumes
            if volume["balance_pct"] is not None
        }
        if not left:
            return []
        least = min(left, key=lambda name: left[name])
        note = least if len(left) > 1 else ""
        written = "{:.1f}%".format
        return [self._history.gauge(device, "burst", written, left[least], most=100.0, note=note)]


def _most(volumes: Iterable[VolumeStatus], counted: Counted) -> float | None:
    """The most that a device of these volumes can reach, credits included.

    None if one of its volumes has no such limit, and neither has its host.
    """
    own: list[float | None] = []
    hosts: list[float] = []
    for volume in volumes:
        limits = [limit for limit in volume["limits"] if limit["counts"] == counted]
        hosts += [limit["rate"] for limit in limits if limit["device"] is None]
        rates = [limit["rate"] for limit in limits if limit["device"] is not None]
        own.append(max(rates, default=None))
    sums = [] if None in own or not own else [sum(filter(None, own))]
    return min([*sums, *hosts], default=None)


def _throttled_by(volumes: Iterable[VolumeStatus]) -> str:
    """What throttled the IOs of any of the volumes back, each named once."""
    return ", ".join(dict.fromkeys(filter(None, map(throttled_by, volumes))))


def _row(volume: VolumeStatus) -> tuple[str, ...]:
    balance = volume["balance_pct"]
    return (
        volume["name"],
        f"{volume['iops']:,.0f}",
        f"{volume['mib_per_s']:,.1f}",
        "" if balance is None else f"{balance:.1f}%",
        throttled_by(volume),
    )
