# --- What LVM makes of them ---

kept=()
# By device: whether its logical volume has grown.
declare -A grown=()

group_of() {
    [[ ! -b $1 ]] || pvs --noheadings -o vg_name "$1" 2>/dev/null | tr -d ' ' || true
}

# free_of PATH: its extents that no logical volume has; one where a dry run has not made it.
free_of() {
    if [[ -n $dry_run && -z $(group_of "$1") ]]; then
        echo 1
    else
        pvs --noheadings -o pv_pe_count,pv_pe_alloc_count "$1" | awk '{ print $1 - $2 }'
    fi
}

# member DEVICE KEY: the path of a volume of the device's group, or of none of a dry run.
member() {
    if [[ -n $dry_run && -z ${id[$2]-} ]]; then
        echo "/dev/$2"
    else
        need "$2"
        device_of "$2"
    fi
}

# prepare PATH: makes a physical volume of a new volume, which AWS gives out empty.
prepare() {
    if [[ -b $1 ]]; then
        ! is_spare "$1" || return 0
        [[ -z $(known_contents "$1") ]] || die "$1 $(known_contents "$1"); it is not overwritten"
    fi
    run pvcreate "$1"
}

# join DEVICE KEY...: new volumes become members of its group.
join() {
    local key path
    for key in "${@:2}"; do
        path=$(member "$1" "$key")
        case $(group_of "$path") in
            "vg_$1") ;;
            '')
                prepare "$path"
                run vgextend "vg_$1" "$path"
                ;;
            *) die "$path is of the group $(group_of "$path"); expected vg_$1 or none" ;;
        esac
    done
}

# append DEVICE CHUNK WIDTH KEY...: all of new volumes, as one segment behind the last.
append() {
    local key path free=0
    local -a paths=() shape=(--stripes "$3")
    [[ $2 == 0 ]] || shape+=(--stripesize "$2")
    for key in "${@:4}"; do
        path=$(member "$1" "$key")
        paths+=("$path")
        free=$((free + $(free_of "$path")))
    done
    ((free > 0)) || return 0
    run lvextend "${shape[@]}" --extents +100%PVS "vg_$1/lv_$1" "${paths[@]}"
    grown[$1]=yes
}

# grow DEVICE CHUNK WIDTH KEY...: its last segment takes what its volumes have grown by.
grow() {
    local key path sectors used free=0
    local -a paths=() shape=(--stripes "$3")
    [[ $2 == 0 ]] || shape+=(--stripesize "$2")
    for key in "${@:4}"; do
        path=$(member "$1" "$key")
        [[ $(group_of "$path") == "vg_$1" ]] || die "$path is not of vg_$1"
        paths+=("$path")
        sectors=$(blockdev --getsz "$path")
        used=$(pvs --noheadings --nosuffix --units s -o pv_size "$path" | tr -d ' ')
        # LVM uses whole extents, and keeps a MiB or more for itself; volumes grow by GiB.
        ((sectors - used < 131072)) || run pvresize "$path"
        free=$((free + $(free_of "$path")))
    done
    # A dry run has not resized anything, and so finds nothing free.
    ((free >= $3)) || [[ -n $dry_run ]] || return 0
    run lvextend "${shape[@]}" --extents +100%PVS "vg_$1/lv_$1" "${paths[@]}"
    grown[$1]=yes
}

# grow_file_system DEVICE: to all of its logical volume; a second time nothing is left to do.
grow_file_system() {
    local at block blocks
    at=$(findmnt -nro TARGET -S "/dev/vg_$1/lv_$1" | head -n 1) || true
    [[ -n $at ]] || die "/dev/vg_$1/lv_$1 is not mounted; XFS grows while it is"
    if [[ -z ${grown[$1]-} ]]; then
        read -r block blocks <<<"$(xfs_info "$at" |
            sed -n 's/^data .*bsize=\([0-9]*\) *blocks=\([0-9]*\),.*/\1 \2/p')"
        (($(blockdev --getsize64 "/dev/vg_$1/lv_$1") - block * blocks >= 64 << 20)) || return 0
    fi
    run xfs_growfs "$at"
}

# move DEVICE OLD NEW: what lies on one volume to another of the same group, while it is used. LVM
# goes on with a move that was interrupted.
move() {
    local from to
    from=$(member "$1" "$2")
    to=$(member "$1" "$3")
    [[ $(group_of "$from") == "vg_$1" ]] || return 0
    if (($(pvs --noheadings -o pv_pe_alloc_count "$from" | tr -d ' ') > 0)); then
        run pvmove "$from" "$to"
    fi
    run vgreduce "vg_$1" "$from"
    run pvremove "$from"
}

