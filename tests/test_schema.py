"""One schema for what Rust reads and writes, what is checked in, and what Python reads."""

import subprocess
import sys

import pytest

from conftest import ROOT, Blockyard


@pytest.mark.parametrize("document", ["scenario", "result"])
def test_the_checked_in_schema_is_the_types_schema(blockyard: Blockyard, document: str) -> None:
    schema = blockyard("schema", document).stdout
    file = ROOT / "schemas" / f"{document}.schema.json"
    assert file.read_text() == schema, f"run: blockyard schema {document} > {file.name}"


def test_the_types_of_results_are_made_from_their_schema() -> None:
    script = ROOT / "scripts" / "door_types.py"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
