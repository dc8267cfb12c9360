"""One gp3 at its limit under four readers, on SimPy: the least of the model that limits them."""

import random
from collections.abc import Generator

import simpy

RATE, PROCESSES = 3000, 4


def ios(duration_s: float, seed: int) -> int:
    """How many IOs complete in so many seconds."""
    draw = random.Random(seed)  # noqa: S311 - no secret
    env = simpy.Environment()
    full, done = [0.0], [0]

    def reader() -> Generator[simpy.Event, None, None]:
        while True:
            full[0] = max(full[0], env.now) + 1 / RATE
            wait = full[0] - env.now
            yield env.timeout(max(wait, draw.lognormvariate(-7.4, 0.2)))
            done[0] += 1

    for _ in range(PROCESSES):
        env.process(reader())
    env.run(duration_s)
    return done[0]
