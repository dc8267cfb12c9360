"""The public measurements as data, as scenarios, and against the model."""

import json
import re
from pathlib import Path
from typing import Any, get_args

import pytest

from blockyard import Scenario
from conftest import ROOT
from validation.measured import accuracy, bands, fair
from validation.measured import rows as measured_rows
from validation.measured.cases import BEGINNING_S, LONGEST_S, Case, cases
from validation.measured.compare import Compared, Left, Outcome, compare
from validation.measured.errors import Spread, by
from validation.measured.figures import Figure
from validation.measured.pages import Pages
from validation.measured.reasons import Reason
from validation.measured.rows import Row, read
from validation.measured.samples import in_sample
from validation.measured.without_source import errors_without
from validation.measured.words import Class, Flag

ROWS = read()
BY_ID = {row.id: row for row in ROWS}


def case(row: str) -> Case:
    made = cases(BY_ID[row])
    assert isinstance(made, tuple)
    assert len(made) == 1
    return made[0]


def test_all_rows_are_there_once_and_say_where_they_are_from() -> None:
    assert len(ROWS) == 554
    assert len(BY_ID) == 554
    assert all(row.url for row in ROWS if row.prefix != "leanstore")


@pytest.mark.parametrize("name", ["latency", "volumes", "file_systems"])
def test_the_catalog_rests_on_rows_that_are_there(name: str) -> None:
    lists = re.findall(r"rows: \[([^\]]+)\]", (ROOT / "catalog" / f"{name}.yaml").read_text())
    named = {row.strip() for rows in lists for row in rows.split(",")}
    assert named
    assert named <= BY_ID.keys()
    # Nothing is fitted to what a cache answered.
    suspect = {row for row in named if "suspect_reads" in BY_ID[row].classes}
    assert not suspect


def test_every_class_and_flag_is_used_and_explained() -> None:
    page = (ROOT / "measurements" / "README.md").read_text()
    for words, used in (
        (get_args(Class), {name for row in ROWS for name in row.classes}),
        (get_args(Flag), {name for row in ROWS for name in row.flags}),
    ):
        assert set(words) == used
        assert not [name for name in words if f"`{name}`" not in page]


def test_no_row_has_sentences() -> None:
    def texts(value: Any, place: str) -> list[str]:
        if isinstance(value, dict):
            return [text for key, inner in value.items() for text in texts(inner, f"{place}.{key}")]
        if isinstance(value, list):
            return [text for inner in value for text in texts(inner, place)]
        return [value] if isinstance(value, str) else []

    for line in measured_rows.PLACE.read_text().splitlines():
        row = json.loads(line)
        named = {key: value for key, value in row.items() if key not in ("source", "url", "path")}
        assert not [text for text in texts(named, "") if not re.fullmatch(r"[\w.:-]+", text)]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"class": ["latency", "guesswork"]}, "class.1: Input should be"),
        ({"doubts": []}, "doubts: Extra inputs"),
        ({"volume": {"type": "gp3", "count": 1, "size_gib": -1}}, "volume.size_gib: Input should"),
        ({"commit": "main"}, "commit: String should match"),
        ({"flags": ["zeros", "coarse"]}, "flags are sorted"),
        ({"date": "22 March 2024"}, "date: String should match"),
    ],
)
def test_a_wrong_row_is_refused_with_its_line(
    tmp_path: Path, change: dict[str, object], said: str
) -> None:
    first, second = measured_rows.PLACE.read_text().splitlines()[:2]
    place = tmp_path / "rows.jsonl"
    place.write_text("\n".join([first, json.dumps(json.loads(second) | change)]))
    with pytest.raises(ValueError, match=re.escape(said)) as refused:
        read(place)
    assert str(refused.value).startswith(f"{place}:2: ")


def test_rows_out_of_order_or_twice_are_refused(tmp_path: Path) -> None:
    line = measured_rows.PLACE.read_text().splitlines()[0]
    place = tmp_path / "rows.jsonl"
    place.write_text(f"{line}\n{line}\n")
    with pytest.raises(ValueError, match="expected ids in order"):
        read(place)


