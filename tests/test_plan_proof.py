"""What is tried in place of a layout that its simulation drops."""

import json

from blockyard._core import plan_lines, plan_reasons
from conftest import Blockyard


def test_another_width_is_tried_before_a_type_is_given_up(blockyard: Blockyard) -> None:
    words = ("--size", "500GiB", "--read-iops", "16000", "--io-size", "8KiB", "--instance")
    made = blockyard("plan", *words, "r6i.8xlarge", "--type", "gp3", "--p99", "1.5ms", "--json")
    answer = json.loads(made.stdout)
    dropped = [one["layout"]["data"]["count"] for one in answer["dropped"]]
    assert dropped
    assert answer["best"]["data"]["type"] == "gp3"
    assert answer["best"]["data"]["count"] not in dropped


def test_a_few_more_iops_are_tried_where_a_layout_is_dropped(blockyard: Blockyard) -> None:
    words = ("--size", "500GiB", "--read-iops", "8000", "--io-size", "8KiB", "--type", "gp3")
    near = ("--instance", "r6i.8xlarge", "--max-volumes", "1", "--headroom", "2%", "--p99", "1.5ms")
    made = blockyard("plan", *words, *near, "--as-of", "2026-11-01", "--json")
    answer = json.loads(made.stdout)
    iops = [one["layout"]["data"]["iops"] for one in answer["dropped"]]
    # Limits allow the first; chance needs more of them, and a tenth more load than that will do.
    assert iops == [8164, 8413]
    assert answer["best"]["data"]["iops"] == 8989
    lines = [line for line, _ in plan_lines(made.stdout, explain=True)]
    assert any("; 1 other layout of gp3, up to $1,548.83, missed goals, too" in it for it in lines)
    # Names tell layouts of one width apart.
    reasons = dict(plan_reasons(made.stdout))
    assert sum("gp3 of 626GiB" in name for name in reasons) == len(iops)
