"""What observed devices are by the saved answers of AWS: which volume each of them is.

On Nitro an NVMe device of EBS has the volume's id as its serial number.
"""

import dataclasses
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from blockyard._core import FileError, ScenarioError
from blockyard.formats import aws
from blockyard.formats.aws import hosts as inventory
from blockyard.formats.aws import scenario
from blockyard.formats.aws.hosts import Host

# Without the dash as a serial number, with it as the driver of Kubernetes names volumes.
_ID = re.compile(r"vol-?([0-9a-f]{8,17})\s*")
_SYSFS = Path("/sys/block")


def are_answers(place: Path) -> bool:
    """Whether it is a folder of answers, or one of them, and no scenario."""
    return place.is_dir() or place.suffix.lower() == ".json"


def volume_ids(devices: Iterable[str], sysfs: Path = _SYSFS) -> dict[str, str]:
    """The ids of this machine's devices that are volumes of EBS, by the kernel's names."""
    serials = {}
    for device in devices:
        try:
            serials[device] = (sysfs / device / "device/serial").read_text(encoding="ascii")
        except (OSError, UnicodeDecodeError):
            continue
    return _ids(serials)


def _ids(said: Mapping[str, str]) -> dict[str, str]:
    found = {device: _ID.fullmatch(text) for device, text in said.items()}
    return {device: f"vol-{one[1]}" for device, one in found.items() if one}


def hosts(answers: Path) -> list[Host]:
    """What there is by the answers. Raises ScenarioError, in one line, and OSError."""
    try:
        return list(inventory.hosts(aws.read([answers])))
    except FileError as error:
        raise ScenarioError(f"--on: {error}") from error


def storage(answers: Path, devices: Iterable[str], ids: Mapping[str, str] | None) -> str:
    """The storage of one instance as a scenario, of `devices` of it that are known by their ids.

    Without `ids` they are of another machine: then their names may be ids, otherwise all that
    there is has the names that `blockyard import aws` gives. Raises ScenarioError, in one line, if
    that is not one instance, and OSError.
    """
    known = hosts(answers)
    named_by_id = _ids({device: device for device in devices})
    if ids is None and not named_by_id:
        if len(known) > 1:
            names = ", ".join(one.name for one in known[:5])
            message = f"--on: {answers} has {len(known)} instances and databases: {names}"
            raise ScenarioError(f"{message}; expected the answers of one")
        return scenario.text(known[0], None, {}, known[0].devices)
    ids = named_by_id if ids is None else ids
    named = {volume: device for device, volume in ids.items()}
    for host in known:
        own = [
            dataclasses.replace(one, name=named[one.id]) for one in host.devices if one.id in named
        ]
        if own:
            return scenario.text(host, None, {}, own)
    if not ids:
        message = "no observed device has the id of a volume as its serial number"
        raise ScenarioError(f"--on: {answers}: {message}; expected a scenario, or --volume")
    device, volume = next(iter(ids.items()))
    raise ScenarioError(f"--on: {device} is {volume}, which is not in {answers}; ask AWS again")
