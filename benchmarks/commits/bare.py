"""One simulation by the module alone: prints processor seconds and IOs. Called by run.py.

    python bare.py SCENARIO [KEY=VALUE ...]

The command runs further seeds and tries what would help, which older commits did not.
"""

import json
import os
import sys
from pathlib import Path

from blockyard._core import Scenario
from blockyard.runs.observer import Observer


def main() -> None:
    """Simulate; what is measured is told to nobody."""
    file, *sets = sys.argv[1:]
    scenario = Scenario.load(Path(file).read_text(), file, sets)
    before = os.times()
    result = scenario.simulate(Observer())
    after = os.times()
    if result is None:
        raise KeyboardInterrupt
    used = after.user + after.system - before.user - before.system
    print(used, sum(total["ios"] for total in json.loads(result)["totals"]))


if __name__ == "__main__":
    main()
