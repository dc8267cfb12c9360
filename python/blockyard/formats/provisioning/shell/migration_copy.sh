# --- Copies, where LVM cannot change the stripes ---

# restripe DEVICE CHUNK WIDTH EXTENT OPTIONS KEY...: a new file system of other stripes, made of new volumes,
# takes the place of the old one: pvmove would keep the old stripes.
restripe() {
    local new=vg_$1_new old=vg_$1_old at
    if ! vgs "$old" >/dev/null 2>&1; then
        make_new "$new" "$@"
        at=$(mount_point "$new" "$1")
        # Once it is in /etc/fstab it has been copied.
        if [[ -z $at || $at == /run/* ]]; then
            at=$(mount_point "vg_$1" "$1")
            [[ -n $at ]] || die "/dev/vg_$1/lv_$1 is not mounted, nor in /etc/fstab"
            if [[ -z $stopped ]]; then
                waiting+=("$1, on $at")
                return
            fi
            copy "$1" "$new" "$at"
        fi
        run vgrename "vg_$1" "$old"
    fi
    # In a dry run the old group still has its name.
    if [[ -n $dry_run ]] || vgs "$new" >/dev/null 2>&1; then
        ! vgs "$old" >/dev/null 2>&1 || [[ -z $dry_run ]] || return 0
        run vgrename "$new" "vg_$1"
        run vgchange --activate n "$old"
    fi
    at=$(mount_point "vg_$1" "$1")
    [[ -n $at ]] || die "/dev/vg_$1/lv_$1 is not in /etc/fstab"
    if [[ -n $dry_run ]] || ! mountpoint -q "$at"; then run mount "$at"; fi
}

# mount_point GROUP DEVICE: where its file system is mounted, or should be.
mount_point() {
    local node=/dev/$1/lv_$2 at uuid
    at=$(findmnt -nro TARGET -S "$node" | head -n 1) || true
    uuid=$(blkid -p -s UUID -o value "$node" 2>/dev/null) || uuid=none
    [[ -n $at ]] || at=$(awk -v uuid="UUID=$uuid" '$1 == uuid { print $2 }' /etc/fstab)
    echo "$at"
}

# make_new GROUP DEVICE CHUNK WIDTH EXTENT OPTIONS KEY...
make_new() {
    local key path
    local -a paths=() shape=(--stripes "$4") command=(mkfs.xfs -q) chosen
    [[ $3 == 0 ]] || shape+=(--stripesize "$3")
    for key in "${@:7}"; do paths+=("$(member "$2" "$key")"); done
    if ! vgs "$1" >/dev/null 2>&1; then
        for path in "${paths[@]}"; do prepare "$path"; done
        run vgcreate --physicalextentsize "$5" "$1" "${paths[@]}"
    fi
    lvs "$1/lv_$2" >/dev/null 2>&1 ||
        run lvcreate --name "lv_$2" "${shape[@]}" --extents 100%PVS "$1" "${paths[@]}"
    [[ -b /dev/$1/lv_$2 && $(blkid -p -s TYPE -o value "/dev/$1/lv_$2") == xfs ]] || {
        read -ra chosen <<<"$6"
        [[ -z $6 ]] || command+=("${chosen[@]}")
        run "${command[@]}" "/dev/$1/lv_$2"
    }
}

# copy DEVICE GROUP AT: the old file system read-only, which fails while a file is open for writing.
copy() {
    local aside=/run/blockyard/$1 old=OLD new=NEW left
    run mkdir -p "$aside"
    mountpoint -q "$aside" || run mount "/dev/$2/lv_$1" "$aside"
    mountpoint -q "$3" || run mount -o ro "/dev/vg_$1/lv_$1" "$3"
    run mount -o remount,ro "$3"
    run rsync --archive --hard-links --acls --xattrs --sparse --delete "$3/" "$aside/"
    if [[ -z $dry_run ]]; then
        # Each file is there, with its size and time.
        left=$(rsync --archive --hard-links --dry-run --itemize-changes --delete "$3/" "$aside/")
        [[ -z $left ]] || die "$aside differs from $3 after the copy"
        old=$(blkid -p -s UUID -o value "/dev/vg_$1/lv_$1")
        new=$(blkid -p -s UUID -o value "/dev/$2/lv_$1")
    fi
    run umount "$aside"
    run umount "$3"
    run replace_in_fstab "$old" "$new"
}

# replace_in_fstab OLD NEW: whole or not at all.
replace_in_fstab() {
    local new
    new=$(mktemp -p /etc)
    chmod 644 "$new"
    sed "s/^UUID=$1\([[:space:]]\)/UUID=$2\1/" /etc/fstab >"$new"
    mv "$new" /etc/fstab
    [[ ! -d /run/systemd/system ]] || systemctl daemon-reload
}

# retire DEVICE KEY...: volumes of the old group, once the new one is in its place; the old one stays
# as it was, and can be taken back into use.
retire() {
    local key
    [[ -n $dry_run ]] || vgs "vg_$1_old" >/dev/null 2>&1 || return 0
    for key in "${@:2}"; do
        need "$key"
        kept+=("${id[$key]}")
    done
}

