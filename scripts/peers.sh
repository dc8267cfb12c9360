#!/usr/bin/env bash
# Installs the programs that end-to-end tests drive or compare with, as Debian
# packages, if it runs as root and they are missing. It names those that it
# cannot install; tests that need them are then skipped.
set -euo pipefail

# Each package, and a program in it. mariadb-server also installs galera-4.
needed="
btrfs-progs       mkfs.btrfs
busybox-static    busybox
chromium          chromium
drbd-utils        drbdsetup
e2fsprogs         mkfs.ext4
fdisk             sfdisk
firefox-esr       firefox-esr
fio               fio
fish              fish
fuse3             fusermount3
iproute2          tc
kmod              depmod
libnbd-bin        nbdinfo
lsof              lsof
lvm2              lvcreate
mariadb-backup    mariadb-backup
mariadb-server    mariadbd
mdadm             mdadm
mount             losetup
nbdfuse           nbdfuse
nbdkit            nbdkit
openssh-client    ssh
openssh-server    sshd
postgresql        initdb
psmisc            fuser
python3-libnbd    nbdsh
qemu-system-x86   qemu-system-x86_64
qemu-utils        qemu-img
rsync             rsync
socat             socat
sysbench          sysbench
sysstat           iostat
util-linux        blkid
xfsprogs          mkfs.xfs
zsh               zsh
"

# Debian keeps PostgreSQL's server programs in folders of their own, by version.
PATH=$PATH:/usr/sbin:/sbin:$(printf '%s:' /usr/lib/postgresql/*/bin)
missing=()
while read -r package program; do
    command -v "$program" >/dev/null || missing+=("$package")
done < <(grep . <<<"$needed")

[ ${#missing[@]} = 0 ] && exit

# Tests start databases of their own; the packages would start theirs as
# services, unless this file forbids it. An existing file is kept.
policy=/usr/sbin/policy-rc.d
without_services() {
    if [ ! -e "$policy" ]; then
        trap 'rm -f "$policy"' EXIT
        printf '#!/bin/sh\nexit 101\n' >"$policy"
        chmod 755 "$policy"
    fi
    "$@"
}

install() {
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive without_services \
        apt-get install -qqy --no-install-recommends "$@" >/dev/null
}

install "${missing[@]}" || {
    echo "peers: missing, and tests that need them are skipped: ${missing[*]}"
    echo "peers: install with, as root: apt-get install ${missing[*]}"
} >&2
