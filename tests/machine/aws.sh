#!/usr/bin/env bash
# Stands for `aws`, with a file for each volume in the folder $FAKE_AWS: its type, GiB, IOPS, MiB/s,
# zone and instance. Each call is a line of `calls`. A file VOLUME.file is grown with its volume, and
# loop devices over it; the lines of `pool` are volumes to be made, each with its block device.
set -euo pipefail
cd "$FAKE_AWS"
printf '%s\n' "$*" >>calls

# The value of an option among the arguments.
option() {
    local name=$1
    shift
    while (($#)); do
        [[ $1 != "$name" ]] || { echo "$2" && return; }
        shift
    done
    echo None
}

link() { echo "/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_${1/-/}"; }

volume=$(option --volume-id "$@")
[[ $volume != None ]] || volume=$(option --volume-ids "$@")
case $2 in
    describe-volumes) cat "$volume" ;;
    describe-volumes-modifications) cat modification 2>/dev/null || echo completed ;;
    describe-instances) printf '/dev/sda1\t/dev/sdf\n' ;;
    wait) ;;
    modify-volume)
        read -r _ _ _ _ zone instance <"$volume"
        printf '%s\t' "$(option --volume-type "$@")" "$(option --size "$@")" \
            "$(option --iops "$@")" "$(option --throughput "$@")" "$zone" >"$volume.made"
        echo "$instance" >>"$volume.made"
        mv "$volume.made" "$volume"
        if [[ -e $volume.file ]]; then
            truncate --size "$(option --size "$@")G" "$(cat "$volume.file")"
            losetup --set-capacity "$(readlink -f "$(link "$volume")")"
        fi
        ;;
    create-volume)
        read -r volume device <pool
        sed -i 1d pool
        echo "$device" >"$volume.device"
        printf '%s\t' "$(option --volume-type "$@")" "$(option --size "$@")" \
            "$(option --iops "$@")" "$(option --throughput "$@")" \
            "$(option --availability-zone "$@")" >"$volume"
        echo None >>"$volume"
        echo "$volume"
        ;;
    attach-volume)
        sed -i "s/None$/$(option --instance-id "$@")/" "$volume"
        ln -sf "$(cat "$volume.device")" "$(link "$volume")"
        ;;
    detach-volume)
        sed -i 's/i-[0-9a-f]*$/None/' "$volume"
        rm "$(link "$volume")"
        ;;
    *) exit 1 ;;
esac
