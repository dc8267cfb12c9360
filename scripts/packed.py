"""Pack a file for a page: LZMA, a quarter smaller than gzip, as it is decoded once a page.

.venv/bin/python scripts/packed.py FROM TO
"""

import lzma
import sys
from pathlib import Path


def main() -> None:
    """Pack what the command line names."""
    plain, packed = map(Path, sys.argv[1:])
    # Nothing aligns the module's code: places tell nothing of a byte (`pb`), those before it do.
    how = {"id": lzma.FILTER_LZMA1, "preset": 9 | lzma.PRESET_EXTREME, "lc": 4, "pb": 0}
    packed.write_bytes(lzma.compress(plain.read_bytes(), lzma.FORMAT_ALONE, filters=[how]))


main()
