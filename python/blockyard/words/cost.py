"""A bill as a table, and what there is to say about it."""

import json

from blockyard._core import bill_in_words
from blockyard.text.table import Table, content
from blockyard.types.bill import Bill


def told(bill: Bill) -> list[str | Table]:
    """Its table, if it has lines, and the sentences on it."""
    return content(json.loads(bill_in_words(json.dumps(bill))))
