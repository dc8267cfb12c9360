"""Makes schemas/ from the Rust types, and python/blockyard/types from these schemas.

With `--check` nothing is written; a file that differs is an error. A document with many types is a
package: types that only some parts of it have stand in a module each, those that several parts
have in `shared`, and all others, with what the package offers, in `__init__`.
"""

import json
import keyword
import re
import subprocess
import sys
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from blockyard import _core
from door_documents import DOCUMENTS, READ, REST, SHARED, Document, Schema
from marked import settled

ROOT = Path(__file__).parents[1]
COMMAND = ".venv/bin/python scripts/door_types.py"

# How a module says where it comes from.
MADE = (
    "Made by scripts/door_types.py from schemas/{name}.schema.json, the schema of the Rust type "
    "`{rust}`, which says what each key means."
)

# Most columns of a line.
WIDTH = 100

# Runs read from other programs' files have results too: with these modes, and without these
# keys.
MORE_WORDS = {
    "Mode": [
        *(
            "fio",
            "iostat",
            "yaspe",
            "sar",
            "diskstats",
            "prometheus",
            "cloudwatch",
            "systemperformance",
        ),
        *("pgbench", "sysbench"),
    ]
}
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


def kind(key: str, schema: Schema) -> str:
    """The Python type of a key's value."""
    if "$ref" in schema:
        return named(schema["$ref"])
    if "const" in schema:
        return literal([schema["const"]])
    if "oneOf" in schema:
        return literal(choice["const"] for choice in schema["oneOf"])
    if "enum" in schema:
        return key.title()
    if not schema.keys() - {"description"}:
        return "Any"
    if "anyOf" in schema:
        return " | ".join(kind(key, choice) for choice in schema["anyOf"])
    if isinstance(schema["type"], list):
        return " | ".join(kind(key, {**schema, "type": name}) for name in schema["type"])
    if schema["type"] in PLAIN:
        return PLAIN[schema["type"]]
    if "prefixItems" in schema:
        return f"tuple[{', '.join(kind(key, part) for part in schema['prefixItems'])}]"
    if schema["type"] == "array":
        return f"list[{kind(key, schema['items'])}]"
    return f"dict[str, {kind(key, schema['additionalProperties'])}]"


def named(ref: str) -> str:
    """The name of the type that a schema refers to, in its own document or in another."""
    file, _, place = ref.partition("#")
    if place:
        return place.rpartition("/")[2]
    return next(document.python for document in DOCUMENTS if document.file == file)


def literal(words: Iterable[str]) -> str:
    """One of some words."""
    return f"Literal[{', '.join(json.dumps(word) for word in words)}]"


def definition(name: str, schema: Schema) -> Iterator[str]:
    """A type, line by line."""
    if "words" in schema:
        yield f"{name} = {literal(schema['words'])}"
        return
    about = " ".join(schema.get("description", "").split())
    if "oneOf" in schema:
        words = [choice["const"] for choice in schema["oneOf"]]
        yield from comment(about)
        yield f"{name} = {literal([*words, *MORE_WORDS.get(name, [])])}"
        return
    if "anyOf" in schema or schema.get("type", "object") != "object":
        yield from comment(about)
        yield f"{name} = {kind(name, schema)}"
        return
    always = set(schema.get("required", [])) - LACKING.get(name, set())
    keys = {
        key: kind(key, value) if key in always else f"NotRequired[{kind(key, value)}]"
        for key, value in schema.get("properties", {}).items()
    }
    if any(keyword.iskeyword(key) for key in keys):
        yield from comment(about)
        # A class has no such attribute.
        fields = ", ".join(f"{json.dumps(key)}: {of}" for key, of in keys.items())
        yield f"{name} = TypedDict({json.dumps(name)}, {{{fields}}})"
        return
    yield f"class {name}({named(schema['$ref']) if '$ref' in schema else 'TypedDict'}):"
    yield from docstring(about)
    yield ""
    # It is not known yet where it stands itself.
    for key, of in keys.items():
        yield f"    {key}: " + re.sub(rf"\b{name}\b", f'"{name}"', of)


def comment(about: str) -> Iterator[str]:
    """What stands above a plain name, line by line."""
    yield from textwrap.wrap(about, WIDTH, initial_indent="# ", subsequent_indent="# ")


def docstring(about: str) -> Iterator[str]:
    """A class's docstring, line by line: if it is long, its first part alone before the rest."""
    line = f'    """{about}"""'
    if len(line) <= WIDTH:
        yield line
        return
    summary, rest = re.split(r"[.;:] ", about, maxsplit=1)
    yield f'    """{summary}.'
    yield ""
    indent = " " * 4
    capital = rest[0].upper() + rest[1:]
    yield from textwrap.wrap(capital, WIDTH, initial_indent=indent, subsequent_indent=indent)
    yield '    """'


def refs(schema: object) -> Iterator[str]:
    """What is referred to in a schema."""
    if isinstance(schema, dict):
        if "$ref" in schema:
            yield schema["$ref"]
        schema = list(schema.values())
    if isinstance(schema, list):
        for part in schema:
            yield from refs(part)


def uses(schema: Schema) -> set[str]:
    """The names of the types of the same document, and of the words, that a type's keys have."""
    used = {named(ref) for ref in refs(schema) if ref.startswith("#")}
    keys = schema.get("properties", {}).items()
    return used | {key.title() for key, value in keys if "enum" in value}


def types_of(document: Document) -> dict[str, Schema]:
    """A document's types by their names, the variants of unions and words among them."""
    schema = document.schema
    whole = {key: value for key, value in schema.items() if key != "$defs"}
    found: dict[str, Schema] = {}
    for name, of in {**schema.get("$defs", {}), document.python: whole}.items():
        for type_name, one in union(name, of):
            if type_name in found:
                raise ValueError(f"{document.file}: two types are called {type_name}")
            found[type_name] = one
    for of in list(found.values()):
        for key, value in of.get("properties", {}).items():
            if "enum" in value:
                found[key.title()] = {"words": value["enum"]}
    return found


