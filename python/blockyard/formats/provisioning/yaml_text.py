"""CloudFormation templates as YAML, with functions in their short form."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import yaml


@dataclass(frozen=True)
class Call:
    """A function of the template in its short form, such as `!Ref InstanceId`."""

    name: str
    of: "str | Sequence[Node]"


Node = str | int | bool | Call | Mapping[str, "Node"] | Sequence["Node"]


class _Dumper(yaml.SafeDumper):
    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002
        """Items of a list stand deeper than its key."""
        super().increase_indent(flow, False)

    def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002
        """CloudFormation takes no aliases, so what stands twice is written twice."""
        return True


def _call(dumper: _Dumper, call: Call) -> yaml.Node:
    """A function; on one line, unless one of its arguments is a list."""
    if isinstance(call.of, str):
        return dumper.represent_scalar(f"!{call.name}", call.of)
    is_flat = not any(isinstance(of, list) for of in call.of)
    return dumper.represent_sequence(f"!{call.name}", call.of, flow_style=is_flat)


def _string(dumper: _Dumper, text: str) -> yaml.Node:
    """A string; one of several lines is written on one."""
    style = '"' if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style)


_Dumper.add_representer(Call, _call)
_Dumper.add_representer(str, _string)
# PyYAML quotes what YAML 1.1 reads as another type than a string; other readers have more of these.
_Dumper.add_implicit_resolver(
    "!other",
    re.compile(r"([yYnN]|0o[0-7]+|[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?)$"),
    list("yYnN+-.0123456789"),
)


def written(template: Mapping[str, Node]) -> str:
    """A template, its keys in the order in which they are."""
    return yaml.dump(template, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100)
