"""Write what sets up the storage of a scenario."""

import warnings
from collections.abc import Mapping

from blockyard._core import Scenario
from blockyard.questions.arguments import Asked, file_of, in_python_words


@in_python_words
def provision(
    layout: Scenario | Asked,
    form: str,
    sets: Mapping[str, object] | None = None,
    *,
    host: str | None = None,
    mounts: str | None = None,
    with_instance: bool = False,
    old: Scenario | Asked | None = None,
) -> str:
    """Write what sets up the storage of a scenario, as text.

    `form` is `terraform` or `cloudformation`, which buy and attach volumes, `lvm`, a script that
    makes file systems of a host's volumes, `iris`, the settings of its database server, or
    `migration`, a script that changes the volumes of the layout `old` into this one's. For
    the last three `host` says which of the scenario's hosts, if there are several, and `mounts`
    where file systems are mounted, `/mnt` by default. `with_instance` makes the first two create
    the instances as well, rather than take ones that exist. The rest is as for `simulate`.

    Raises ScenarioError for what is wrong with the scenario, and for what the format has no form
    for. What it leaves out is a warning.

        >>> text = blockyard.provision("scenarios/examples/gp3.yaml", "terraform")
        >>> 'resource "aws_ebs_volume"' in text
        True
    """
    from blockyard.formats.provisioning import provisioned

    scenario, file = _loaded(layout, sets)
    made = provisioned(
        scenario,
        file,
        form,
        host=host,
        mounts=mounts,
        with_instance=with_instance,
        old=None if old is None else _loaded(old, None),
    )
    for notice in made.notices:
        warnings.warn(notice, stacklevel=2)
    return made.text


def _loaded(layout: Scenario | Asked, sets: Mapping[str, object] | None) -> tuple[Scenario, str]:
    """A scenario, and what errors call its file."""
    if isinstance(layout, Scenario):
        return layout, layout.name
    asked = file_of(layout, sets)
    return asked.scenario(), asked.name
