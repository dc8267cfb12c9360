#!/usr/bin/env bash

set -euo pipefail
export LC_ALL=C LVM_SUPPRESS_FD_WARNINGS=1
PATH=$PATH:/usr/sbin:/sbin

usage() {
    cat <<END
Usage: ${0##*/} [OPTION]... [VOLUME=DEVICE]...

Waits for the volumes of the layout, makes volume groups, logical volumes and XFS file systems of
them, and mounts these. What is there already is left alone: a second run changes nothing. A volume
that holds data, is in use, or is smaller than the layout's is refused.

DEVICE is the id of an EBS volume, vol-..., or the path of a block device. Lines VOLUME=DEVICE are
also taken from a file, as \`terraform output -raw volumes\` writes it, and from \$BLOCKYARD_VOLUMES;
there, volumes of other hosts are passed over. Disks of the instance need not be named.

  --volumes FILE  read lines VOLUME=DEVICE from FILE
  --wait SECONDS  how long to wait for the volumes to be attached; 120 by default
  --dry-run       print the commands that would change something, and carry out none of them
  -h, --help      print this

Volumes: ${volumes[*]}
END
}

die() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

# --- What the layout is made of ---

readonly mib=1048576
volumes=()
declare -A size=() slot=() given=() path=()
# By device: whether its group is missing, and which of its block devices are empty.
declare -A missing=() empty=()

# volume NAME BYTES WHERE: WHERE is its name on Xen, `local` for a disk of the instance, or `-`.
volume() {
    volumes+=("$1")
    size[$1]=$2
    slot[$1]=$3
}

devices=()
declare -A mount=() options=() extent=() segments=() members_of=()

# filesystem DEVICE MOUNT [OPTION]...: an XFS of these options; its segments follow.
filesystem() {
    devices+=("$1")
    mount[$1]=$2
    options[$1]="${*:3}"
    extent[$1]=4m
    segments[$1]=
    members_of[$1]=
}

# leg DEVICE: a logical volume for what mirrors it to another host, which formats and mounts it.
leg() {
    filesystem "$1" ''
}

# The segments of the device that was named last, one after another.
extent() { extent[${devices[-1]}]=$1; }
linear() { stripe 0 "$@"; }
stripe() {
    segments[${devices[-1]}]+="$*"$'\n'
    members_of[${devices[-1]}]+=" ${*:2}"
}

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

# The device of an EBS volume: on Nitro the serial number of its NVMe controller is its id.
find_ebs() {
    local id=${1/-/} name=$2 serial
    local link=/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_$id
    if [[ -e $link ]]; then
        echo "$link"
    elif [[ $(cat /sys/hypervisor/type 2>/dev/null) == xen ]]; then
        # Drivers of Xen call /dev/sdf /dev/xvdf.
        echo "${name/#\/dev\/sd//dev/xvd}"
    else
        for serial in /sys/class/nvme/*/serial; do
            [[ -e $serial && $(tr -d ' ' <"$serial") == "$id" ]] || continue
            serial=${serial%/serial}
            echo "/dev/${serial##*/}n1"
        done
    fi
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
}

# --- What is done ---

changes=0

# Carries out a command that changes something, or says with --dry-run that it would.
run() {
    local word
    changes=$((changes + 1))
    if [[ -n $dry_run ]]; then printf 'would run:'; else printf '+'; fi
    for word; do
        if [[ $word =~ [^A-Za-z0-9_./=,:%+-] ]]; then word=$(printf %q "$word"); fi
        printf ' %s' "$word"
    done
    echo
    [[ -n $dry_run ]] || "$@" </dev/null >/dev/null
}

# Says what a device holds that must not be lost; nothing of one that is empty.
contents() {
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
    else
        bytes_in "$of" 0
    fi
}

# bytes_in DEVICE FROM: says where the device is not zero, of the places that are read from FROM on.
bytes_in() {
    local of=$1 all at length
    all=$(blockdev --getsize64 "$of") || echo "has no size"
    while read -r at length; do
        ((at >= $2 && at < all)) || continue
        ((at + length <= all)) || length=$((all - at))
        if ! cmp --silent --ignore-initial="$at:0" --bytes="$length" "$of" /dev/zero; then
            echo "is not zero in the $length bytes from $at on"
            break
        fi
    done <<<"$(places "$all")"
}

# Which places of a device of so many bytes are read, each as its offset and length: its first
# 4 MiB, where partitions and logical volumes begin; its last MiB, for copies of partition tables and
# of RAID's metadata; copies of superblocks; and 512 places spread evenly over all of it.
places() {
    local start copy number
    echo "0 $mib"
    echo "$mib $((3 * mib))"
    echo "$(($1 - mib)) $mib"
    # Where a file system begins that lies on the whole device, in the first partition as DOS made
    # it, and in one of today or in a logical volume.
    for start in 0 32256 "$mib"; do
        # Of ext2 to ext4, btrfs, OCFS2, large XFS, in MiB; of XFS, which divides its space in four.
        for copy in 8 32 64 128 384 1024 4096 16384 262144 1048576; do
            echo "$((start + copy * mib - 32768)) 65536"
        done
        for number in 1 2 3; do
            echo "$((start + ($1 - start) * number / 4 - 32768)) 65536"
        done
    done
    for ((number = 0; number < 512; number++)); do
        echo "$((($1 - 65536) * number / 511)) 65536"
    done
}

# Whether a device is a physical volume of no group, as an interrupted run leaves it.
is_spare() {
    [[ $(blkid -p -s TYPE -o value "$1") == LVM2_member ]] &&
        [[ $(pvs --noheadings -o vg_name,pv_mda_count "$1" 2>/dev/null | tr -d ' ') == 1 ]]
}

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

# add_segment DEVICE NUMBER CHUNK PATH...: all that is free on these, striped or linear.
add_segment() {
    local group=vg_$1 name=lv_$1
    local -a shape=(--stripes "$(($# - 3))")
    [[ $3 == 0 ]] || shape+=(--stripesize "$3")
    if [[ $2 == 0 ]]; then
        run lvcreate --name "$name" "${shape[@]}" --extents 100%PVS "$group" "${@:4}"
    else
        run lvextend "${shape[@]}" --extents +100%PVS "$group/$name" "${@:4}"
    fi
}

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
    local device=$1 node=/dev/vg_$1/lv_$1 kind='' holds='' uuid=to-be-made entry
    local -a command=(mkfs.xfs -q) chosen
    if [[ -z $fresh && ! -b $node && -n $dry_run ]]; then
        echo "$node is not active, and so not looked at"
        return
    fi
    if [[ -z $fresh || -z $dry_run ]]; then
        kind=$(blkid -p -s TYPE -o value "$node") || true
        [[ $kind == xfs ]] || holds=$(contents "$node")
        [[ -z $holds ]] || die "$node $holds; it is not overwritten"
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

# check DEVICE: whether its volume group is there, or can be made without loss of anything.
check() {
    local device=$1 name holds
    local -a members=()
    for name in ${members_of[$device]}; do members+=("${path[$name]}"); done
    if vgs "vg_$device" >/dev/null 2>&1; then
        check_group "vg_$device" "${members[@]}"
        return
    fi
    missing[$device]=yes
    for name in "${members[@]}"; do
        if is_spare "$name"; then
            # LVM's own is the first MiB; behind it may lie what a lost group had.
            holds=$(bytes_in "$name" "$mib")
        else
            holds=$(contents "$name")
            empty[$device]+=" $name"
        fi
        [[ -z $holds ]] || die "$name $holds; it is not overwritten"
    done
}

# make DEVICE: from its volumes to where it is mounted.
make() {
    local device=$1 name
    # Whether the logical volume is made or added to by this run; whether all are disks of the
    # instance.
    local fresh=${missing[$1]-} passing=yes
    local -a members=() new=()
    for name in ${members_of[$device]}; do
        members+=("${path[$name]}")
        [[ ${slot[$name]} == local ]] || passing=
    done
    read -ra new <<<"${empty[$device]-}"
    [[ ${#new[@]} -eq 0 ]] || run pvcreate "${new[@]}"
    [[ -z $fresh ]] ||
        run vgcreate --physicalextentsize "${extent[$device]}" "vg_$device" "${members[@]}"
    make_volume "$device"
    [[ -z ${mount[$device]} ]] || make_file_system "$device"
}

main() {
    local name device tool file='' dry_run='' patience=120 deadline
    local -a pairs=()
    layout
    while (($#)); do
        case $1 in
            --dry-run) dry_run=yes ;;
            --volumes | --wait)
                (($# > 1)) || die "$1: expected a value; see --help"
                if [[ $1 == --wait ]]; then patience=$2; else file=$2; fi
                shift
                ;;
            -h | --help) usage && exit ;;
            -*) die "no option $1; see --help" ;;
            *) pairs+=("$1") ;;
        esac
        shift
    done
    [[ $patience =~ ^[0-9]{1,6}$ ]] || die "--wait: \`$patience\`; expected seconds"
    [[ -z ${BLOCKYARD_VOLUMES-} ]] || take_lines BLOCKYARD_VOLUMES <<<"$BLOCKYARD_VOLUMES"
    if [[ -n $file ]]; then
        [[ -r $file && ! -d $file ]] || die "--volumes: $file cannot be read"
        exec 3<"$file"
        take_lines "$file" <&3
        exec 3<&-
    fi
    while ((${#pairs[@]})); do
        take "${pairs[0]}" arguments
        pairs=("${pairs[@]:1}")
    done

    for name in "${volumes[@]}"; do
        [[ -n ${given[$name]-} || ${slot[$name]} == local ]] ||
            die "$name: which volume? Expected $name=vol-... or $name=/dev/..."
    done

    [[ $(id -u) == 0 ]] || die "only root may do this"
    for tool in blkid cmp lsblk lvcreate mkfs.xfs mountpoint wipefs; do
        command -v "$tool" >/dev/null ||
            die "$tool is missing; install lvm2, xfsprogs, util-linux and diffutils"
    done
    deadline=$((SECONDS + patience))
    for name in "${volumes[@]}"; do wait_for "$name"; done
    # Nothing is changed before all is known to be possible.
    for device in "${devices[@]}"; do check "$device"; done
    for device in "${devices[@]}"; do make "$device"; done
    if ((changes == 0)); then
        echo "Nothing to change: all is as the layout has it."
    elif [[ -n $dry_run ]]; then
        echo "Nothing changed; commands that would be carried out: $changes."
    else
        echo "Done; commands carried out: $changes."
    fi
}

main "$@"
