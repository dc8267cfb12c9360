"""`blockyard catalog`."""

import json
from typing import Any

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


def _listed(blockyard: Blockyard, *arguments: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(blockyard("catalog", *arguments, "--json").stdout)
    return rows


def test_a_filter_finds_names_and_variants_whatever_their_case(blockyard: Blockyard) -> None:
    def observed(*arguments: str) -> list[tuple[str, str]]:
        return [(row["type"], row["observed"]) for row in _listed(blockyard, *arguments)]

    assert observed("volumes", "GP3") == [("gp3", "2020-12-03"), ("gp3", "2025-09-30")]
    assert observed("volumes", "--as-of", "2022-11-10", "gp3") == [("gp3", "2020-12-03")]
    assert {name for name, _ in observed("volumes", "block exp")} == {"io2"}


def test_a_day_before_every_rule_gets_the_earliest_and_says_so(blockyard: Blockyard) -> None:
    (row,) = _listed(blockyard, "volumes", "--as-of", "2015-01-01", "gp2")
    assert row["observed"] == "2018-02-02"
    assert row["assumed"] == "the earliest rule, used for 2015-01-01"


def test_a_type_is_not_listed_before_it_was_announced(blockyard: Blockyard) -> None:
    refused = blockyard("catalog", "volumes", "--as-of", "1999-01-01", "gp3")
    assert refused.returncode == 2
    assert "was not available on 1999-01-01; it launched on 2020-12-01" in refused.stderr
    assert all(
        row["type"] != "gp3" for row in _listed(blockyard, "volumes", "--as-of", "1999-01-01")
    )


def test_laws_and_bounds_are_put_into_words(blockyard: Blockyard) -> None:
    gp2 = _listed(blockyard, "volumes", "gp2")[1]["limits"]
    assert gp2[1] == (
        "iops_credits: 3 IOPS per 1GiB, at least 100 IOPS, at most 16,000 IOPS; below 1000GiB"
    )
    assert gp2[2] == "throughput: 128MiB/s up to 170GiB, 250MiB/s above"
    io2 = _listed(blockyard, "volumes", "io2")
    assert [row["host"] for row in io2][::2] == [
        "an instance of the family r5b",
        "a Nitro instance",
    ]
    assert io2[-1]["host"] == "any instance"
    assert io2[-1]["limits"][0] == "iops: as provisioned; at most 32,000 IOPS without Nitro"


def test_figures_of_an_instance_are_those_of_the_day(blockyard: Blockyard) -> None:
    # Before the first ones were seen they are assumed.
    known = ("2019-11-03", 1750, True), ("2019-12-03", 1750, False), ("2019-12-04", 2375, False)
    for day, most, assumed in known:
        (row,) = _listed(blockyard, "instances", "--as-of", day, "r5n.24")
        assert (row["maximum"]["mb_per_s"], row["assumed"]) == (most, assumed)
        assert row["nitro"]


def test_streams_of_local_disks_say_whose_they_are(blockyard: Blockyard) -> None:
    for name, streams, like in (("i3.2xlarge", (1922, 782), None), ("g5.12", (1587, 697), "all")):
        (row,) = _listed(blockyard, "instances", name)
        assert [int(figure) for figure in row["disk_mib_per_s"]] == list(streams)
        assert row["disk_mib_per_s_assumed_as"] == like
