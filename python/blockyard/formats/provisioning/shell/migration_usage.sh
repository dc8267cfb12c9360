#!/usr/bin/env bash

set -euo pipefail
export LC_ALL=C LVM_SUPPRESS_FD_WARNINGS=1 AWS_PAGER=
PATH=$PATH:/usr/sbin:/sbin

usage() {
    cat <<END
Usage: ${0##*/} [OPTION]... --volumes FILE

Changes the volumes of this instance from one layout to another, step by step, as the comments at
the top of this script list them. A step that is done is passed over, so that a run that was
interrupted can be run again. A step that finds neither what it begins with nor what it leads to
ends the run. No volume is ever deleted: at the end the script says which are no longer used.

FILE has a line VOLUME=vol-... for each volume of the old layout, as \`terraform output -raw volumes\`
wrote it. Ids of new volumes are added to FILE.new.

  --volumes FILE  the ids of the volumes
  --stopped       whatever uses the file systems that must be copied is stopped: copy them
  --dry-run       print the commands that would change something, and carry out none of them
  -h, --help      print this
END
}

