"""Try what changes of a layout would bring: `crates/capacity` tries them."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, cast

from blockyard._core import Scenario
from blockyard._core import what_if as attempt
from blockyard.questions.arguments import Asked, Place, file_of, in_python_words
from blockyard.questions.capacity import MOST_IOS, nothing
from blockyard.runs import billing
from blockyard.runs.billing import Term
from blockyard.runs.observer import Tried
from blockyard.types.what_if import Alternatives

if TYPE_CHECKING:
    from blockyard.formats.foreign.reading import Reading


@in_python_words
def what_if(
    scenario: Asked,
    sets: Mapping[str, object] | None = None,
    *,
    workload: Place | None = None,
    reading: "Reading | None" = None,
    places: Mapping[str, str] | None = None,
    job: str | None = None,
    sustained: bool = False,
    vcpu: int | None = None,
    memory: str | None = None,
    region: str | None = None,
    term: Term = "on-demand",
    price_file: Place | None = None,
    most_ios: int = MOST_IOS,
) -> Alternatives:
    """Try what changes of a layout would bring or save: IOPS, throughput, size, type, instance.

    Each change is simulated by itself, then two and three of the best together. Gains of all jobs
    count, or those of `job` alone; losses and goals of all count in either case. An instance has
    at least `vcpu` vCPUs and `memory`, such as `64GiB`, where these are given. It costs what the
    prices of `region` or of `price_file` say, with instances paid for by `term`. `sustained` is as
    for `capacity`, `scenario` and `sets` are as for `simulate`, and so is what is raised.

    `workload` is a file of iostat, sar and others, or a run directory, whose load over time takes
    the place of the scenario's; `reading` has what such a file does not say, and `places` for each
    of several devices the one of the file that its load is from.

        >>> found = blockyard.what_if("scenarios/examples/gp3.yaml", {"duration": "30s"})
        >>> [change["worth"] for change in found["changes"]][:2]
        ['pays', 'pays']
    """
    file = file_of(scenario, sets)
    if workload is None:
        loaded = file.scenario()
    else:
        from blockyard.questions.observed_load import under

        loaded = under(workload, file, most_ios, reading, places).scenario
    return find(
        loaded,
        nothing,
        job=job,
        sustained=sustained,
        vcpu=vcpu,
        memory=memory,
        region=region,
        term=term,
        price_file=price_file,
        most_ios=most_ios,
    )


def find(
    scenario: Scenario,
    tried: Tried,
    *,
    job: str | None = None,
    sustained: bool = False,
    vcpu: int | None = None,
    memory: str | None = None,
    region: str | None = None,
    term: str | None = None,
    price_file: str | Path | None = None,
    most_ios: int = MOST_IOS,
) -> Alternatives:
    """Try changes; `price_file` has prices of the user's own.

    With `sustained` burst balances and tokens are used up before the start.
    """
    prices = billing.prices(price_file)
    text = attempt(
        scenario,
        tried,
        job=job,
        sustained=sustained,
        vcpu=vcpu,
        memory=memory,
        region=region,
        term=term,
        prices=prices,
        most_ios=most_ios,
    )
    return cast(Alternatives, json.loads(text))
