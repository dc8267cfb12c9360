#!/usr/bin/env bash
# Begins target/lint with what a build of the profile `ci` has compiled for linters as well: build
# scripts, what they have made (of zstd, for one), and procedural macros. All else a linter only
# checks, and has to check itself. Cargo goes by file times, which the copies keep.
set -euo pipefail
cd "$(dirname "$0")/.."
from=target/ci to=target/lint/ci

[ -d "$from/deps" ] && [ ! -e "$to" ] || exit 0
mkdir -p "$to.new/deps"
cp -a "$from/build" "$from/.fingerprint" "$to.new"
# No crates of this repository, which are linted, and no programs.
find "$from/deps" -type f ! -name '*blockyard*' \
    \( -name '*.so' -o -name '*.rlib' -o -name '*.rmeta' -o -name '*.d' \) \
    -exec cp -a -t "$to.new/deps" {} +
mv "$to.new" "$to"