def union(name: str, schema: Schema) -> Iterator[tuple[str, Schema]]:
    """A type, after its variants if it is a union of some: those with a tag alone are one."""
    variants: list[Schema] = schema.get("oneOf") or schema.get("anyOf") or []
    if not all("properties" in variant for variant in variants) or not variants:
        yield name, schema
        return
    tags = [tag(variant) for variant in variants]
    if None in tags:
        # One of several keys, or groups of keys.
        keys = {key: value for one in variants for key, value in one["properties"].items()}
        yield name, {"description": schema["description"], "properties": keys, "required": []}
        return
    plain = [
        (key, word)
        for variant, (key, word) in zip(variants, filter(None, tags), strict=True)
        if len(variant["properties"]) == 1 and "$ref" not in variant
    ]
    names: dict[str, None] = {}
    for variant, (key, word) in zip(variants, filter(None, tags), strict=True):
        if len(plain) > 1 and (key, word) in plain:
            if f"Other{name}" not in names:
                names[f"Other{name}"] = None
                words = {key: {"oneOf": [{"const": word} for _, word in plain]}}
                about = {"description": f"{schema['description'].rstrip('.')}, and has no figures."}
                yield f"Other{name}", {**about, "properties": words, "required": [key]}
            continue
        own = "".join(part.title() for part in word.split("_")) + name
        names[own] = None
        yield own, variant
    choices = [{"$ref": f"#/$defs/{own}"} for own in names]
    yield name, {"description": schema["description"], "anyOf": choices}


def tag(variant: Schema) -> tuple[str, str] | None:
    """The key that tells a variant of a union, and its word there."""
    keys = variant["properties"].items()
    return next(((key, value["const"]) for key, value in keys if "const" in value), None)


def reached(definitions: dict[str, Schema], roots: Iterable[str], without: set[str]) -> list[str]:
    """The types and words that `roots` need, each after those that it needs itself."""
    done: dict[str, None] = {}

    def visit(name: str) -> None:
        if name in done or name in without:
            return
        # All that a type needs has its place before it.
        for other in sorted(uses(definitions.get(name, {})) - {name}, key=list(definitions).index):
            visit(other)
        done[name] = None

    for name in roots:
        visit(name)
    return list(done)


def by_module(document: Document, definitions: dict[str, Schema]) -> dict[str, list[str]]:
    """The types and words of each module, each after those that it uses."""
    roots = {module: names for module, (_, names) in document.parts.items()}
    whole = [document.python]
    ends = {name for names in roots.values() for name in names}
    needs = {module: reached(definitions, sorted(names), set()) for module, names in roots.items()}
    needs[REST] = reached(definitions, whole, ends)
    times = Counter(name for names in needs.values() for name in names)
    shared = [name for name in reached(definitions, whole, set()) if times[name] > 1]
    own = {module: [it for it in names if times[it] == 1] for module, names in needs.items()}
    return {SHARED: shared, **own}


def texts(document: Document) -> dict[str, str]:
    """The modules' texts, by their names."""
    definitions = types_of(document)
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
        for other, theirs in modules.items()
        if other != module
    }
    for ref in refs([definitions[name] for name in names]):
        if not ref.startswith("#"):
            owner = next(other for other in DOCUMENTS if ref.startswith(other.file))
            wanted.setdefault(owner.package, set()).add(named(ref))
    known = [
        f"from {other} import {', '.join(sorted(theirs, key=str.lower))}"
        for other, theirs in sorted(wanted.items())
        if theirs
    ]
    body = "\n\n\n".join("\n".join(definition(it, definitions[it])) for it in names)
    typing = [
        word
        for word in ("Any", "Literal", "NotRequired", "TypedDict")
        if re.search(rf"\b{word}\b", body)
    ]
    parts = [f"from typing import {', '.join(typing)}"]
    if known:
        parts.append("\n".join(known))
    if module == REST and len([own for own in modules.values() if own]) > 1:
        offered = sorted(name for names in modules.values() for name in names)
        parts.append(f"__all__ = {json.dumps(offered)}")
    made = textwrap.fill(MADE.format(name=document.name, rust=document.rust), WIDTH)
    head = f'"""{document.about_of(module)}\n\n{made}\n"""\n\n'
    return formatted(head + "\n\n".join([*parts, body]) + "\n")


def formatted(module: str) -> str:
    """A module's text as the formatter has it."""
    command = [sys.executable, "-m", "ruff", "format", "--stdin-filename", "module.py", "-"]
    done = subprocess.run(  # noqa: S603
        command, cwd=ROOT, input=module, capture_output=True, text=True, check=True
    )
    return done.stdout


def stale(document: Document) -> list[Path]:
    """The files of a document's types that are not as they should be."""
    modules = texts(document)
    # One module alone needs no package.
    folder = ROOT / "python" / "blockyard" / "types"
    files = (
        {folder / document.module / f"{name}.py": text for name, text in modules.items()}
        if len(modules) > 1
        else {folder / f"{document.module}.py": text for text in modules.values()}
    )
    return [path for path, text in files.items() if not settled(path, text, COMMAND)]


if __name__ == "__main__":
    names = [*READ, *(document.name for document in DOCUMENTS)]
    whole = [
        settled(ROOT / "schemas" / f"{name}.schema.json", _core.schema(name), COMMAND)
        for name in names
    ]
    left = [path for document in DOCUMENTS for path in stale(document)]
    sys.exit(bool(left) or not all(whole))
