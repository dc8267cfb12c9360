#!/usr/bin/env bash
# The programs that end-to-end tests drive or compare with, as Debian's
# packages. Installs what is missing when this runs as root. What it cannot
# install it names; tests that need it are then skipped.
set -euo pipefail

# Package, and a program that it brings.
needed="
btrfs-progs       mkfs.btrfs
busybox-static    busybox
e2fsprogs         mkfs.ext4
fdisk             sfdisk
fio               fio
fuse3             fusermount3
galera-4          /usr/lib/galera/libgalera_smm.so
kmod              depmod
libnbd-bin        nbdinfo
lsof              lsof
lvm2              lvcreate
mariadb-server    mariadbd
mdadm             mdadm
mount             losetup
nbdfuse           nbdfuse
nbdkit            nbdkit
postgresql        initdb
psmisc            fuser
python3-libnbd    nbdsh
qemu-system-x86   qemu-system-x86_64
qemu-utils        qemu-img
rsync             rsync
sysbench          sysbench
util-linux        blkid
xfsprogs          mkfs.xfs
"

# Debian keeps PostgreSQL's own programs apart, by version.
PATH=$PATH:/usr/sbin:/sbin:$(printf '%s:' /usr/lib/postgresql/*/bin)
missing=()
while read -r package program; do
    command -v "$program" >/dev/null || missing+=("$package")
done < <(grep . <<<"$needed")

[ ${#missing[@]} = 0 ] && exit
install() {
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return
    # The tests start databases of their own; the packages' are to stay down.
    apt-get update -qq &&
        RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -qqy --no-install-recommends "$@" >/dev/null
}

install "${missing[@]}" || {
    echo "peers: missing, and tests that need them are skipped: ${missing[*]}"
    echo "peers: install with, as root: apt-get install ${missing[*]}"
} >&2
