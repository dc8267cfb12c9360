# --- What a device holds ---

# Says what stands on a device that must not be lost, as far as tools know it.
known_contents() {
    local of=$1 mounted below kind
    mounted=$(lsblk -nro MOUNTPOINT "$of" | grep . | head -n 1) || true
    below=$(lsblk -nro NAME "$of" | sed -n 2p)
    kind=$(blkid -p -s TYPE -s PTTYPE -o value "$of" | tr '\n' ' ') || true
    [[ -n $kind ]] || kind=$(wipefs --noheadings --output TYPE "$of" | tr '\n' ' ')
    if [[ -n $mounted ]]; then
        echo "is mounted on $mounted"
    elif [[ -n $below ]]; then
        echo "has $below on it"
    elif [[ -n $kind ]]; then
        echo "holds ${kind% }"
    fi
}

# Whether a device is a physical volume of no group, as an interrupted run leaves it.
is_spare() {
    [[ $(blkid -p -s TYPE -o value "$1") == LVM2_member ]] &&
        [[ $(pvs --noheadings -o vg_name,pv_mda_count "$1" 2>/dev/null | tr -d ' ') == 1 ]]
}

