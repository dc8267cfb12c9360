"""Writes db-classes.csv, what RDS publishes of its DB instance classes.

    curl -O https://raw.githubusercontent.com/awsdocs/amazon-rds-user-guide/COMMIT/FILE
    python3 catalog/generate_db_classes.py Concepts.DBInstanceClass.md

with COMMIT and FILE as below: the table of hardware specifications in the user guide of RDS (CC
BY-SA 4.0, of which only figures are taken). `max_mbps` is its maximum bandwidth, and `bursts` is 1
where it holds for 30 minutes a day, and 0 where always. Classes whose EC2 type is not in
instances.csv are left out. The source's checksum is fixed here. `--check` compares with the table
in the tree.
"""

import re
import sys
from pathlib import Path

from generate_prices import known_types
from generated import command, csv_text, known

COMMIT = "50e7617"
DATE = "2023-06-10"
FILE = "doc_source/Concepts.DBInstanceClass.md"
SHA256 = "9562b5fdc8d4652243248e1a5666d4072660d017e5707e94d6c9a9ecf6200e6f"

TABLE = Path(__file__).with_name("db-classes.csv")

# A class, whether it has a star, and among what follows its bandwidth.
ROW = re.compile(r"\| (db\.[\w-]+\.\w+)(\*?) \| \d+ \|.*\| Yes \| (?:Up to )?([\d,]+) \| [^|]+\|")


def text_of(source: Path) -> str:
    """The whole text of db-classes.csv."""
    text = known(source.read_bytes(), source.name, SHA256).decode().replace("\\", "")
    types = known_types()
    found = {}
    for line in text.splitlines():
        if (row := ROW.match(line)) and row[1].removeprefix("db.") in types:
            found[row[1]] = [row[1], row[3].replace(",", ""), 1 if row[2] else 0]
    origin = (
        f"awsdocs/amazon-rds-user-guide at {COMMIT} ({DATE}), {FILE}; made by "
        "catalog/generate_db_classes.py"
    )
    return csv_text(
        origin, ["class", "max_mbps", "bursts"], (found[name] for name in sorted(found))
    )


if __name__ == "__main__":
    sys.exit(command(__doc__, TABLE, Path(FILE).name, text_of))
