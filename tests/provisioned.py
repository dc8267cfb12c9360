"""What `blockyard provision` wrote, read back by parsers of others."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import hcl2
import yaml

import blockyard

Json = Any


def resolved(scenario: Path | Mapping[str, object]) -> Json:
    """The layout as the resolver gives it."""
    if isinstance(scenario, Mapping):
        text = json.dumps(scenario, ensure_ascii=False)
    else:
        text = scenario.read_text()
    return json.loads(blockyard.Scenario.load(text, "s.yaml", []).layout())


def bare(of: Json) -> Json:
    """What python-hcl2 read, with strings as the strings that they are."""
    if isinstance(of, dict):
        return {bare(key): bare(value) for key, value in of.items() if key != "__is_block__"}
    if isinstance(of, list):
        return [bare(item) for item in of]
    if isinstance(of, str) and of.startswith('"'):
        # Of HCL's escapes JSON lacks one.
        return json.loads(re.sub(r"\\U(\w{8})", lambda code: chr(int(code[1], 16)), of))
    return of


def parsed(text: str) -> tuple[Json, Json]:
    """The locals of a Terraform configuration, and its resources by type."""
    tree = bare(hcl2.loads(text))
    resources = {
        kind if name == "this" else f"{kind}.{name}": body
        for it in tree["resource"]
        for kind, named in it.items()
        for name, body in named.items()
    }
    return {name: of for block in tree["locals"] for name, of in block.items()}, resources


class _Template(yaml.SafeLoader):
    """Reads short forms of functions as pairs of their name and arguments."""


def _function(loader: yaml.SafeLoader, name: str, node: yaml.Node) -> Json:
    if isinstance(node, yaml.SequenceNode):
        return (name, loader.construct_sequence(node, deep=True))
    assert isinstance(node, yaml.ScalarNode)
    return (name, loader.construct_scalar(node))


_Template.add_multi_constructor("!", _function)


def template(text: str) -> Json:
    return yaml.load(text, _Template)  # noqa: S506 - a SafeLoader with the functions


def tags(properties: Json) -> dict[str, str]:
    return {tag["Key"]: tag["Value"] for tag in properties["Tags"]}
