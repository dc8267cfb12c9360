"""Makes python/blockyard/result.py and bill.py, types of results and bills, from JSON Schemas.

With `--check` nothing is written; a file that differs is an error.
"""

import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from marked import settled

ROOT = Path(__file__).parents[1]
COMMAND = ".venv/bin/python scripts/result_types.py"

HEAD = '''"""{about}

Made by scripts/result_types.py from schemas/{name}.schema.json, the schema of the Rust type
`{rust}`: docs/reference/results.md says what each key means.
"""

from typing import {imported}

'''

# Most columns of a line.
WIDTH = 100

# Runs read from other programs' files have results too: with these modes, and without these
# keys.
MORE_WORDS = {"Mode": ["fio", "iostat", "yaspe"]}
LACKING = {
    "Result": {"schema", "tool", "random"},
    "Cycle": {"blocks", "wij_bytes", "database_ios", "database_bytes"},
}

PLAIN = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "null": "None",
}

Schema = dict[str, Any]


def kind(key: str, schema: Schema) -> str:
    """The Python type of a key's value."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "enum" in schema:
        return key.title()
    if "anyOf" in schema:
        return " | ".join(kind(key, choice) for choice in schema["anyOf"])
    if isinstance(schema["type"], list):
        return " | ".join(PLAIN[name] for name in schema["type"])
    if schema["type"] == "array":
        return f"list[{kind(key, schema['items'])}]"
    if schema["type"] == "object":
        return f"dict[str, {kind(key, schema['additionalProperties'])}]"
    return PLAIN[schema["type"]]


def literal(words: Iterable[str]) -> str:
    """One of some words."""
    return f"Literal[{', '.join(json.dumps(word) for word in words)}]"


def definition(name: str, schema: Schema) -> Iterator[str]:
    """A type, line by line."""
    about = " ".join(schema["description"].split())
    if "oneOf" in schema:
        words = [choice["const"] for choice in schema["oneOf"]]
        yield f"# {about}"
        line = f"{name} = {literal([*words, *MORE_WORDS.get(name, [])])}"
        # As the formatter has it.
        before, _, choices = line.removesuffix("]").partition("[")
        if len(line) > WIDTH and len(choices) > WIDTH - 4:
            choices = choices.replace(", ", ",\n    ") + ","
        yield line if len(line) <= WIDTH else f"{before}[\n    {choices}\n]"
        return
    yield f"class {name}(TypedDict):"
    yield f'    """{about}"""'
    yield ""
    always = set(schema["required"]) - LACKING.get(name, set())
    for key, value in schema["properties"].items():
        of = kind(key, value)
        yield f"    {key}: {of if key in always else f'NotRequired[{of}]'}"


def rising(definitions: dict[str, Schema]) -> Iterator[str]:
    """The names of types, each after those that it uses."""
    done: set[str] = set()

    def visit(name: str) -> Iterator[str]:
        if name in done:
            return
        done.add(name)
        refers = json.dumps(definitions[name])
        for other in definitions:
            if f'"#/$defs/{other}"' in refers:
                yield from visit(other)
        yield name

    for name in definitions:
        yield from visit(name)


@dataclass(frozen=True)
class Module:
    """A module of types: its name and that of its schema, and what stands in its first lines."""

    name: str
    # Of the whole document.
    python: str
    rust: str
    about: str

    def text(self) -> str:
        """The module's text."""
        schema = json.loads((ROOT / "schemas" / f"{self.name}.schema.json").read_text())
        definitions = {**schema["$defs"], self.python: schema}
        words = {
            key.title(): literal(value["enum"])
            for of in definitions.values()
            for key, value in of.get("properties", {}).items()
            if "enum" in value
        }
        parts = ["\n".join(f"{name} = {of}" for name, of in words.items())] if words else []
        parts += ["\n".join(definition(name, definitions[name])) for name in rising(definitions)]
        body = "\n\n\n".join(parts) + "\n"
        imported = [name for name in ("Literal", "NotRequired", "TypedDict") if f"{name}" in body]
        head = HEAD.format(
            about=self.about, name=self.name, rust=self.rust, imported=", ".join(imported)
        )
        return head + body

    def settled(self) -> bool:
        """Whether the module is as it should be, or now is."""
        path = ROOT / "python" / "blockyard" / f"{self.name}.py"
        return settled(path, self.text(), COMMAND)


MODULES = (
    Module("result", "Result", "RunResult", "What stands in `result.json`."),
    Module("bill", "Bill", "Bill", "What stands in a bill."),
)


if __name__ == "__main__":
    sys.exit(not all([module.settled() for module in MODULES]))
