#!/usr/bin/env bash
# Installs pinned packages into .venv: scripts/install.sh requirements/dev.txt
# With uv, in a tenth of the time that pip takes; with pip where uv fails, as only pip knows the
# mirrors of its configuration.
set -euo pipefail
cd "$(dirname "$0")/.."
export PIP_DISABLE_PIP_VERSION_CHECK=1

# Python compiles the modules that it imports; pip would compile all, for half a minute.
by_pip() {
    .venv/bin/pip install --no-compile --quiet --require-hashes -r "$1"
}

by_uv() {
    UV_SYSTEM_CERTS=1 .venv/bin/uv pip install --quiet --python .venv/bin/python --require-hashes -r "$1"
}

[ -x .venv/bin/uv ] || by_pip requirements/uv.txt
by_uv "$1" || {
    echo "install: uv could not install $1; pip tries" >&2
    by_pip "$1"
}
