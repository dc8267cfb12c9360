"""A run in words: what was delivered, what throttled it, what would help."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from blockyard.runs.run import Run
from blockyard.text.table import Table, content


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
    found = json.loads(run.told.paragraphs())
    return [Paragraph(one["heading"], content(one["content"])) for one in found]
