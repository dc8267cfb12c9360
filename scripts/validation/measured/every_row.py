"""The site's page of every row. It is not in git; `measurements/digests.txt` stands for it there.

The site is built from the page of an earlier run, as long as that run gave the digests that are
checked in.
"""

from hashlib import sha256
from pathlib import Path

from validation.measured.compare import compare
from validation.measured.pages import Pages
from validation.measured.rows import PLACE, read

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "target" / "validation-rows.md"
DIGESTS = ROOT / "measurements" / "digests.txt"

HEAD = """\
# Every measurement

Find here what the model predicts for each row of [`measurements/`](../measurements/README.md), or
why it cannot be asked. [Validation](../docs/validation.md#against-public-measurements) has the
summary and the rules. Cells show measured / predicted and the error; "limit" marks rows whose
load reached a limit. Medians have signs: plus is too slow, or too fast a rate.
"""


def made() -> Path:
    """The page, from an earlier run if that still holds, else from a fresh one."""
    if not PAGE.exists() or not PAGE.read_text().endswith(_seal()):
        rows = read()
        keep(Pages(rows, compare(rows)))
    return PAGE


def keep(pages: Pages) -> None:
    """Write the page; it is made again next time if it differs from what is checked in."""
    parts = {
        "By volume type": pages.every_type(),
        "By source": pages.by_source(),
        "Compared": pages.every_row(),
        "Not compared": pages.every_other(),
    }
    text = HEAD + "".join(f"\n## {title}\n\n{part}\n" for title, part in parts.items())
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(text + (_seal() if pages.digests() == DIGESTS.read_text() else ""))


def _seal() -> str:
    """The page's last line: a digest of all that the page is made from."""
    whole = sha256()
    for source in (DIGESTS, PLACE, *sorted(Path(__file__).parent.glob("*.py"))):
        whole.update(source.read_bytes())
    return f"\n<!-- {whole.hexdigest()} -->\n"
