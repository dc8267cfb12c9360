#!/usr/bin/env bash
# Compares generated files with those checked in: schemas, the reference pages,
# the instance table, the validation pages and the gallery.
#
#     scripts/drift.sh [--changed]
#
# With --changed nothing is simulated if nothing has changed that tables and pictures come from;
# otherwise the state in which all were fresh is noted.
set -euo pipefail
cd "$(dirname "$0")/.."
status=0
simulated=0

if [ "${1-}" = --changed ] && .venv/bin/python scripts/simulated.py; then
    echo "drift: simulated tables and pictures, and all that they come from, are as they were when fresh"
else
    # The simulation is deterministic: pictures and tables must come out again. One thread draws
    # the gallery, beside all that follows.
    .venv/bin/python scripts/gallery.py --check &
    gallery=$!
fi

# Schemas come from the Rust types, and Python's types of what Rust hands over from the schemas.
.venv/bin/python scripts/door_types.py --check || status=1

# The reference pages come from the schemas, the commands' help and the catalog.
PYTHONPATH=scripts .venv/bin/python -m reference --check || status=1

# The source of both instance tables is a release of moto, which the generators pin by checksum.
source=$(mktemp -d)
trap 'rm -rf "$source"' EXIT
moto=$(sed -n 's/^VERSION = "\(.*\)"/moto==\1/p' catalog/generate_instances.py)
if .venv/bin/pip download --quiet --no-deps --dest "$source" "$moto" 2>/dev/null; then
    .venv/bin/python catalog/generate_instances.py --check "$source"/*.whl || status=1
    .venv/bin/python catalog/generate_zones.py --check "$source"/*.whl || status=1
else
    echo "drift: catalog/instances.csv and instance-zones.csv skipped: $moto cannot be downloaded"
fi

# What local disks stream comes from the measurements.
.venv/bin/python catalog/generate_instance_store_streams.py --check measurements/rows.jsonl || status=1

if [ -n "${gallery-}" ]; then
    PYTHONPATH=scripts .venv/bin/python -m validation --check || simulated=1
    wait "$gallery" || simulated=1
    [ $simulated = 0 ] && .venv/bin/python scripts/simulated.py --note
fi
exit $((status | simulated))
