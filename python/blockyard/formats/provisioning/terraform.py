"""Terraform: the volumes of a layout, attached to instances that exist or are made with them."""

from blockyard import _core
from blockyard.formats.provisioning.layout import Layout


def written(layout: Layout, host: str | None, *, with_instance: bool) -> str:
    """Write the configuration, for one host or for all, and `with_instance` these themselves.

    Raises ScenarioError if there is nothing to buy, or not all of it in one region.
    """
    return _core.terraform(layout.scenario, layout.file, host, with_instance=with_instance)
