"""`blockyard catalog`."""

import json

from conftest import Blockyard


def test_volumes_have_dates_and_sources(blockyard: Blockyard) -> None:
    rows = json.loads(blockyard("catalog", "volumes", "--json").stdout)
    assert {"gp2", "gp3", "io1", "io2", "st1", "sc1"} <= {row["type"] for row in rows}
    of_a_provider = [row for row in rows if row["type"] != "unlimited"]
    assert all(row["sources"] and row["observed"] for row in of_a_provider)


def test_a_day_picks_the_rule_that_held(blockyard: Blockyard) -> None:
    finished = blockyard("catalog", "volumes", "--as-of", "2022-11-10", "gp3", "--json")
    (row,) = json.loads(finished.stdout)
    assert row["iops"].startswith("3,000 to 16,000")
    assert row["valid_to"] == "2025-09-29"


def test_text_fits_80_columns(blockyard: Blockyard) -> None:
    for what in (["volumes"], ["instances", "r5n."]):
        text = blockyard("catalog", *what).stdout
        assert max(map(len, text.splitlines())) <= 80


def test_an_instance_has_its_published_limits(blockyard: Blockyard) -> None:
    text = blockyard("catalog", "instances", "r5n.24xlarge").stdout
    assert "80,000" in text
    assert "2,375" in text
    assert "observed" in text


def test_a_filter_that_fits_nothing_names_the_nearest(blockyard: Blockyard) -> None:
    finished = blockyard("catalog", "instances", "r5n.24xlarg3")
    assert finished.returncode == 2
    assert "did you mean `r5n.24xlarge`?" in finished.stderr
