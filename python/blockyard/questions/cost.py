"""What the storage and the hosts of a scenario or a run cost."""

from blockyard._core import Scenario, ScenarioError
from blockyard.questions.arguments import Place, Variant, given, in_python_words
from blockyard.runs import billing
from blockyard.runs.billing import Term, Terms
from blockyard.runs.run import Run
from blockyard.types.bill import Bill


@in_python_words
def cost(
    of: Run | Variant,
    *,
    region: str | None = None,
    as_of: str | None = None,
    term: Term = "on-demand",
    hours_per_month: int = 730,
    price_file: Place | None = None,
    snapshots: str | None = None,
) -> Bill:
    """The bill of a run, or of a scenario as `simulate_many` takes it, line by line.

    `region` and `as_of` say where and on which day prices hold, in place of the scenario's;
    `term` how instances are paid for: `on-demand`, reserved as `1y-no-upfront`,
    `1y-partial-upfront`, `1y-all-upfront` or the same with `3y`, or `savings-plan`. A `price_file`
    has prices of one's own, which come first. `snapshots`, as `"500GiB"`, adds that much of them.
    Of a run the bill also has what went from zone to zone, and under `work` what its IOs and
    transactions came to.

    Raises ScenarioError, in one line, for what is wrong with the scenario or the price file and
    for a price that is not known, which it says how to state; OSError if a file cannot be read.

        >>> bill = blockyard.cost("scenarios/examples/gp3.yaml", region="us-east-1")
        >>> [(line["of"], line["what"], line["per_month"]) for line in bill["lines"]]
        [('data', 'gp3', 8.0)]
    """
    terms = Terms(region, as_of, term, hours_per_month, price_file, snapshots)
    if isinstance(of, Run):
        return of_run(of, terms)
    one = given(of)
    scenario = one if isinstance(one, Scenario) else Scenario.load(*one)
    return billing.of_scenario(scenario, terms)


def of_run(run: Run, terms: Terms) -> Bill:
    """The bill of a run, with what its work came to.

    Raises ScenarioError, also for a run whose storage is not known: one that was read from
    another program's file, or benched; and OSError or FileError if the price file cannot be read.
    """
    if run.scenario is None:
        raise ScenarioError(f"{run.name}: no bill, as its storage is not known")
    if run.result["mode"] == "bench":
        raise ScenarioError(
            f"{run.name}: no bill, as it was benched on storage whose price is not known; "
            "expected the scenario, a simulated or an emulated run"
        )
    return billing.of_result(run.asked(), run.result, terms)
