"""What begins on another machine, whose Python may be any and have no packages.

This is sent as text. It says which Python and which Blockyard there are, gets a copy of Blockyard
where it is told to use one that is not there yet, and goes on as `blockyard.hosts.worker`. The
copy is unpacked, not installed, and needs nothing else. Written for Python 3.6.
"""

import io
import json
import os
import shutil
import sys
import zipfile


def main():  # noqa: ANN201, D103 - as below, for Python 3.6
    # The folder that it was started in, a home, is not to be searched for modules.
    sys.path[:] = [place for place in sys.path if place]
    _say("hello", python=list(sys.version_info[:2]), machine=os.uname().machine, has=_installed())
    told = _hear()
    if told["kind"] != "use":
        return
    if told.get("copy"):
        try:
            sys.path.insert(0, _copy(told["copy"]))
        except OSError as error:
            _say("unusable", reason="the copy of Blockyard: {}".format(error))  # noqa: UP032
            return
    try:
        from blockyard.hosts import worker
    except ImportError as error:
        _say("unusable", reason=str(error))
        return
    _say("here")
    worker.serve(sys.stdin.buffer)


def _installed():  # noqa: ANN202
    try:
        from importlib.metadata import version

        return version("blockyard")
    except Exception:  # noqa: BLE001 - none, or a Python too old to tell
        return None


def _copy(key):  # noqa: ANN001, ANN202
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111
    place = os.path.join(cache, "blockyard", key)  # noqa: PTH118
    if os.path.isdir(place):  # noqa: PTH112
        return place
    _say("missing")
    told = _hear()
    packed = sys.stdin.buffer.read(told["bytes"])
    partial = "{}.partial-{}".format(place, os.getpid())  # noqa: UP032
    try:
        os.makedirs(partial, 0o700)  # noqa: PTH103
        with zipfile.ZipFile(io.BytesIO(packed)) as file:
            file.extractall(partial)
        os.rename(partial, place)  # noqa: PTH104
    except OSError:
        shutil.rmtree(partial, ignore_errors=True)
        # Another run may have put it there meanwhile.
        if not os.path.isdir(place):  # noqa: PTH112
            raise
    return place


def _say(kind, **fields):  # noqa: ANN001, ANN003, ANN202
    line = json.dumps(dict([("kind", kind)], **fields))
    sys.stdout.buffer.write(line.encode() + b"\n")
    sys.stdout.buffer.flush()


def _hear():  # noqa: ANN202
    line = sys.stdin.buffer.readline()
    return json.loads(line.decode()) if line else {"kind": "stop"}


if __name__ == "__main__":
    main()
