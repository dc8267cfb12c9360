"""The same readers on SimPy, with the model written once more in Python.

Leaves out what costs Python most and changes least: the byte limits, which never
bind here, the slow state of latency, and percentiles per second.
"""

import bisect
import random
import sys

import simpy

PROCESSES, WIDTH, CHUNK, BLOCK = 50, 5, 4 << 20, 8192
FILE_SIZE = 700 << 30
# The quantiles of the catalog's gp3 reads, in seconds.
TABLE = [(0.0, 400e-6), (0.01, 450e-6), (0.5, 600e-6), (0.9, 750e-6), (0.99, 1200e-6),
         (0.999, 3e-3), (1.0, 12e-3)]  # fmt: skip
PROBABILITIES = [point[0] for point in TABLE]


class Limit:
    """A token bucket, charged as a reservation."""

    def __init__(self, rate: float) -> None:
        self.period = 1.0 / rate
        self.depth = 1.0
        self.full = 0.0

    def grant(self, now: float) -> float:
        """When the next IO that arrives at `now` may pass."""
        self.full = max(self.full, now) + self.period
        return max(now, self.full - self.depth)


def draw() -> float:
    """A latency."""
    u = random.random()  # noqa: S311 - no secret
    above = max(1, bisect.bisect_left(PROBABILITIES, u))
    (low_p, low), (high_p, high) = TABLE[above - 1], TABLE[above]
    return low + (high - low) * (u - low_p) / (high_p - low_p)


class Bench:
    """The host, its volumes and the accounts."""

    def __init__(self) -> None:
        self.host = Limit(80_000)
        self.volumes = [Limit(16_000) for _ in range(WIDTH)]
        self.ios = 0
        self.latency = 0.0
        self.seconds: dict[int, int] = {}

    def reader(self, env: simpy.Environment):  # type: ignore[no-untyped-def]
        """One process."""
        while True:
            start = env.now
            offset = random.randrange(FILE_SIZE // BLOCK) * BLOCK  # noqa: S311
            volume = self.volumes[offset // CHUNK % WIDTH]
            granted = volume.grant(self.host.grant(start))
            yield env.timeout(max(start + draw(), granted) - start)
            self.ios += 1
            self.latency += env.now - start
            second = int(env.now)
            self.seconds[second] = self.seconds.get(second, 0) + 1


def main() -> None:
    """Runs for the seconds that the command line gives."""
    random.seed(1)
    bench, env = Bench(), simpy.Environment()
    for _ in range(PROCESSES):
        env.process(bench.reader(env))
    seconds = float(sys.argv[1])
    env.run(until=seconds)
    print(bench.ios, round(bench.ios / seconds), round(1e6 * bench.latency / bench.ios, 2))


if __name__ == "__main__":
    main()
