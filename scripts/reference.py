"""Writes docs/reference/scenario.md and docs/reference/result.md from the JSON Schemas.

With `--check` nothing is written; a page that differs is an error.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent

INTRO = {
    "scenario": "Every key of a scenario, from `schemas/scenario.schema.json`. For completion in "
    "an editor, begin a file with\n`# yaml-language-server: $schema=PATH/TO/scenario.schema.json`.",
    "result": "Every field of `result.json`, from `schemas/result.schema.json`. "
    "[Results](results.md) explains the\nwhole run directory.",
}

Schema = dict[str, Any]


def page(name: str, schema: Schema) -> str:
    """The whole page of a schema."""
    definitions = {schema["title"]: schema, **schema.get("$defs", {})}
    sections = [section(title, definition) for title, definition in definitions.items()]
    heading = f"# {name.capitalize()} reference\n\n{INTRO[name]}\n"
    note = "<!-- Written by scripts/reference.py. -->\n"
    return "\n".join([note, heading, *(part for part in sections if part)])


def section(title: str, definition: Schema) -> str:
    """A heading, the description and a table of the keys; nothing for plain texts."""
    parts = [part for part in objects(definition) if part.get("properties")]
    if not parts:
        return ""
    lines = [f"## {title}", "", flat(definition.get("description", "")), ""]
    for part in parts:
        kind = part["properties"].get("kind", {}).get("const")
        if kind:
            lines += [f"### `kind: {kind}`", "", flat(part.get("description", "")), ""]
        lines += ["| key | value | default | meaning |", "| --- | --- | --- | --- |"]
        required = part.get("required", [])
        for key, value in part["properties"].items():
            if "const" not in value:
                lines.append(row(key, value, required=key in required))
        lines.append("")
    return "\n".join(lines)


def objects(definition: Schema) -> Iterator[Schema]:
    """The definition itself, or its alternatives."""
    if "oneOf" in definition:
        yield from definition["oneOf"]
    elif "anyOf" not in definition:
        yield definition


def row(key: str, value: Schema, *, required: bool) -> str:
    """A key's line in the table."""
    default = "required" if required else ""
    if "default" in value:
        default = f"`{json.dumps(value['default'])}`".replace('"', "")
    meaning = flat(value.get("description", ""))
    return f"| `{key}` | {kind_of(value)} | {default} | {meaning} |"


def kind_of(value: Schema) -> str:
    """What a value is, in a word or two."""
    if "$ref" in value:
        return str(value["$ref"].rsplit("/", 1)[-1])
    if "anyOf" in value:
        return " or ".join(kind_of(part) for part in value["anyOf"] if part.get("type") != "null")
    if "items" in value:
        return f"list of {kind_of(value['items'])}"
    if isinstance(value.get("additionalProperties"), dict):
        return f"names to {kind_of(value['additionalProperties'])}"
    kinds = value.get("type", "any")
    kinds = kinds if isinstance(kinds, list) else [kinds]
    return " or ".join(kind for kind in kinds if kind != "null")


def flat(text: str) -> str:
    """A description on one line, safe in a table."""
    return " ".join(text.split()).replace("|", "\\|")


def main() -> int:
    """Writes, or compares, both pages."""
    stale = False
    for name in INTRO:
        schema = json.loads((ROOT / "schemas" / f"{name}.schema.json").read_text())
        target = ROOT / "docs" / "reference" / f"{name}.md"
        text = page(name, schema)
        if "--check" not in sys.argv[1:]:
            target.write_text(text)
        elif not target.exists() or target.read_text() != text:
            print(f"drift: {target} is stale; run: python scripts/reference.py", file=sys.stderr)
            stale = True
    return int(stale)


if __name__ == "__main__":
    sys.exit(main())
