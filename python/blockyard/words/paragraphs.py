"""A run in words: what was delivered, what throttled it, what would help.

Every sentence follows from figures of the result; none guesses at what the result does
not say.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from blockyard.runs.run import Run
from blockyard.text.formatting import sentence
from blockyard.text.table import Table
from blockyard.words.advice import advice
from blockyard.words.caveats import caveats, goals_met
from blockyard.words.cost import cost
from blockyard.words.delivery import delivered
from blockyard.words.events import happened
from blockyard.words.network import network
from blockyard.words.outages import outages
from blockyard.words.run_bottleneck import throttling
from blockyard.words.transaction_bottleneck import in_parts
from blockyard.words.transactions import transactions


@dataclass(frozen=True)
class Paragraph:
    """Sentences and tables under a heading."""

    heading: str
    content: Sequence[str | Table]

    @property
    def sentences(self) -> list[str]:
        """The sentences alone."""
        return [part for part in self.content if isinstance(part, str)]


def of(run: Run) -> list[str]:
    """The sentences of all paragraphs."""
    return [sentence for paragraph in paragraphs(run) for sentence in paragraph.sentences]


def paragraphs(run: Run) -> list[Paragraph]:
    """The paragraphs that there is something to say in, what matters most first."""
    found = [
        Paragraph("Read this first", caveats(run)),
        Paragraph("What was delivered", [*goals_met(run), *delivered(run)]),
        Paragraph("Transactions", transactions(run.result)),
        Paragraph("What happened meanwhile", [*_happened(run), *outages(run.result)]),
        Paragraph("What throttled it", [*throttling(run), *_bound(run)]),
        Paragraph("Mirrors and links", network(run.result, run.facts)),
        Paragraph("What would help, and what would not", advice(run)),
        Paragraph("What it costs", cost(run)),
    ]
    return [paragraph for paragraph in found if paragraph.content]


def _bound(run: Run) -> list[str]:
    """Where the time of transactions goes, as sentences."""
    return [sentence(said) for said in in_parts(run.result, run.facts)] if run.facts else []


def _happened(run: Run) -> list[str]:
    """What happened, as sentences."""
    return [sentence(said) for said in happened(run.result)]
