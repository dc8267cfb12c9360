"""What begins on another machine, whose Python may be any and have no packages.

This is sent as text. It says which Python and which Blockyard there are, gets a copy of Blockyard
where it is told to use one that is not there yet, and goes on as `blockyard.hosts.worker`. The
copy is unpacked, not installed, and needs nothing else. Written for Python 3.6, so that an old one
is told so.
"""

import io
import json
import os
import shutil
import sys
import zipfile
from pathlib import Path
from typing import Any, Dict, Optional  # noqa: UP035 - as Python 3.6 has them


def main() -> None:
    """Begin, and go on until there is no more to do."""
    # The folder that it was started in, a home, is not to be searched for modules.
    sys.path[:] = [place for place in sys.path if place]
    _say("hello", python=list(sys.version_info[:2]), machine=os.uname().machine, has=_installed())
    told = _hear()
    if told["kind"] != "use":
        return
    try:
        if told.get("copy"):
            sys.path.insert(0, str(_copy(told["copy"])))
        from blockyard.hosts import worker
    except (ImportError, OSError, zipfile.BadZipFile) as error:
        _say("unusable", reason=str(error))
        return
    _say("here")
    worker.serve(sys.stdin.buffer)


def _installed() -> Optional[str]:  # noqa: UP045
    try:
        from importlib.metadata import version

        return version("blockyard")
    except Exception:  # noqa: BLE001 - there is none, or this Python is too old to tell
        return None


def _copy(key: str) -> Path:
    """The folder of a copy, which is asked for if it is not there."""
    cache = os.environ.get("XDG_CACHE_HOME")
    place = (Path(cache) if cache else Path.home() / ".cache") / "blockyard" / key
    if place.is_dir():
        return place
    _say("missing")
    packed = sys.stdin.buffer.read(_hear().get("bytes", 0))
    partial = place.parent / f"{key}.partial-{os.getpid()}"
    try:
        partial.mkdir(0o700, parents=True)
        with zipfile.ZipFile(io.BytesIO(packed)) as file:
            file.extractall(partial)
        partial.rename(place)
    except (OSError, zipfile.BadZipFile):
        shutil.rmtree(partial, ignore_errors=True)
        # Another run may have put it there meanwhile.
        if not place.is_dir():
            raise
    return place


def _say(kind: str, **fields: object) -> None:
    line = json.dumps({"kind": kind, **fields})
    sys.stdout.buffer.write(line.encode() + b"\n")
    sys.stdout.buffer.flush()


def _hear() -> Dict[str, Any]:  # noqa: UP006
    line = sys.stdin.buffer.readline()
    return dict(json.loads(line.decode())) if line else {"kind": "stop"}


if __name__ == "__main__":
    main()
