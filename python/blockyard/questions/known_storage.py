"""What observed devices are: the storage whose limits and latencies a verdict compares with."""

import dataclasses
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self, TypeVar

import yaml

from blockyard._core import Interval, Scenario, ScenarioError
from blockyard.questions import known_volumes
from blockyard.questions.arguments import Asked, file_of
from blockyard.runs.observer import Observer
from blockyard.runs.run import Run

R = TypeVar("R", bound=Run)

_GIB = 1 << 30
# Of a device whose size is not known; the limits of most types do not depend on it.
_SIZE = "100GiB"
# Names that an error lists.
_FEW = 5
_KEYS = ("size", "iops", "throughput")


@dataclass(frozen=True)
class KnownStorage:
    """What a user says of the devices: volumes with their instance, or a scenario."""

    # As `gp3,iops=3000`, or `nvme1n1=gp3,iops=3000` of one device.
    volumes: Sequence[str] = ()
    instance: str | None = None
    scenario: Asked | None = None

    @classmethod
    def of(
        cls, volumes: str | Sequence[str] | None, instance: str | None, scenario: Asked | None
    ) -> Self:
        """What is said of one volume or several, or by a scenario, once it is checked.

        Raises ScenarioError and OSError, in one line, for what cannot be.
        """
        several = [volumes] if isinstance(volumes, str) else volumes or ()
        found = cls(tuple(several), instance, scenario)
        if found.is_said:
            found.check()
        return found

    def check_devices(self, runs: Iterable[Run]) -> None:
        """Refuse a volume of a device that no run has. Raises ScenarioError, in one line."""
        results = [run.result for run in runs]
        names = [total["device"] for result in results for total in result["totals"]]
        observed = [found for result in results if (found := result.get("observed"))]
        names += [device["name"] for one in observed for device in one["devices"]]
        _check_volumes(self._by_device, [*dict.fromkeys(names)])

    @property
    def _by_device(self) -> dict[str, str]:
        """Volumes as the user says them, each with its device, where one is named."""
        return {volume: name for volume in self.volumes if (name := _device(volume))}

    def under(self, run: R) -> R:
        """An observed run, or another program's file, on this storage; as it is if none is said.

        Raises ScenarioError, in one line, for a run that has its storage in its scenario, and for
        what its devices cannot be.
        """
        if not self.is_said:
            return run
        if run.scenario is not None:
            raise ScenarioError(f"{run.name}: has its storage in its scenario")
        devices = dict.fromkeys(total["device"] for total in run.result["totals"])
        return dataclasses.replace(run, storage=self.text(devices))

    @property
    def is_said(self) -> bool:
        """Whether the user says anything."""
        return bool(self.volumes or self.instance or self.scenario)

    @property
    def _answers(self) -> Path | None:
        """The answers of AWS that stand for a scenario, if they do."""
        if self.scenario is None or isinstance(self.scenario, Mapping):
            return None
        place = Path(self.scenario)
        return place if known_volumes.are_answers(place) else None

    def check(self) -> None:
        """Refuse what no device can be. Raises ScenarioError and OSError, in one line."""
        if self._answers and not (self.volumes or self.instance):
            known_volumes.hosts(self._answers)
            return
        if self.scenario is not None:
            self._own(self.scenario)
            return
        of = {name: None for name in (_device(volume) for volume in self.volumes) if name}
        self.text(of or {"data": None})

    def watching(self, view: Observer) -> Observer:
        """An observer that refuses a volume of a device that is not observed, before `view`.

        Its first interval tells which are. It raises ScenarioError, in one line.
        """
        of = self._by_device
        return _Checked(of, view) if of else view

    def here(self, devices: Mapping[str, int | None]) -> str:
        """As `text`, of devices of this machine, which tell their volumes' ids."""
        return self.text(devices, known_volumes.volume_ids(devices))

    def text(self, devices: Mapping[str, int | None], ids: Mapping[str, str] | None = None) -> str:
        """Give the storage of devices, of which the sizes may be known, as a scenario.

        `ids` are those of the volumes that they are, if that is known. Raises ScenarioError and
        OSError, in one line, for what cannot be.
        """
        if self.scenario is not None:
            if (answers := self._answers) and not (self.volumes or self.instance):
                return known_volumes.storage(answers, devices, ids)
            text, scenario = self._own(self.scenario)
            _check_names(scenario.devices, devices)
            return text
        if not self.volumes:
            raise ScenarioError("--instance: expected --volume too, as --volume gp3")
        storage = {}
        for volume in self.volumes:
            name = _device(volume)
            for device, size in devices.items():
                if name in (None, device):
                    storage[_called(device)] = _volume(volume, size)
        if not storage:
            raise ScenarioError(f"--volume: {self.volumes[0]}: no such device had IO")
        tree: dict[str, object] = {"name": "observed", "storage": storage}
        if self.instance:
            tree["host"] = {"instance": self.instance}
        text = yaml.safe_dump(tree, sort_keys=False)
        Scenario.load(text, "--volume")
        return text

    def _own(self, scenario: Asked) -> tuple[str, Scenario]:
        """The scenario that has the volumes."""
        if self.volumes or self.instance:
            raise ScenarioError("--on: has the volumes already; leave --volume and --instance")
        file = file_of(scenario, None)
        return file.text, Scenario.load(file.text, file.name, file.sets)


@dataclass(frozen=True)
class _Checked(Observer):
    """Refuses volumes of devices that are not observed, and passes everything on."""

    # Volumes as the user says them, each with its device.
    of: Mapping[str, str]
    view: Observer

    def interval(self, interval: Interval) -> None:
        _check_volumes(self.of, [device["name"] for device in interval.so_far()])
        self.view.interval(interval)

    def warn(self, message: str) -> None:
        self.view.warn(message)


def _check_volumes(of: Mapping[str, str], observed: Sequence[str]) -> None:
    """Refuse a volume of a device that is not observed."""
    for volume, name in of.items():
        if name not in observed:
            expected = f"expected {', '.join(observed[:_FEW])}"
            raise ScenarioError(f"--volume: {volume}: no such device is observed; {expected}")


def _check_names(known: Sequence[str], observed: Iterable[str]) -> None:
    """Refuse a scenario that has none of the devices; one device needs no name."""
    called = [_called(device) for device in observed]
    if not called or len(known) == len(called) == 1 or set(known) & set(called):
        return
    message = f"{' and '.join(called)} had IO; expected devices with these names"
    raise ScenarioError(f"--on: has {' and '.join(known)}, but {message}")


def _device(volume: str) -> str | None:
    """Of which device an option is: that before `=`, unless it is a key."""
    first, _, _ = volume.partition(",")
    name, equals, _ = first.partition("=")
    return name if equals else None


def _called(device: str) -> str:
    """As a scenario may call it, and as the verdict looks for it."""
    return "-".join(part for part in re.split(r"[^\w-]+", device) if part)


def _volume(volume: str, size: int | None) -> dict[str, object]:
    name = _device(volume)
    kind, *stated = (volume.removeprefix(f"{name}=") if name else volume).split(",")
    found: dict[str, object] = {"type": kind}
    found["size"] = _SIZE if not size else f"{math.ceil(size / _GIB)}GiB"
    for pair in stated:
        key, _, value = pair.partition("=")
        if key not in _KEYS or not value:
            message = f"--volume: `{pair}`; expected {', '.join(_KEYS)}, as iops=3000"
            raise ScenarioError(message)
        found[key] = yaml.safe_load(value)
    return found
