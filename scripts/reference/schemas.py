"""A JSON Schema as the lists of a reference page."""

import json
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

Schema = dict[str, Any]

# Keys are described once, at the top of the page, where that saves this many words.
WORTH = 12

# From this many shared keys on, a type refers to another.
SHARED = 3

# The section that names the types which the page leaves to the schema.
FURTHER = "Further types"


@dataclass(frozen=True)
class Key:
    """A key of a type, as the page describes it."""

    name: str
    kind: str
    about: str

    def line(self) -> str:
        """Its place in a list."""
        kind = f" ({self.kind})" if self.kind else ""
        return f"- `{self.name}`{kind}{self.about and f': {self.about}'}"


class Reference:
    """A schema as sections of a page, one for each type, and a list of plain values.

    A document that people write (`written`) has optional keys and defaults; one that the
    program writes has all its keys, some of them null, and the schema alone has plain types.
    Of `rare` types the page names the keys or values, and the schema describes them.
    """

    def __init__(self, schema: Schema, *, written: bool, rare: Collection[str] = ()) -> None:
        self.definitions: dict[str, Schema] = {schema["title"]: schema, **schema.get("$defs", {})}
        self.written = written
        self.rare = rare
        unknown = set(rare) - self.definitions.keys()
        if unknown:
            raise ValueError(f"not in the schema: {', '.join(sorted(unknown))}")
        times = Counter(key for part in self.parts() for key in self.keys(part))
        self.common = [
            key for key, count in times.items() if (count - 1) * len(key.line().split()) >= WORTH
        ]

    def parts(self) -> Iterator[Schema]:
        """All whose keys the page describes: types, and alternatives within types."""
        for title, definition in self.definitions.items():
            if title in self.rare:
                continue
            for part in [definition, *definition.get("oneOf", [])]:
                if "properties" in part:
                    yield part

    def text(self) -> str:
        """All sections."""
        sections = [self.section(title) for title in self.definitions if self.has_section(title)]
        if self.common:
            about = "Keys with the same meaning in several types."
            lines = [key.line() for key in self.common]
            sections.insert(1, "\n".join(["### Common keys", "", about, "", *lines]))
        used = set(self.used())
        if self.rare:
            about = "The schema has their keys and types."
            further = [title for title in self.definitions if self.is_further(title)]
            lines = [self.rare_line(title) for title in further if title in used]
            sections.append("\n".join([f"### {FURTHER}", "", about, "", *lines]))
        values = [self.value_line(title) for title in self.definitions if title in used]
        if any(values):
            sections.append("\n".join(["### Values", "", *filter(None, values)]))
        return "\n\n".join(sections)

    def used(self) -> Iterator[str]:
        """The types named by what the page describes."""
        for title, definition in self.definitions.items():
            if title not in self.rare:
                parts = ("properties", "oneOf", "anyOf")
                yield from references([definition.get(part) for part in parts])

    def is_value(self, title: str) -> bool:
        """Whether a type is written as plain text or a number."""
        definition = self.definitions[title]
        plain = definition.get("type") in ("string", "number")
        return plain or "const" in definition.get("oneOf", [{}])[0]

    def is_described(self, title: str) -> bool:
        """Whether a type's keys or choices stand on the page."""
        return not self.is_value(title) or "oneOf" in self.definitions[title]

    def is_either(self, title: str) -> bool:
        """Whether a type is plain text or another type, which is stated where it is used."""
        parts = self.definitions[title].get("anyOf", [])
        return any(part.get("type") == "string" for part in parts)

    def has_section(self, title: str) -> bool:
        """Whether a type has a section of its own."""
        plain = self.is_value(title) or self.is_either(title)
        return not plain and title not in self.rare

    def is_further(self, title: str) -> bool:
        """Whether the page only names a type's keys."""
        return title in self.rare and not self.is_value(title)

    def section(self, title: str) -> str:
        """A heading, the description, and the keys or the alternatives."""
        definition = self.definitions[title]
        lines = [f"### {title}", "", self.about(title), ""]
        for part in definition.get("oneOf", []):
            lines += [f"#### `kind: {part['properties']['kind']['const']}`", ""]
            lines += [flat(part["description"]), "", *self.list_of(part), ""]
        if "anyOf" in definition:
            lines.append(f"One of {', '.join(map(self.kind_of, definition['anyOf']))}.")
        if "properties" in definition:
            lines += self.list_of(definition)
        return "\n".join(lines).rstrip()

    def keys(self, part: Schema) -> list[Key]:
        """A type's keys."""
        required = part.get("required", [])
        keys = []
        for name, value in part["properties"].items():
            if "const" in value:
                continue
            kind = [self.kind_of(value)]
            if self.written:
                kind.append("required" if name in required else default_of(value))
            if (
                self.written
                and "default" in value
                and not any(map(self.is_described, references(value)))
            ):
                # Its default shows its form.
                kind = kind[1:]
            about = flat(value["description"])
            # What the type's own section says is not repeated.
            about = "" if about in map(self.about, references(value)) else about
            about = "" if in_words(about) == name else about
            keys.append(Key(name, ", ".join(filter(None, kind)), about))
        return keys

    def about(self, title: str) -> str:
        """The description of a type."""
        return flat(self.definitions[title].get("description", ""))

    def list_of(self, part: Schema) -> list[str]:
        """The list of a type's keys, without those that are described elsewhere."""
        keys = self.keys(part)
        lines = []
        for title, other in self.definitions.items():
            described = "properties" in other and title not in self.rare
            theirs = self.keys(other) if described else []
            if len(theirs) >= SHARED and set(theirs) < set(keys):
                lines += [f"All keys of {section_link(title)}, and:", ""]
                keys = [key for key in keys if key not in theirs]
        shared = [f"`{key.name}`" for key in keys if key in self.common]
        for key in keys:
            if key in self.common:
                continue
            bare = not key.kind and not key.about
            if bare and lines and lines[-1].endswith("`"):
                lines[-1] += f", `{key.name}`"
            else:
                lines.append(key.line())
        if shared:
            lines.append(f"- [Common](#common-keys): {', '.join(shared)}.")
        return lines

    def rare_line(self, title: str) -> str:
        """A type's line in the list of those that the schema describes.

        A sentence and, where people write them, its keys.
        """
        properties = self.definitions[title].get("properties", {}) if self.written else {}
        keys = ", ".join(f"`{name}`" for name in properties)
        about = self.about(title).partition(". ")[0].removesuffix(".")
        return f"- **{title}**: {about}.{keys and f' Keys: {keys}.'}"

    def value_line(self, title: str) -> str:
        """A plain value's line in the list of values; empty for other types."""
        definition = self.definitions[title]
        if not self.is_value(title):
            return ""
        choices: dict[str, list[str]] = {}
        for choice in definition.get("oneOf", []):
            choices.setdefault(flat(choice["description"]), []).append(f"`{choice['const']}`")
        if title in self.rare:
            return f"- **{title}**: {', '.join(chain(*choices.values()))}."
        meanings = [f"{', '.join(names)}: {about}" for about, names in choices.items()]
        return f"- **{title}**: {' '.join([self.about(title), *meanings])}"

    def kind_of(self, value: Schema) -> str:
        """The type of a value, in a word or two; empty for text."""
        if "$ref" in value:
            title = value["$ref"].rsplit("/", 1)[-1]
            if self.is_either(title):
                parts = self.definitions[title]["anyOf"]
                return " or ".join(self.kind_of(part) or "name" for part in parts)
            if self.is_further(title):
                return f"[{title}](#{FURTHER.lower().replace(' ', '-')})"
            return title if self.is_value(title) else section_link(title)
        if "anyOf" in value:
            found = dict.fromkeys(map(self.kind_of, value["anyOf"]))
            kinds = [kind for kind in found if kind and kind != "null"]
            return " or ".join(
                "list" if kind.removeprefix("list of ") in set(kinds) - {kind} else kind
                for kind in kinds
            )
        if "items" in value:
            return f"list of {self.kind_of(value['items'])}".removesuffix(" of ")
        if isinstance(value.get("additionalProperties"), dict):
            return f"map of {self.kind_of(value['additionalProperties'])}".removesuffix(" of ")
        if not self.written:
            return ""
        kinds = value.get("type", "any")
        return " or ".join(
            kind
            for kind in (kinds if isinstance(kinds, list) else [kinds])
            if kind not in ("null", "string")
        )


def section_link(title: str) -> str:
    """A link to a type's section."""
    return f"[{title}](#{title.lower()})"


def in_words(about: str) -> str:
    """A description such as `The mount options.` as the key `mount_options`."""
    words = about.lower().removesuffix(".").split()
    return "_".join(words[1:] if words[:1] and words[0] in ("a", "its", "the") else words)


def references(value: Any) -> Iterator[str]:
    """The types that a key's value may have."""
    if isinstance(value, dict):
        if "$ref" in value:
            yield value["$ref"].rsplit("/", 1)[-1]
        value = list(value.values())
    if isinstance(value, list):
        for part in value:
            yield from references(part)


def default_of(value: Schema) -> str:
    """A key's default as it would be written; empty if it has none."""
    return f"`{json.dumps(value['default'])}`".replace('"', "") if "default" in value else ""


def flat(text: str) -> str:
    """A description on one line."""
    return " ".join(text.split())
