"""Makes types/result and types/bill of python/blockyard from the JSON Schemas of both.

With `--check` nothing is written; a file that differs is an error. Types that only transactions,
only links and mirrors or only events have stand in a module each, those that several of these or
the rest have in another, and all others, with what `blockyard.types.result` offers, in `__init__`.
"""

import json
import re
import sys
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from marked import settled

ROOT = Path(__file__).parents[1]
COMMAND = ".venv/bin/python scripts/result_types.py"

REST = "__init__"
SHARED = "shared"


@dataclass(frozen=True)
class Document:
    """What is described by a schema, and the package of its types."""

    name: str
    # Of the whole.
    rust: str
    python: str
    # What the package's modules are about, and the types from which those of each are reached.
    about: dict[str, str]
    roots: dict[str, set[str]]

    @property
    def schema(self) -> "Schema":
        """Its schema."""
        schema: Schema = json.loads((ROOT / "schemas" / f"{self.name}.schema.json").read_text())
        return schema

    @property
    def package(self) -> str:
        """The package's name."""
        return f"blockyard.types.{self.name}"


DOCUMENTS = (
    Document(
        name="result",
        rust="RunResult",
        python="Result",
        about={
            SHARED: "What several parts of `result.json` have.",
            "transactions": "What `result.json` says of transactions.",
            "network": "What `result.json` says of links and mirrors.",
            "events": "What `result.json` says of events.",
            REST: "What stands in `result.json`.",
        },
        roots={
            "transactions": {"TransactionTotal"},
            "network": {"LinkTotal", "PacketCpu", "MirrorTotal", "JournalMirrorTotal"},
            "events": {"Event"},
        },
    ),
    Document("bill", "Bill", "Bill", {REST: "What stands in a bill."}, {}),
)

HEAD = '''"""{about}

Made by scripts/result_types.py from schemas/{name}.schema.json, the schema of the Rust type
`{rust}`, which says what each key means.
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
    yield from docstring(about)
    yield ""
    always = set(schema["required"]) - LACKING.get(name, set())
    for key, value in schema["properties"].items():
        of = kind(key, value)
        yield f"    {key}: {of if key in always else f'NotRequired[{of}]'}"


def docstring(about: str) -> Iterator[str]:
    """A class's docstring, line by line: if it is long, its first part alone before the rest."""
    line = f'    """{about}"""'
    if len(line) <= WIDTH:
        yield line
        return
    summary, rest = re.split(r"[.;] ", about, maxsplit=1)
    yield f'    """{summary}.'
    yield ""
    indent = " " * 4
    capital = rest[0].upper() + rest[1:]
    yield from textwrap.wrap(capital, WIDTH, initial_indent=indent, subsequent_indent=indent)
    yield '    """'


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


def by_module(document: Document, definitions: dict[str, Schema]) -> dict[str, list[str]]:
    """The types and words of each module, each after those that it uses."""
    roots, whole = document.roots, [document.python]
    ends = {name for names in roots.values() for name in names}
    needs = {module: reached(definitions, sorted(names), set()) for module, names in roots.items()}
    needs[REST] = reached(definitions, whole, ends)
    times = Counter(name for names in needs.values() for name in names)
    shared = [name for name in reached(definitions, whole, set()) if times[name] > 1]
    own = {module: [it for it in names if times[it] == 1] for module, names in needs.items()}
    return {SHARED: shared, **own}


def imports(module: str, names: Iterable[str]) -> str:
    """The line that imports some types of a module, as the formatter has it."""
    line = f"from {module} import {', '.join(sorted(names))}"
    if len(line) <= WIDTH:
        return line
    lines = "".join(f"    {name},\n" for name in sorted(names))
    return f"from {module} import (\n{lines})"


def texts(document: Document) -> dict[str, str]:
    """The modules' texts, by their names."""
    schema = document.schema
    whole = {key: value for key, value in schema.items() if key != "$defs"}
    definitions: dict[str, Schema] = {**schema["$defs"], document.python: whole}
    for of in list(definitions.values()):
        for key, value in of.get("properties", {}).items():
            if "enum" in value:
                definitions[key.title()] = {"words": value["enum"]}
    modules = by_module(document, definitions)
    return {
        module: text(document, module, modules, definitions)
        for module, names in modules.items()
        if names
    }


def text(
    document: Document,
    module: str,
    modules: dict[str, list[str]],
    definitions: dict[str, Schema],
) -> str:
    """A module's text."""
    names = modules[module]
    used = set().union(*(uses(definitions[name]) for name in names))
    # The package offers the types of all its modules.
    wanted = {
        f"{document.package}.{other}": set(theirs) if module == REST else used & set(theirs)
        for other, theirs in sorted(modules.items())
        if other != module
    }
    known = [imports(other, theirs) for other, theirs in wanted.items() if theirs]
    body = "\n\n\n".join("\n".join(definition(it, definitions[it])) for it in names)
    typing = [
        word for word in ("Literal", "NotRequired", "TypedDict") if re.search(rf"\b{word}\b", body)
    ]
    parts = [f"from typing import {', '.join(typing)}"]
    if known:
        parts.append("\n".join(known))
    if module == REST and known:
        offered = sorted(name for names in modules.values() for name in names)
        parts.append("__all__ = [\n" + "".join(f'    "{it}",\n' for it in offered) + "]")
    # A class stands two lines below what is imported, a plain name one.
    is_class = body.startswith("class") or parts[-1].startswith("__all__")
    gap = "\n\n\n" if is_class else "\n\n"
    head = HEAD.format(about=document.about[module], name=document.name, rust=document.rust)
    return head + "\n\n".join(parts) + gap + body + "\n"


def stale(document: Document) -> list[Path]:
    """The files of a document's types that are not as they should be."""
    modules = texts(document)
    # One module alone needs no package.
    folder = ROOT / "python" / "blockyard" / "types"
    files = (
        {folder / document.name / f"{name}.py": text for name, text in modules.items()}
        if len(modules) > 1
        else {folder / f"{document.name}.py": text for text in modules.values()}
    )
    return [path for path, text in files.items() if not settled(path, text, COMMAND)]


if __name__ == "__main__":
    left = [path for document in DOCUMENTS for path in stale(document)]
    sys.exit(bool(left))
