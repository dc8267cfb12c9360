# Checks that a group is made of these block devices: check_group GROUP PATH...
check_group() {
    local found wanted
    found=$(pvs --noheadings -o pv_name --select "vg_name=$1" | xargs -rn 1 readlink -f | sort)
    wanted=$(printf '%s\n' "${@:2}" | sort)
    [[ $found == "$wanted" ]] ||
        die "$1 is made of ${found//$'\n'/ }; the layout has ${wanted//$'\n'/ }"
}

# The segments of a logical volume, as the layout has them: chunk in KiB and width.
shape_of() {
    lvs --noheadings --nosuffix --units k --segments -O seg_start -o stripe_size,stripes "$1" |
        while read -r chunk width; do
            [[ $width != 1 ]] || chunk=0
            echo "${chunk%.*} $width"
        done
}

kib() {
    case $1 in
        *m) echo $((${1%m} * 1024)) ;;
        *) echo "${1%k}" ;;
    esac
}

# Makes the logical volume, segment by segment; those that are there are compared.
make_volume() {
    local device=$1 of=vg_$1/lv_$1 number=0 line='' wanted name
    local -a have=() parts paths
    [[ -n $fresh ]] || line=$(shape_of "$of" 2>/dev/null) || true
    [[ -z $line ]] || mapfile -t have <<<"$line"
    [[ ${#have[@]} -eq 0 || -b /dev/$of ]] || run lvchange --activate y "$of"
    while read -r line; do
        read -ra parts <<<"$line"
        wanted="$(kib "${parts[0]}") $((${#parts[@]} - 1))"
        if ((number < ${#have[@]})); then
            [[ ${have[number]} == "$wanted" ]] ||
                die "$of: segment $number has chunk and width ${have[number]}; the layout $wanted"
        else
            paths=()
            for name in "${parts[@]:1}"; do paths+=("${path[$name]}"); done
            add_segment "$device" "$number" "${parts[0]}" "${paths[@]}"
            fresh=yes
        fi
        number=$((number + 1))
    done <<<"${segments[$device]%$'\n'}"
    ((${#have[@]} <= number)) || die "$of has ${#have[@]} segments; the layout has $number"
}

# set_read_ahead DEVICE: LVM keeps it with the volume, and sets it whenever that is activated. One
# that somebody has chosen is left alone: only LVM's own choice, two stripes, is replaced.
set_read_ahead() {
    local of=vg_$1/lv_$1
    [[ -n ${ahead[$1]} && -z $fresh ]] || return 0
    [[ $(lvs --noheadings -o lv_read_ahead "$of" 2>/dev/null | tr -d ' ') == auto ]] || return 0
    run lvchange --readahead "$((ahead[$1] * 2))" "$of"
}

# add_segment DEVICE NUMBER CHUNK PATH...: all that is free on these, striped or linear.
add_segment() {
    local group=vg_$1 name=lv_$1
    local -a shape=(--stripes "$(($# - 3))")
    [[ $3 == 0 ]] || shape+=(--stripesize "$3")
    if [[ $2 == 0 ]]; then
        # In sectors of 512 bytes.
        [[ -z ${ahead[$1]} ]] || shape+=(--readahead "$((ahead[$1] * 2))")
        run lvcreate --name "$name" "${shape[@]}" --extents 100%PVS "$group" "${@:4}"
    else
        run lvextend "${shape[@]}" --extents +100%PVS "$group/$name" "${@:4}"
    fi
}