def test_a_saturated_volume_starts_with_the_tokens_of_its_gap() -> None:
    made = case("miz-006")
    assert made.scenario["storage"] == {
        "data": {
            "type": "gp3",
            "size": "201GiB",
            "iops": 4000,
            "throughput": "1000MiB/s",
            "tokens": "45%",
        }
    }
    job = made.scenario["workload"]["job"]
    assert (job["processes"], job["outstanding"]) == (16, 16)
    assert job["pattern"] == {"size": "16384B", "read": "0%", "random": "100%"}
    assert made.scenario["as_of"] == "2020-12-21"
    assert made.scenario["host"] == {"instance": "r5b.large"}
    assert (made.runtime_s, made.simulated_s, made.beginning_s) == (10, 10, 0)
    found = {figure.quantity: figure for figure in made.figures}
    assert found["iops"] == Figure("iops", "write", True, 4156.72)
    assert (found["excess_s"].measured, found["excess_s"].limit) == (0.393, 4000)
    assert found["p99"].measured == 168960


def test_a_stripe_has_the_default_chunk_and_the_least_size() -> None:
    made = case("patto-001")
    assert made.scenario["storage"]["data"] == {
        "stripe": {"chunk": "512KiB", "width": 6},
        "of": {"type": "io1", "size": "50GiB", "iops": 2500},
    }
    assert {figure.quantity for figure in made.figures if figure.at_limit} >= {"mib_per_s", "p99"}
    # A run of three minutes is cut, and its beginning counted apart.
    assert (made.runtime_s, made.simulated_s, made.beginning_s) == (180, LONGEST_S, BEGINNING_S)


def test_one_in_flight_is_latency_below_the_limit_and_no_rate() -> None:
    made = case("longhorn-009")
    assert made.figures == (Figure("mean", "read", False, 500),)
    assert made.ramp_s == 5


def test_a_rate_that_was_held_is_an_open_loop() -> None:
    job = case("nvmestat-001").scenario["workload"]["job"]
    assert (job["rate"], job["max_outstanding"]) == ("1000/s", 4)
    assert "processes" not in job


def test_processes_are_dealt_to_file_systems_of_their_own() -> None:
    workload = case("kx-007").scenario["workload"]
    assert {name: (job["on"], job["processes"]) for name, job in workload.items()} == {
        "job0": ("data0", 1),
        "job1": ("data1", 1),
    }
    assert sum(job["processes"] for job in case("kx-010").scenario["workload"].values()) == 16


def test_a_serial_engine_has_the_devices_mean_and_no_rate() -> None:
    made = case("dyu-014")
    assert made.scenario["workload"]["job"]["outstanding"] == 1
    assert made.figures == (Figure("mean", "read", False, 448.7),)
    assert "host" not in made.scenario


def test_percentiles_are_left_out_where_the_submission_waited() -> None:
    row = BY_ID["liang-001"]
    quick = row.results.write
    assert quick is not None
    names = {figure.quantity for figure in case("liang-001").figures}
    assert {"mean", "p99"} <= names
    slow = quick.model_copy(update={"slat_us_mean": 0.06 * 166340})
    results = row.results.model_copy(update={"write": slow})
    made = cases(row.model_copy(update={"results": results}))
    assert isinstance(made, tuple)
    names = {figure.quantity for figure in made[0].figures}
    assert "mean" in names
    assert "p99" not in names
    mean = next(figure for figure in made[0].figures if figure.quantity == "mean")
    assert mean.measured == 166340


def test_a_write_with_its_sync_is_one_latency() -> None:
    made = case("crlreport-001")
    job = made.scenario["workload"]["job"]
    assert (job["fsync_every"], job["file_system"], job["outstanding"]) == (1, "ext4", 1)
    assert made.figures == (Figure("mean", "sync", False, 1646),)
    assert cases(BY_ID["etcdmage-001"]) is Reason.SYNC


