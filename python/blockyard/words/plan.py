"""What a plan comes to; the sentences about it are Rust's."""

from blockyard.types.plan import Answer, Layout


def bought(answer: Answer) -> Layout | None:
    """What to buy: of an uncertain requirement the layout of least regret."""
    uncertain = answer["uncertain"]
    return uncertain["layout"] if uncertain is not None else answer["best"]
