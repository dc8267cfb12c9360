"""One schema: what Rust reads and writes, what is checked in, what Python reads."""

import json
from typing import Any, is_typeddict

import pytest

import blockyard.result
from blockyard import _core
from conftest import ROOT, Blockyard


@pytest.mark.parametrize("document", ["scenario", "result"])
def test_the_checked_in_schema_is_the_types_schema(blockyard: Blockyard, document: str) -> None:
    schema = blockyard("schema", document).stdout
    file = ROOT / "schemas" / f"{document}.schema.json"
    assert file.read_text() == schema, f"run: blockyard schema {document} > {file.name}"


def test_python_reads_only_what_the_result_has() -> None:
    schema: dict[str, Any] = json.loads(_core.result_schema())
    types = [kind for kind in vars(blockyard.result).values() if is_typeddict(kind)]
    assert types
    for kind in types:
        described = schema if kind is blockyard.result.Result else schema["$defs"][kind.__name__]
        assert set(kind.__annotations__) <= set(described["properties"]), kind.__name__
