"""Makes python/blockyard/result, the types of results, from their JSON Schema.

With `--check` nothing is written; a file that differs is an error. Types that only transactions,
only links and mirrors or only events have stand in a module each, those that several of these or
the rest have in another, and all others, with what `blockyard.result` offers, in `__init__`.
"""

import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from marked import settled

ROOT = Path(__file__).parents[1]
SCHEMA = ROOT / "schemas" / "result.schema.json"
TYPES = ROOT / "python" / "blockyard" / "result"
PACKAGE = "blockyard.result"
COMMAND = ".venv/bin/python scripts/result_types.py"

REST = "__init__"
SHARED = "shared"

# What the modules are about, and the types from which those of each are reached.
ABOUT = {
    SHARED: "What several parts of `result.json` have.",
    "transactions": "What `result.json` says of transactions.",
    "network": "What `result.json` says of links and mirrors.",
    "events": "What `result.json` says of events.",
    REST: "What stands in `result.json`.",
}
ROOTS = {
    "transactions": {"TransactionTotal"},
    "network": {"LinkTotal", "PacketCpu", "MirrorTotal", "JournalMirrorTotal"},
    "events": {"Event"},
}

HEAD = '''"""{about}

Made by scripts/result_types.py from schemas/result.schema.json, the schema of the Rust type
`RunResult`: docs/reference/results.md says what each key means.
"""

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
    if "words" in schema:
        yield f"{name} = {literal(schema['words'])}"
        return
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


def uses(schema: Schema) -> set[str]:
    """The names of the types, and of the words, that a type's keys have."""
    used: set[str] = set()

    def visit(value: object) -> None:
        if isinstance(value, dict):
            if "$ref" in value:
                used.add(value["$ref"].rpartition("/")[2])
            value = list(value.values())
        if isinstance(value, list):
            for part in value:
                visit(part)

    visit(schema)
    keys = schema.get("properties", {}).items()
    return used | {key.title() for key, value in keys if "enum" in value}


def reached(definitions: dict[str, Schema], roots: Iterable[str], without: set[str]) -> list[str]:
    """The types and words that `roots` need, each after those that it needs itself."""
    done: dict[str, None] = {}

    def visit(name: str) -> None:
        if name in done or name in without:
            return
        # All that a type needs has its place before it.
        for other in sorted(uses(definitions.get(name, {})), key=list(definitions).index):
            visit(other)
        done[name] = None

    for name in roots:
        visit(name)
    return list(done)


def by_module(definitions: dict[str, Schema]) -> dict[str, list[str]]:
    """The types and words of each module, each after those that it uses."""
    ends = set().union(*ROOTS.values())
    needs = {module: reached(definitions, sorted(roots), set()) for module, roots in ROOTS.items()}
    needs[REST] = reached(definitions, ["Result"], ends)
    times = Counter(name for names in needs.values() for name in names)
    shared = [name for name in reached(definitions, ["Result"], set()) if times[name] > 1]
    own = {module: [it for it in names if times[it] == 1] for module, names in needs.items()}
    return {SHARED: shared, **own}


def imports(module: str, names: Iterable[str]) -> str:
    """The line that imports some types of a module, as the formatter has it."""
    line = f"from {PACKAGE}.{module} import {', '.join(sorted(names))}"
    if len(line) <= WIDTH:
        return line
    lines = "".join(f"    {name},\n" for name in sorted(names))
    return f"from {PACKAGE}.{module} import (\n{lines})"


def texts(schema: Schema) -> dict[str, str]:
    """The modules' texts, by their names."""
    result = {key: value for key, value in schema.items() if key != "$defs"}
    definitions: dict[str, Schema] = {**schema["$defs"], "Result": result}
    for of in list(definitions.values()):
        for key, value in of.get("properties", {}).items():
            if "enum" in value:
                definitions[key.title()] = {"words": value["enum"]}
    modules = by_module(definitions)
    made: dict[str, str] = {}
    for module, names in modules.items():
        if not names:
            continue
        used = set().union(*(uses(definitions[name]) for name in names))
        # The package offers the types of all its modules.
        wanted = {
            other: set(theirs) if module == REST else used & set(theirs)
            for other, theirs in sorted(modules.items())
            if other != module
        }
        known = [imports(other, theirs) for other, theirs in wanted.items() if theirs]
        body = "\n\n\n".join("\n".join(definition(it, definitions[it])) for it in names)
        typing = [
            word
            for word in ("Literal", "NotRequired", "TypedDict")
            if re.search(rf"\b{word}\b", body)
        ]
        parts = [f"from typing import {', '.join(typing)}"]
        if known:
            parts.append("\n".join(known))
        if module == REST:
            offered = sorted(name for names in modules.values() for name in names)
            parts.append("__all__ = [\n" + "".join(f'    "{it}",\n' for it in offered) + "]")
        # A class stands two lines below what is imported, a plain name one.
        gap = "\n\n\n" if body.startswith("class") or module == REST else "\n\n"
        made[module] = HEAD.format(about=ABOUT[module]) + "\n\n".join(parts) + gap + body + "\n"
    return made


if __name__ == "__main__":
    fresh = texts(json.loads(SCHEMA.read_text()))
    stale = [
        module
        for module, text in fresh.items()
        if not settled(TYPES / f"{module}.py", text, COMMAND)
    ]
    sys.exit(bool(stale))
