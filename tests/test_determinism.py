"""Same scenario, same seed: the same bytes, alone or beside others."""

from pathlib import Path

import pyarrow.parquet as pq

from conftest import GP3, Blockyard


def test_alone_and_among_many_the_same(blockyard: Blockyard, tmp_path: Path) -> None:
    many = [f"many{number}.yaml" for number in range(4)]
    for number, file in enumerate(many):
        (tmp_path / file).write_text(GP3.replace("name: gp3", f"name: many{number}"))
    blockyard("simulate", "many0.yaml", "--out", "alone")
    blockyard("simulate", *many, "--out", "together")
    alone, together = tmp_path / "alone", tmp_path / "together/many0"
    for file in ("result.json", "scenario.yaml", "latency.hlog"):
        assert (alone / file).read_bytes() == (together / file).read_bytes(), file
    for file in ("intervals.parquet", "volumes.parquet"):
        assert pq.read_table(alone / file).equals(pq.read_table(together / file)), file


def test_another_seed_another_run(blockyard: Blockyard) -> None:
    first, second = (blockyard("simulate", "gp3.yaml", "--json", "--seed", n) for n in (1, 2))
    assert first.stdout != second.stdout
