# --- Volumes ---

declare -A id=()

# The ids of volumes, of the old layout and of new ones.
take_ids() {
    local line
    [[ -r $1 && ! -d $1 ]] || die "--volumes: $1 cannot be read"
    while IFS= read -r line || [[ -n $line ]]; do
        line=${line%%$'\r'}
        [[ $line =~ ^[[:space:]]*(#|$) ]] && continue
        [[ $line =~ ^([^=[:space:]]+)=(vol-[0-9a-f]+)$ ]] ||
            die "$1: \`$line\`; expected VOLUME=vol-..."
        id[${BASH_REMATCH[1]}]=${BASH_REMATCH[2]}
    done <"$1"
}

# need KEY: the id of a volume; KEY is its name, `new/NAME` of one that this script makes.
need() {
    [[ -n ${id[$1]-} ]] || die "$1: which volume? Expected a line $1=vol-... in $file"
}

# described ID: type, GiB, IOPS, MiB/s, zone and the instance that it is attached to.
described() {
    aws ec2 describe-volumes --volume-ids "$1" --output text --query \
        'Volumes[0].[VolumeType,Size,Iops,Throughput,AvailabilityZone,Attachments[0].InstanceId]'
}

# is KEY TYPE GIB IOPS MIBS: whether a volume is this; `-` is any. Leaves in `found` what it is.
is() {
    local place
    local -a have=() wanted=("${@:2:4}")
    read -ra have <<<"$(described "${id[$1]}")"
    found="${have[*]:0:4}"
    for place in 0 1 2 3; do
        [[ ${wanted[place]} == - || ${wanted[place]} == "${have[place]}" ]] || return 1
    done
}

# here NAME...: the zone and the instance of the volumes of the old layout and of new ones.
here() {
    local name
    local -a have=()
    for name in "${!id[@]}"; do
        [[ $name == new/* || " $* " == *" $name "* ]] || continue
        read -ra have <<<"$(described "${id[$name]}")"
        [[ ${have[5]-} == i-* ]] || continue
        [[ -z $instance || $instance == "${have[5]}" ]] ||
            die "$name: ${id[$name]} is attached to ${have[5]}, others to $instance"
        zone=${have[4]} instance=${have[5]}
    done
    [[ -n $instance ]] || die "none of the volumes $* is attached to an instance"
}

# The arguments of aws that state what is provisioned.
provisioned() {
    local -a words=(--volume-type "$1" --size "$2")
    [[ $3 == - ]] || words+=(--iops "$3")
    [[ $4 == - ]] || words+=(--throughput "$4")
    echo "${words[@]}"
}

# modify KEY OLD... NEW...: each is TYPE GIB IOPS MIBS. One request does all of it.
modify() {
    local -a words
    need "$1"
    if is "$1" "${@:6:4}"; then
        [[ $3 == "$7" ]] || wait_for_size "$1" "$7"
        return
    fi
    is "$1" "${@:2:4}" ||
        die "$1: ${id[$1]} is $found; expected ${*:2:4}, or ${*:6:4} if it is modified already"
    read -ra words <<<"$(provisioned "${@:6:4}")"
    run aws ec2 modify-volume --volume-id "${id[$1]}" "${words[@]}"
    [[ -n $dry_run || $3 == "$7" ]] || wait_for_size "$1" "$7"
}

# wait_for_size KEY GIB: a size can be used as soon as the volume is being optimised for it.
wait_for_size() {
    local state
    while true; do
        state=$(aws ec2 describe-volumes-modifications --volume-ids "${id[$1]}" --output text \
            --query 'VolumesModifications[0].ModificationState' 2>/dev/null) || state=None
        case $state in
            modifying) sleep 5 ;;
            failed) die "$1: the modification of ${id[$1]} failed" ;;
            *) break ;;
        esac
    done
    await "$1" "$2"
}

# create NAME TYPE GIB IOPS MIBS DEVICE: a volume, encrypted, attached to this instance. Its id is
# kept at once, and the token has AWS make no second one.
create() {
    local key=new/$1 made
    local -a words
    if [[ -z ${id[$key]-} ]]; then
        read -ra words <<<"$(provisioned "${@:2:4}")"
        words=(aws ec2 create-volume --availability-zone "$zone" --encrypted "${words[@]}"
            --client-token "blockyard-$instance-$1-$2-$3" --tag-specifications
            "ResourceType=volume,Tags=[{Key=Name,Value=$1},{Key=Device,Value=$6}]"
            --query VolumeId --output text)
        say "${words[@]}"
        if [[ -n $dry_run ]]; then
            say aws ec2 attach-volume --volume-id "$key" --instance-id "$instance"
            return
        fi
        made=$("${words[@]}")
        [[ $made == vol-* ]] || die "$1: aws made no volume: $made"
        id[$key]=$made
        echo "$key=$made" >>"$file.new"
    fi
    is "$key" "${@:2:4}" || die "$key: ${id[$key]} is $found; expected ${*:2:4}"
    attach "$key" "$3"
}

# attach KEY GIB: as the first name that is free.
attach() {
    local name used
    local -a have=()
    read -ra have <<<"$(described "${id[$1]}")"
    if [[ ${have[5]} != "$instance" ]]; then
        [[ ${have[5]} == None ]] || die "$1: ${id[$1]} is attached to ${have[5]}"
        [[ -n $dry_run ]] || aws ec2 wait volume-available --volume-ids "${id[$1]}"
        used=" $(aws ec2 describe-instances --instance-ids "$instance" --output text --query \
            'Reservations[0].Instances[0].BlockDeviceMappings[].DeviceName' | tr '\t\n' '  ') "
        for name in /dev/sd{f..p} /dev/xvd{b..c}{a..z}; do
            [[ $used == *" $name "* ]] || break
        done
        run aws ec2 attach-volume --volume-id "${id[$1]}" --instance-id "$instance" --device "$name"
    fi
    await "$1" "$2"
}

# The block device of a volume, by whose path LVM knows it; nothing where there is none.
device_of() {
    local link
    link=$(find_ebs "${id[$1]}" -)
    [[ -z $link ]] || readlink -f "$link"
}

# await KEY GIB: until Linux has the volume in this size.
await() {
    local until=$((SECONDS + 120)) path
    [[ -z $dry_run ]] || return 0
    until
        path=$(device_of "$1")
        [[ -b $path ]] && (($(blockdev --getsize64 "$path") >= $2 << 30))
    do
        ((SECONDS < until)) || die "$1: ${id[$1]} is not there in its size after 120 s"
        sleep 1
    done
}

# detach KEY: a volume that is of no group; it is kept.
detach() {
    local -a have=()
    need "$1"
    read -ra have <<<"$(described "${id[$1]}")"
    [[ ${have[5]} != None ]] || return 0
    run aws ec2 detach-volume --volume-id "${id[$1]}"
    kept+=("${id[$1]}")
}

