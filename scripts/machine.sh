#!/usr/bin/env bash
# Runs a command in the test machine, a virtual machine with features that this
# machine's kernel may lack: scripts/machine.sh --disk 1G pvcreate /dev/vda
set -euo pipefail
PYTHONPATH="$(dirname "$0")/../tests" exec "${PYTHON:-python3}" -m machine "$@"
