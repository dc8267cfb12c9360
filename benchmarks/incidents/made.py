"""Makes an incident with `blockyard emulate` under a load, and records what each observer sees."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import yaml
from incident import Incident
from loaded import copied, loaded

from blockyard import cli
from blockyard.runs.execution.observe import observe
from blockyard.runs.new_folder import NewFolder
from blockyard.runs.observer import Observer
from blockyard.service import control

# How long a service may take to begin or to end.
_PATIENCE_S = 60
_REGION = "64m"
# How long a database goes on without the scheduler that is to delay it: what it does then is what
# it would have done before.
_UNDELAYED_S = 5


@dataclass(frozen=True)
class Served:
    """A running service."""

    process: int
    devices: list[str]
    run: Path


@contextlib.contextmanager
def served(scenario: Path, folder: Path, *options: str) -> Iterator[Served]:
    """`blockyard emulate`, in a fork of this process, which has loaded it already."""
    reads, writes = os.pipe()
    run = folder / "emulated"
    process = os.fork()
    if process == 0:
        os.dup2(writes, 1)
        os.dup2(os.open(folder / "emulate.log", os.O_WRONLY | os.O_CREAT), 2)
        _become(["emulate", str(scenario), "--as", "block", *options, "--out", str(run)])
    os.close(writes)
    try:
        with os.fdopen(reads) as said:
            wanted = 2 if "--each-volume" in options else 1
            lines = [said.readline() for _ in range(wanted)]
            found = [re.match(r"\S+: (/dev/\S+) \(", line) for line in lines]
            if not all(found):
                why = (folder / "emulate.log").read_text()
                raise RuntimeError(f"emulate did not start: {lines} {why}")
            yield Served(process, [one[1] for one in found if one], run)
            os.kill(process, signal.SIGTERM)
            said.read()
    finally:
        _ended(process)


def _become(words: list[str]) -> NoReturn:
    """Be a command of `blockyard`, with its standard streams."""
    sys.argv = ["blockyard", *words]
    sys.stdout = open(1, "w", buffering=1, closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", buffering=1, closefd=False)  # noqa: SIM115
    status: object = 70
    try:
        cli.main()
    except SystemExit as end:
        status = end.code
    finally:
        os._exit(status if isinstance(status, int) else 0)


def _ended(process: int) -> None:
    """Wait until it has ended; it is killed if it does not."""
    end = time.monotonic() + _PATIENCE_S
    while os.waitpid(process, os.WNOHANG) == (0, 0):
        if time.monotonic() > end:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
            return
        time.sleep(0.05)


def _watch(folder: Path, name: str, devices: list[str], seconds: int, *, counters: bool) -> None:
    asked = {"device": devices, "interval": "1s", "duration": f"{seconds}s", "counters": counters}
    # The devices of others end meanwhile; events of 16 incidents are few.
    asked["buffer"] = "256KiB"
    with NewFolder(folder / name) as made:
        observe(name, made, asked, stop=threading.Event(), view=Observer())


def _schedule(incident: Incident, devices: list[str]) -> None:
    for device in devices:
        queue = Path(f"/sys/block/{Path(device).name}/queue")
        (queue / "scheduler").write_text(incident.scheduler)
        for name, value in incident.settings.items():
            (queue / "iosched" / name).write_text(value)


def make(incident: Incident, folder: Path, database: tuple[str, Path] | None = None) -> list[str]:
    """Make it, and leave in `folder` what was seen; give the devices that were observed.

    `database` is the name of one, which makes the load, and the image that it is in.
    """
    scenario = folder / "scenario.yaml"
    scenario.write_text(yaml.safe_dump(incident.scenario(), sort_keys=False))
    options = ["--each-volume"] if incident.legs > 1 else []
    with contextlib.ExitStack() as stack:
        if database:
            image = stack.enter_context(_copied(database[1], incident))
            options += ["--backing", str(image)]
        control_path = folder / "control"
        options += ["--control", str(control_path)]
        service = stack.enter_context(served(scenario, folder, *options))
        devices = service.devices
        if database and incident.database:
            delayed = incident.scheduler != "none"
            seconds = incident.seconds + (_UNDELAYED_S if delayed else 0)
            with loaded(database[0], incident.database, devices[0], seconds):
                _schedule(incident, devices)
                _observed(incident, devices, folder, control_path)
                _schedule(Incident(0, "", {}, {}, [], 0), devices)
                if delayed:
                    _let_run(folder, control_path)
        else:
            _schedule(incident, devices)
            with _fio(incident, devices, folder):
                _observed(incident, devices, folder, control_path)
            _schedule(Incident(0, "", {}, {}, [], 0), devices)
    return [Path(device).name for device in devices]


@contextlib.contextmanager
def _copied(image: Path, incident: Incident) -> Iterator[Path]:
    own = image.with_suffix(f".{incident.number}")
    copied(image, own, incident.volume["size"])
    try:
        yield own
    finally:
        own.unlink()


def _observed(incident: Incident, devices: list[str], folder: Path, control_path: Path) -> None:
    """Have all observers watch, and steer the service meanwhile."""
    _note(folder / "window.json", control_path, incident.seconds)
    watching = [
        threading.Thread(
            target=_watch,
            args=(folder, name, devices, incident.seconds),
            kwargs={"counters": name == "level1"},
        )
        for name in ("level2", "level1")
    ]
    if incident.steered:
        at, order = incident.steered
        watching.append(threading.Timer(at, control.ask, (control_path, order)))
    names = [Path(device).name for device in devices]
    with (folder / "iostat.txt").open("w") as text:
        seen = subprocess.Popen(  # noqa: S603
            ["iostat", "-x", "-y", "-t", *names, "1", str(incident.seconds)],  # noqa: S607
            stdout=text,
            env=os.environ | {"S_TIME_FORMAT": "ISO", "LC_ALL": "C"},
        )
        for thread in watching:
            thread.start()
        for thread in watching:
            thread.join()
        seen.wait(_PATIENCE_S)


def _let_run(folder: Path, control_path: Path) -> None:
    """Leave the load alone for as long as it takes to see what it does."""
    _note(folder / "undelayed.json", control_path, _UNDELAYED_S)
    time.sleep(_UNDELAYED_S)


def _note(path: Path, control_path: Path, length_s: int) -> None:
    begin = control.ask(control_path, "status")["uptime_s"]
    path.write_text(json.dumps({"t_s": begin, "length_s": length_s}))


@contextlib.contextmanager
def _fio(incident: Incident, devices: list[str], folder: Path) -> Iterator[None]:
    load = subprocess.Popen(  # noqa: S603
        _command(incident, devices), stdout=subprocess.DEVNULL, stderr=(folder / "fio").open("w")
    )
    yield
    load.terminate()
    load.wait(_PATIENCE_S)


def _command(incident: Incident, devices: list[str]) -> list[str]:
    words = " ".join(incident.fio).split()
    return [
        *("fio", "--name=load", f"--filename={':'.join(devices)}", "--direct=1"),
        *("--norandommap", f"--size={_REGION}", "--time_based", "--randrepeat=0"),
        *(f"--runtime={incident.seconds + 2}", "--output=/dev/null", *words),
    ]
