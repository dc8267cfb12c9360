#!/usr/bin/env bash
# Compares generated files with those checked in: schemas, the reference pages,
# the instance table, the validation pages and the gallery.
set -euo pipefail
cd "$(dirname "$0")/.."
status=0

# The simulation is deterministic: the gallery's pictures must come out again. One thread draws
# them, beside all that follows.
.venv/bin/python scripts/gallery.py --check &
gallery=$!

for document in scenario result bill requirement; do
    file=schemas/$document.schema.json
    if ! .venv/bin/blockyard schema $document | diff -u "$file" - >&2; then
        echo "drift: $file is stale; run: blockyard schema $document > $file" >&2
        status=1
    fi
done

# Python's types of results and bills come from their schemas.
.venv/bin/python scripts/result_types.py --check || status=1

# The reference pages come from the schemas, the commands' help and the catalog.
PYTHONPATH=scripts .venv/bin/python -m reference --check || status=1

# The instance table's source is a release of moto, which the generator pins by checksum.
source=$(mktemp -d)
trap 'rm -rf "$source"' EXIT
moto=$(sed -n 's/^VERSION = "\(.*\)"/moto==\1/p' catalog/generate_instances.py)
if .venv/bin/pip download --quiet --no-deps --dest "$source" "$moto" 2>/dev/null; then
    .venv/bin/python catalog/generate_instances.py --check "$source"/*.whl || status=1
else
    echo "drift: catalog/instances.csv skipped: $moto cannot be downloaded"
fi

# So must the tables of the validation pages, and the digests of every measurement.
PYTHONPATH=scripts .venv/bin/python -m validation --check || status=1

wait "$gallery" || status=1
exit $status
