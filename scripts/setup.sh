#!/usr/bin/env bash
# Makes .venv with the pinned packages that a build needs. Needs Python 3.11 and a Rust toolchain.
# Installs the parts that Debian packages separately (venv, a linker), if it
# runs as root and they are missing.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}

die() {
    echo "setup: $*" >&2
    exit 1
}

install_packages() {
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qqy "$@" >/dev/null
    else
        die "missing: $*; install with: apt-get install $*"
    fi
}

command -v "$python" >/dev/null || die "no $python; install Python 3.11 or later"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    die "Python 3.11 or later is needed, and $python is $("$python" -V 2>&1); name another with PYTHON="
command -v cargo >/dev/null || die "no cargo; install a Rust toolchain, at least $(sed -n 's/^rust-version = //p' Cargo.toml)"
command -v cc >/dev/null || install_packages gcc libc6-dev
"$python" -c 'import ensurepip' 2>/dev/null || install_packages python3-venv

[ -x .venv/bin/pip ] || "$python" -m venv --clear .venv
scripts/install.sh requirements/build.txt
touch .venv/installed