def test_a_run_far_below_its_limit_was_not_held() -> None:
    assert not any(figure.at_limit for figure in case("liang-038").figures)


def test_a_sync_of_what_the_page_cache_took_is_compared_by_itself() -> None:
    made = case("mtulio-005")
    job = made.scenario["workload"]["job"]
    assert (job["fsync_every"], job["file_system"]) == (1, "xfs")
    assert job["pattern"]["size"] == "4096B"
    assert made.figures == (Figure("mean", "sync", False, 1647.8),)


def test_syncs_that_wrote_nothing_are_none() -> None:
    made = case("alexn-004")
    assert "fsync_every" not in made.scenario["workload"]["job"]
    assert {figure.quantity for figure in made.figures} >= {"mean", "p50", "p99"}
    row = BY_ID["alexn-004"]
    device = row.results.device | {"writes": 25_000_000}
    journalled = row.model_copy(
        update={"results": row.results.model_copy(update={"device": device})}
    )
    assert cases(journalled) is Reason.SYNC


def test_at_a_limit_enough_are_in_flight_and_only_rates_are_compared() -> None:
    made = case("xycalc-003")
    assert made.scenario["workload"]["job"]["outstanding"] == 64
    assert {figure.quantity for figure in made.figures} == {"iops", "excess_s"}


def test_disks_without_published_iops_are_their_familys() -> None:
    made = cases(BY_ID["iotune-074"])
    assert isinstance(made, tuple)
    assert {one.scenario["host"]["instance"] for one in made} <= {"i4i.12xlarge", "i4i.16xlarge"}


def test_an_unknown_balance_is_simulated_empty_too() -> None:
    used_up = case("mtulio-002").empty
    assert used_up is not None
    assert used_up["storage"]["data"]["burst_balance"] == "0%"
    # The instance has credits of its own.
    bursting = case("xycalc-002").empty
    assert bursting is not None
    assert bursting["host"]["burst_balance"] == "0%"
    assert "burst_balance" not in bursting["storage"]["data"]
    assert case("longhorn-009").empty is None
    tokens = case("xycalc-003").empty
    assert tokens is not None
    assert tokens["storage"]["data"]["tokens"] == "0%"


def test_local_disks_of_an_array_are_striped() -> None:
    made = cases(BY_ID["alexn-001"])
    assert isinstance(made, tuple)
    assert made[0].scenario["storage"]["data"]["stripe"]["width"] == 4


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("emondek-001", Reason.PROVIDER),
        ("perc1808-072", Reason.ENGINE),
        ("pgconf-006", Reason.DATABASE),
        ("liang-002", Reason.SUSPECT),
        ("terryma-012", Reason.SUSPECT),
        ("cdolan-002", Reason.SUSPECT),
        ("xycalc-005", Reason.FIRST_TOUCH),
        ("seastar-001", Reason.SETTINGS),
        ("pgconf-001", Reason.SETTINGS),
        ("dyu-001", Reason.INSTANCE),
        ("xycalc-001", Reason.NOTHING),
    ],
)
def test_what_the_model_cannot_be_asked_has_a_reason(row: str, reason: Reason) -> None:
    assert cases(BY_ID[row]) is reason


def test_no_suspect_row_is_compared() -> None:
    suspect = {"suspect_reads", "suspect_writes", "first_touch"}
    assert all(isinstance(cases(row), Reason) for row in ROWS if suspect & set(row.classes))


def refusal(one: Case) -> str:
    try:
        Scenario.load(json.dumps(one.scenario | {"duration": "1s"}), "row", []).check_simulation()
    except ValueError as error:
        return str(error)
    return ""


def test_every_scenario_is_valid_but_for_what_the_catalog_has_not() -> None:
    refused = set()
    for row in ROWS:
        made = cases(row)
        for one in made if isinstance(made, tuple) else ():
            said = refusal(one)
            if said:
                assert "the catalog has no IOPS for the instance store" in said
                refused.add(row.id)
    assert {BY_ID[row].volume.type for row in refused} == {"instance-store"}


