"""One schema for what Rust reads and writes, what is checked in, and what Python reads."""

import subprocess
import sys

from conftest import ROOT, Blockyard


def test_the_command_prints_the_checked_in_schema(blockyard: Blockyard) -> None:
    for document in ("scenario", "what-if"):
        schema = blockyard("schema", document).stdout
        assert (ROOT / "schemas" / f"{document}.schema.json").read_text() == schema


def test_schemas_and_types_are_made_from_the_rust_types() -> None:
    script = ROOT / "scripts" / "door_types.py"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
