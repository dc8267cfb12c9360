"""The four figures on top of a report."""

import blockyard
from blockyard.words.tiles import Tile, tiles

READS = {
    "kind": "access_spec",
    "on": "data",
    "file_size": "50GiB",
    "pattern": {"size": "16KiB", "read": "100%", "random": "100%"},
}


def scenario(volume: str, load: dict[str, object]) -> dict[str, object]:
    return {
        "name": "tiles",
        "duration": "5s",
        "storage": {"data": {"type": volume, "size": "100GiB"}},
        "workload": {"reads": {**READS, **load}},
    }


def of(asked: dict[str, object]) -> dict[str, Tile]:
    run = blockyard.simulate(asked, seeds=1)
    return {tile.label: tile for tile in tiles(run)}


def test_a_throttled_run_has_its_four_figures() -> None:
    found = of(scenario("gp3", {"processes": 64}))
    assert list(found) == ["Delivered", "p99", "Bottleneck", "Price"]
    assert found["Delivered"].value.endswith(" IOPS")
    assert found["p99"].note == "reads, read"
    assert found["Bottleneck"].value == "data IOPS"
    assert found["Bottleneck"].note.endswith("of reads' latency")
    assert found["Price"] == Tile("Price", "$8.00", "a month in us-east-1 (assumed)")


def test_without_a_bottleneck_it_says_for_how_long() -> None:
    free = of(scenario("gp3", {"rate": "1000/s"}))["Bottleneck"]
    assert (free.value, free.note) == ("none", "no limit reached")
    bursting = of(scenario("gp2", {"rate": "1000/s"}))["Bottleneck"]
    assert bursting.value == "none"
    assert bursting.note.startswith("for 2 h ")
    assert bursting.note.endswith(" more, on burst credits")


def test_an_engine_that_stopped_has_no_bottleneck() -> None:
    shop = {
        "kind": "oltp", "engine": "innodb", "on": "data", "data_size": "1GiB", "pool": "128MiB",
        "cores": 4, "threads": 4,
        "transactions": {"pay": {"pages": 20, "changes": 2, "log": "1KiB", "cpu": "1ms"}},
    }  # fmt: skip
    asked = {
        **scenario("gp3", {"processes": 1}),
        "workload": {"shop": shop},
        "events": [{"at": "2s", "fail": "data", "for": "1s"}],
    }
    found = of(asked)
    assert found["Delivered"].value.endswith(" TPS")
    assert found["Delivered"].note.startswith("shop; ")
    assert found["p99"].note == "shop, transactions"
    assert found["Bottleneck"].value == "none"
    assert found["Bottleneck"].note.startswith("the engine of shop stopped at 2 s: ")


def test_what_failed_is_not_hidden() -> None:
    asked = {**scenario("gp3", {"processes": 4}), "events": [{"at": "0s", "fail": "data"}]}
    found = of(asked)
    assert list(found) == ["Delivered", "Price"]
    assert found["Delivered"].value == "0 IOPS"
    assert found["Delivered"].note.endswith(" IOs failed")


def test_a_limit_is_no_bottleneck_where_most_failed() -> None:
    events = [{"at": "1s", "fail": "data", "for": "8s"}]
    found = of({**scenario("gp3", {"processes": 8}), "duration": "9s", "events": events})
    assert found["Bottleneck"].value == "data fails"
    assert found["Bottleneck"].note.endswith("% of IOs failed")