def test_rates_go_on_to_the_end_of_a_run_that_was_cut() -> None:
    """3,000 IOPS for 180 s, and a second of tokens after rest."""
    outcome = compare([BY_ID["xycalc-002"]])
    found = {one.figure.quantity: one for one in outcome.compared["xycalc-002"]}
    assert found["iops"].predicted == pytest.approx(3000 * 181 / 180, rel=1e-3)
    assert found["excess_s"].predicted == pytest.approx(1, abs=0.02)
    assert found["iops"].error == pytest.approx(3000 * 181 / 180 / 3017 - 1, abs=1e-3)
    assert found["excess_s"].error == pytest.approx(found["excess_s"].predicted - 1.02)


def test_every_row_has_an_outcome() -> None:
    some = [
        row for row in ROWS if row.prefix in {"cdolan", "longhorn", "netflix", "raftfsync", "i7i"}
    ]
    outcome = compare(some)
    assert outcome.compared.keys() | outcome.left.keys() == {row.id for row in some}
    assert not outcome.compared.keys() & outcome.left.keys()
    refused = [left for left in outcome.left.values() if left.reason is Reason.CATALOG]
    assert refused
    assert all("i7i.large" in left.said for left in refused)
    pages = Pages(some, outcome)
    every = pages.every_row() + pages.every_other()
    assert all(f"| {row.id}" in every for row in some)
    assert accuracy.counts(outcome).startswith(f"{len(some)} rows, ")


def test_a_wrong_scenario_is_no_refusal_of_the_catalog() -> None:
    row = BY_ID["xycalc-002"]
    wrong = row.model_copy(update={"volume": row.volume.model_copy(update={"type": "gp9"})})
    sized = wrong.model_copy(
        update={"volume": wrong.volume.model_copy(update={"size_gib": 100, "iops": None})}
    )
    with pytest.raises(ValueError, match=r"xycalc-002 .*gp9"):
        compare([sized])


def test_errors_against_hand_figures() -> None:
    def one(row: str, part: str, measured: float, predicted: float) -> Compared:
        return Compared(row, part, Figure("mean", "read", False, measured), predicted)

    compared = [
        one("a-001", "", 100, 110),
        one("a-002", "", 200, 100),
        # A map counts once, by the median of its cells: +30 %.
        one("a-003", "x", 100, 120),
        one("a-003", "y", 100, 130),
        one("a-003", "z", 100, 900),
    ]
    errors = by(compared, lambda each: each.figure.quantity)["mean"]
    assert errors == pytest.approx([0.1, -0.5, 0.3])
    spread = Spread.of(errors, 0.15)
    assert (spread.rows, spread.within) == (3, 1)
    assert spread.median == pytest.approx(0.3)
    assert spread.high == pytest.approx(0.5)
    assert spread.bias == pytest.approx(0.1)
    # Nearest rank: the ninth of ten.
    assert Spread.of([number / 10 for number in range(1, 11)]).high == 0.9


def one_latency(row: str, measured: float, predicted: float, **more: Any) -> Compared:
    return Compared(row, "", Figure("mean", "read", False, measured), predicted, **more)


def rows_of(**changes: str) -> dict[str, Row]:
    """Rows by id with other types, as what is compared needs no more of them."""
    base = BY_ID["longhorn-009"].model_dump(by_alias=True, exclude_none=True)
    made = {}
    for name, kind in changes.items():
        own = {"id": name.replace("_", "-"), "volume": base["volume"] | {"type": kind}}
        made[own["id"]] = Row.model_validate(base | own)
    return made


