
fstab_entry() { awk -v at="$1" '$1 !~ /^#/ && $2 == at { print $1 }' /etc/fstab 2>/dev/null; }

# add_to_fstab FIELD...: in place of the entry of that folder, if there is one; whole or not at all.
add_to_fstab() {
    local new
    new=$(mktemp -p /etc)
    chmod 644 "$new"
    [[ ! -e /etc/fstab ]] || awk -v at="$2" '$1 ~ /^#/ || $2 != at' /etc/fstab >"$new"
    printf '%s\n' "$*" >>"$new"
    mv "$new" /etc/fstab
    [[ ! -d /run/systemd/system ]] || systemctl daemon-reload
}

make_file_system() {
    local device=$1 node=/dev/vg_$1/lv_$1 kind='' uuid=to-be-made entry
    local -a command=(mkfs.xfs -q) chosen
    if [[ -z $fresh && ! -b $node && -n $dry_run ]]; then
        echo "$node is not active, and so not looked at"
        return
    fi
    if [[ -z $fresh || -z $dry_run ]]; then
        kind=$(blkid -p -s TYPE -o value "$node") || true
        # The volumes of a group that this run has made have been read already.
        [[ $kind == xfs || -n ${missing[$device]-} ]] || must_be_zero "$node" 0
        read_unread
    fi
    if [[ $kind != xfs ]]; then
        read -ra chosen <<<"${options[$device]}"
        [[ -z ${options[$device]} ]] || command+=("${chosen[@]}")
        run "${command[@]}" "$node"
    fi
    [[ $kind != xfs && -n $dry_run ]] || uuid=$(blkid -p -s UUID -o value "$node")
    entry=$(fstab_entry "${mount[$device]}") || true
    if [[ $entry != "UUID=$uuid" ]]; then
        # Disks of the instance are new after each stop of it, and so are their file systems.
        [[ -z $entry || ( $kind != xfs && -n $passing ) ]] ||
            die "/etc/fstab has $entry for ${mount[$device]}; expected UUID=$uuid"
        run add_to_fstab "UUID=$uuid" "${mount[$device]}" xfs defaults,noatime,nofail 0 0
    fi
    mount_it "${mount[$device]}" "$node"
}

mount_it() {
    if mountpoint -q "$1"; then
        [[ $(mountpoint -d "$1") == "$(lsblk -nrdo MAJ:MIN "$2" | tr -d ' ')" ]] ||
            die "$1: something other than $2 is mounted there"
        return
    fi
    [[ -z $(ls -A "$1" 2>/dev/null) ]] || die "$1 is not empty; a file system there would hide it"
    [[ -d $1 ]] || run mkdir -p "$1"
    run mount "$1"
}

