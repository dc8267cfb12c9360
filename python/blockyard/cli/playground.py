"""`blockyard playground`: a page in which scenarios are changed and simulated."""

from blockyard.cli import files
from blockyard.cli.status import CommandError, Status

EXAMPLE = """\b
Examples:
  blockyard playground -o playground.html
  blockyard playground > playground.html
"""


def command(out: files.Out = None) -> None:
    """Write a page that simulates: published tests, examples, a blank layout, or a plan.

    The page has the simulator in it, so it needs neither a server nor a network. Change a
    volume, an instance or the load, and compare the outcome with what it was before. Send
    the page's address to show others the same run.
    """
    from blockyard.pages import engine
    from blockyard.pages.page import html
    from blockyard.pages.playground import playground

    files.check_page(out)
    files.check_new(out)
    if engine.module() is None:
        message = "this build of Blockyard has no simulator for pages; `make build` says why"
        raise CommandError(message, Status.LACKING)
    files.write(html(playground()), out)