def test_what_is_refused_counts_as_wrong_by_all_of_it() -> None:
    rows = rows_of(a_001="gp3", a_002="gp3", b_001="gp3", c_001="gp3")
    refused: dict[str, tuple[Figure, ...]] = {"b-001": (Figure("mean", "read", False, 100.0),)}
    left = {"b-001": Left(Reason.INSTANCE), "c-001": Left(Reason.SETTINGS)}
    compared: dict[str, tuple[Compared, ...]] = {
        "a-001": (one_latency("a-001", 100, 101),),
        "a-002": (one_latency("a-002", 100, 103),),
    }
    outcome = Outcome(compared, left, refused)
    assert accuracy.counts(outcome) == (
        "4 rows, 3 of them valid. **2 of these are compared, 67 %**, and 1 refused."
    )
    [line] = [
        line
        for line in accuracy.summary(list(rows.values()), outcome).splitlines()
        if line.startswith("| mean latency, below it")
    ]
    cells = line.strip("| ").split(" | ")
    # Of 1 and 3 % the median is 2 %; of 1, 3 and 100 % it is 3 %.
    assert cells[2:4] == ["2", "2.0 %"]
    assert cells[-3:] == ["1", "3.0 %", "100.0 %"]


def test_a_source_is_predicted_from_all_others() -> None:
    rows = rows_of(a_001="gp3", a_002="gp3", b_001="gp3", c_001="gp3", d_001="gp2")
    # Measured over predicted: a 2 and 2, b 1, c 4, and d alone has its type.
    found = errors_without(
        [
            one_latency("a-001", 200, 100),
            one_latency("a-002", 400, 200),
            one_latency("b-001", 100, 100),
            one_latency("c-001", 400, 100),
            one_latency("d-001", 300, 100),
        ],
        rows,
    )
    errors = {row: error for (row, _), error in found.items()}
    # The mean of b and c is 2, that of a (one vote) and c is the root of 8.
    assert errors == pytest.approx(
        {"a-001": 0.0, "a-002": 0.0, "b-001": 8**0.5 - 1, "c-001": 2**0.5 / 4 - 1}
    )


def test_intervals_of_medians_are_of_sources() -> None:
    alike = fair.Errors({name: [0.1] * 9 for name in "abc"})
    assert alike.interval() == pytest.approx((0.1, 0.1))
    assert fair.Errors({"a": [0.1] * 99, "b": [0.2]}).interval() is None
    # However many rows the one source has that is off, it may be drawn or not.
    mixed = fair.Errors({"a": [0.01], "b": [0.02], "c": [0.5] * 50})
    low, high = mixed.interval() or (0, 0)
    assert low < 0.05 < 0.4 < high


def test_rows_that_numbers_rest_on_are_in_sample() -> None:
    ours = in_sample(ROWS)
    # Named with others as `diskracer-017 and 018, 025 and 026`, by source, and by its flag.
    assert {"diskracer-026", "longhorn-010", "miz-020", "kx-006", "perc1808-013"} <= ours
    assert all(row.id in ours for row in ROWS if "fitted_before" in row.flags)
    assert "crlreport-002" not in ours


def test_rows_are_within_or_outside_what_their_balance_leaves_open() -> None:
    rows = rows_of(a_001="gp2", a_002="gp2", a_003="gp2", a_004="gp2")
    compared: dict[str, tuple[Compared, ...]] = {
        name: (one_latency(name, measured, 100, empty=empty),)
        for name, measured, empty in (
            ("a-001", 300, 500.0),
            ("a-002", 90, 500.0),
            ("a-003", 900, 500.0),
            # The balance changes nothing.
            ("a-004", 900, 100.5),
        )
    }
    [line] = bands.bands(list(rows.values()), Outcome(compared, {})).splitlines()[2:]
    assert line.strip("| ").split(" | ") == ["mean latency", "3", "2", "0", "1", "1", "0"]


def test_an_unknown_class_of_row_is_never_compared() -> None:
    with pytest.raises(ValueError, match="class"):
        Row.model_validate_json(
            json.dumps({"class": ["new"]} | {"id": "a-001", "source": "a", "date_basis": "log"})
        )
