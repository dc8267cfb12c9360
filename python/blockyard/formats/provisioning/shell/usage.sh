#!/usr/bin/env bash

set -euo pipefail
export LC_ALL=C LVM_SUPPRESS_FD_WARNINGS=1
PATH=$PATH:/usr/sbin:/sbin

usage() {
    cat <<END
Usage: ${0##*/} [OPTION]... [VOLUME=DEVICE]...

Waits for the volumes of the layout, makes volume groups, logical volumes and XFS file systems of
them, and mounts these. What is there already is left alone: a second run changes nothing. A volume
that holds data, is in use, or is smaller than the layout's is refused. To know that a volume holds
no data the script reads all of it.

DEVICE is the id of an EBS volume, vol-..., or the path of a block device. Lines VOLUME=DEVICE are
also taken from a file, as \`terraform output -raw volumes\` writes it, and from \$BLOCKYARD_VOLUMES;
there, volumes of other hosts are passed over. Disks of the instance need not be named.

  --volumes FILE  read lines VOLUME=DEVICE from FILE
  --wait SECONDS  how long to wait for the volumes to be attached; 120 by default
  --dry-run       print the commands that would change something, and carry out none of them
  --quick         read only samples of each volume, and so miss data between them
  -h, --help      print this

Volumes: ${volumes[*]}
END
}
