"""Workers of a Ray cluster: one that runs already, or one of this machine."""

import importlib
import logging
from collections.abc import Sequence
from typing import Any

from blockyard._core import __version__
from blockyard.sweeps.engines import Done, EngineError, remote

# How often work is tried again when its worker dies.
_RETRIES = 3


def ray(address: str, workers: int | None) -> "Ray":
    """The cluster at an address, or a new one with so many processors, which ends with the engine.

    Raises EngineError if Ray is not installed, the cluster cannot be reached or has other versions.
    """
    try:
        library: Any = importlib.import_module("ray")
    except ImportError as error:
        message = "--on ray: needs Ray; install it with `pip install 'blockyard[ray]'`"
        raise EngineError(message) from error
    on = f"ray={address}" if address else "ray"
    where: dict[str, Any] = {"address": address} if address else {"num_cpus": workers}
    if not address:
        where["include_dashboard"] = False
        # Without it a cluster that runs here already would be taken.
        where["address"] = "local"
    try:
        library.init(**where, log_to_driver=False, logging_level=logging.CRITICAL)
    except (ConnectionError, RuntimeError, ValueError, OSError) as error:
        line = (str(error).splitlines() or ["no answer"])[0]
        raise EngineError(f"--on {on}: cannot reach the cluster: {line}") from error
    engine = Ray(library)
    try:
        remote.check(on, engine.versions())
    except EngineError:
        engine.close()
        raise
    return engine


class Ray:
    """An engine of a Ray cluster. Work whose worker dies, Ray gives to another."""

    def __init__(self, library: Any) -> None:
        self._ray = library
        self._task = library.remote(max_retries=_RETRIES)(remote.carry_out_as)
        self._going: dict[Any, int] = {}

    @property
    def width(self) -> int:
        """As many as the cluster has processors."""
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def versions(self) -> dict[str, object]:
        """The version of each node, or why there is none."""
        strategies: Any = importlib.import_module("ray.util.scheduling_strategies")
        found: dict[str, object] = {}
        for node in self._ray.nodes():
            if not node["Alive"]:
                continue
            there = strategies.NodeAffinitySchedulingStrategy(node_id=node["NodeID"], soft=False)
            task = self._ray.remote(scheduling_strategy=there, max_retries=0)(remote.version)
            try:
                found[node["NodeManagerAddress"]] = self._ray.get(task.remote())
            except Exception as error:  # noqa: BLE001 - whatever the worker or Ray raised
                found[node["NodeManagerAddress"]] = error
        return found

    def submit(self, ticket: int, work: str) -> None:
        """Take on work."""
        self._going[self._task.remote(__version__, work)] = ticket

    def wait(self, timeout_s: float) -> Sequence[Done]:
        """Give what has ended since the last call, after at most so long."""
        ended, _ = self._ray.wait(list(self._going), num_returns=1, timeout=timeout_s)
        return [self._done(reference) for reference in ended]

    def stop(self) -> Sequence[Done]:
        """End what is going on, and give what of it was done."""
        going = list(self._going)
        ended, left = (
            self._ray.wait(going, num_returns=len(going), timeout=0) if going else ([], [])
        )
        for reference in left:
            self._ray.cancel(reference, force=True)
            del self._going[reference]
        return [self._done(reference) for reference in ended]

    def close(self) -> None:
        """Let go of what it holds."""
        self._ray.shutdown()

    def _done(self, reference: Any) -> Done:
        ticket = self._going.pop(reference)
        try:
            return Done(ticket, self._ray.get(reference))
        except Exception as error:  # noqa: BLE001 - whatever the worker or Ray raised
            return Done(ticket, None, f"{type(error).__name__}: {error}")
