"""What is told of a run, in Rust: sentences, tables and figures."""

import json
from typing import TYPE_CHECKING

from blockyard._core import Report, Scenario, ScenarioError
from blockyard.runs import packed
from blockyard.types.facts import Facts
from blockyard.types.findings import Advice, Findings
from blockyard.types.result import Result

if TYPE_CHECKING:
    from blockyard.runs.run import Run


def of_result(result: Result, facts: Facts | None, advice: Advice | None = None) -> Report:
    """What a result says without its tables, and without what it costs.

    `facts` are the run's, None of foreign files; `advice` is what was tried of it, as far as known.
    """
    found: Findings | None = None
    if facts is not None:
        found = {"facts": facts, "advice": advice, "bill": None, "unpriced": None}
    return Report(result["scenario"], json.dumps(result), _text(found))


def of_run(run: "Run") -> Report:
    """All that a run says. Raises what its facts do."""
    return Report(
        run.name,
        json.dumps(run.result),
        _text(_found(run)),
        packed.tables(run.intervals, run.volumes, run.transactions),
        run.latencies,
        {tag: [(share, us) for share, us in shares] for tag, shares in run.percentiles.items()},
        warmup_s=run.warmup_s,
        interval_s=run.interval_s,
        scenario=run.asked() if run.scenario is not None else None,
        storage=_storage(run),
        ebs=json.dumps(dict(run.ebs)) if run.ebs else None,
    )


def _storage(run: "Run") -> Scenario | None:
    if run.storage is None:
        return None
    place = run.path / "storage.yaml" if run.path else run.name
    return Scenario.load(run.storage, str(place))


def _found(run: "Run") -> Findings | None:
    """What was found out about a run, billed by the prices that hold now."""
    facts = run.facts
    if facts is None:
        return None
    bill, unpriced = None, None
    try:
        bill = run.bill
    except ScenarioError as error:
        # Who names a region wants its prices.
        unpriced = str(error) if run.asked().region else None
    return {"facts": facts, "advice": run.advice, "bill": bill, "unpriced": unpriced}


def _text(found: Findings | None) -> str | None:
    return json.dumps(found) if found is not None else None
