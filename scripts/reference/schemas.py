"""A JSON Schema as the tables of a reference page."""

import json
from typing import Any

Schema = dict[str, Any]


class Reference:
    """A schema as sections of a page, one for each type, and a table of plain values.

    A document that people write (`written`) has optional keys and defaults; one that the
    program writes has all its keys, some of them null.
    """

    def __init__(self, schema: Schema, *, written: bool) -> None:
        self.definitions: dict[str, Schema] = {schema["title"]: schema, **schema.get("$defs", {})}
        self.written = written

    def text(self) -> str:
        """All sections."""
        sections = [self.section(title) for title in self.definitions if self.has_section(title)]
        values = [self.value_row(title) for title in self.definitions if self.is_value(title)]
        if values:
            head = ["### Values", "", "| value | as in | meaning |", "| --- | --- | --- |"]
            sections.append("\n".join([*head, *values]))
        return "\n\n".join(sections)

    def is_value(self, title: str) -> bool:
        """Whether a type is written as plain text."""
        definition = self.definitions[title]
        return definition.get("type") == "string" or "const" in definition.get("oneOf", [{}])[0]

    def is_either(self, title: str) -> bool:
        """Whether a type is plain text or another type, which is stated where it is used."""
        parts = self.definitions[title].get("anyOf", [])
        return any(part.get("type") == "string" for part in parts)

    def has_section(self, title: str) -> bool:
        """Whether a type has a section of its own."""
        return not self.is_value(title) and not self.is_either(title)

    def section(self, title: str) -> str:
        """A heading, the description, and the keys or the alternatives."""
        definition = self.definitions[title]
        lines = [f"### {title}", "", flat(definition.get("description", "")), ""]
        for part in definition.get("oneOf", []):
            lines += [f"#### `kind: {part['properties']['kind']['const']}`", ""]
            lines += [flat(part["description"]), "", *self.keys(part), ""]
        for part in definition.get("anyOf", []):
            lines.append(f"- {self.kind_of(part)}: {flat(part['description'])}")
        if "properties" in definition:
            lines += self.keys(definition)
        return "\n".join(lines).rstrip()

    def keys(self, part: Schema) -> list[str]:
        """The table of a type's keys."""
        head = (
            ["key", "value", "default", "meaning"] if self.written else ["key", "value", "meaning"]
        )
        lines = [f"| {' | '.join(head)} |", "| --- " * len(head) + "|"]
        required = part.get("required", [])
        for key, value in part["properties"].items():
            if "const" in value:
                continue
            cells = [f"`{key}`", self.kind_of(value), flat(value.get("description", ""))]
            if self.written:
                cells.insert(2, "required" if key in required else default_of(value))
            lines.append(f"| {' | '.join(cells)} |")
        return lines

    def value_row(self, title: str) -> str:
        """A plain value's line in the table of values."""
        definition = self.definitions[title]
        choices = definition.get("oneOf", [])
        examples = [choice["const"] for choice in choices] or definition.get("examples", [])
        meanings = [f"`{choice['const']}`: {flat(choice['description'])}" for choice in choices]
        meaning = " ".join([flat(definition["description"]), *meanings])
        return f"| {title} | {', '.join(f'`{example}`' for example in examples)} | {meaning} |"

    def kind_of(self, value: Schema) -> str:
        """The type of a value, in a word or two."""
        if "$ref" in value:
            title = value["$ref"].rsplit("/", 1)[-1]
            if self.is_either(title):
                return self.kind_of(self.definitions[title])
            return f"[{title}](#{'values' if self.is_value(title) else title.lower()})"
        if "anyOf" in value:
            return " or ".join(filter(None, map(self.kind_of, value["anyOf"])))
        if "items" in value:
            return f"list of {self.kind_of(value['items'])}"
        if isinstance(value.get("additionalProperties"), dict):
            return f"map of {self.kind_of(value['additionalProperties'])}"
        if "type" not in value:
            return "any"
        kinds = value["type"] if isinstance(value["type"], list) else [value["type"]]
        return " or ".join(kind for kind in kinds if kind != "null" or not self.written)


def default_of(value: Schema) -> str:
    """A key's default as it would be written; empty if it has none."""
    return f"`{json.dumps(value['default'])}`".replace('"', "") if "default" in value else ""


def flat(text: str) -> str:
    """A description on one line, safe in a table."""
    return " ".join(text.split()).replace("|", "\\|")
