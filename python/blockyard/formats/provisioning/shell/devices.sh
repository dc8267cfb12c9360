# --- Which block device each volume is ---

# take LINE FROM: a line VOLUME=DEVICE; of a volume that is not this host's, only FROM a call.
take() {
    local name=${1%%=*} value=${1#*=}
    [[ $1 == *=* && $value =~ ^(vol-[0-9a-f]+|/dev/[^[:space:]]+)$ ]] ||
        die "$2: \`$1\`; expected VOLUME=vol-... or VOLUME=/dev/..."
    if [[ -n ${size[$name]-} ]]; then
        given[$name]=$value
    elif [[ $2 == arguments ]]; then
        die "no volume is called \`$name\`; expected one of ${volumes[*]}"
    fi
}

take_lines() {
    local line
    while IFS= read -r line || [[ -n $line ]]; do
        line=${line%%$'\r'}
        [[ $line =~ ^[[:space:]]*(#|$) ]] || take "$line" "$1"
    done
}

# The disk of the instance that stands for a volume, in the order of their serial numbers.
find_local() {
    local name link number=0
    local -A seen=()
    local -a disks=()
    for link in /dev/disk/by-id/nvme-Amazon_EC2_NVMe_Instance_Storage_*; do
        [[ -b $link && $link != *-part* ]] || continue
        link=$(readlink -f "$link")
        [[ -n ${seen[$link]-} ]] || disks+=("$link")
        seen[$link]=yes
    done
    for name in "${volumes[@]}"; do
        [[ $name != "$1" ]] || break
        [[ ${slot[$name]} != local || -n ${given[$name]-} ]] || number=$((number + 1))
    done
    ((number >= ${#disks[@]})) || echo "${disks[number]}"
}

find_device() {
    local found=${given[$1]-}
    case $found in
        vol-*) found=$(find_ebs "$found" "${slot[$1]}") ;;
        '') found=$(find_local "$1") ;;
    esac
    [[ -b $found ]] && readlink -f "$found"
}

wait_for() {
    local name=$1 other bytes
    until path[$name]=$(find_device "$name"); do
        ((SECONDS < deadline)) ||
            die "$name: ${given[$name]-a disk of the instance} is not there after $patience s"
        sleep 1
    done
    for other in "${volumes[@]}"; do
        [[ $other != "$name" ]] || break
        [[ ${path[$other]} != "${path[$name]}" ]] ||
            die "$name: ${path[$name]} is $other already"
    done
    bytes=$(blockdev --getsize64 "${path[$name]}")
    ((bytes >= size[$name])) ||
        die "$name: ${path[$name]} has $bytes bytes; the layout has ${size[$name]}"
    rate_of[${path[$name]}]=${rate[$name]}
}

