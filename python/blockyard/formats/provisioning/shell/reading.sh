# --- Whether a device is empty ---

# By block device that must hold only zeros: from which byte on.
declare -A unread=()
# By block device: the bytes a second that its volume sustains.
declare -A rate_of=()
# Where readers say how far they are and what they found.
notes=

# must_be_zero DEVICE FROM: has it read by `read_unread`, unless tools see something on it.
must_be_zero() {
    local holds=
    [[ $2 != 0 ]] || holds=$(known_contents "$1")
    [[ -z $holds ]] || die "$1 $holds; it is not overwritten"
    unread[$1]=$2
}

# Reads whole devices, all at once. The first byte that is not zero ends the run.
read_unread() {
    local of number=0 total=0 found
    ((${#unread[@]} > 0)) || return 0
    for of in "${!unread[@]}"; do
        total=$((total + $(blockdev --getsize64 "$of") - unread[$of]))
    done
    if [[ -n $quick ]]; then say_samples; else say_estimate "$total"; fi
    # Readers end without this folder.
    notes=$(mktemp -d)
    trap 'rm -rf "$notes"' EXIT
    for of in "${!unread[@]}"; do
        number=$((number + 1))
        read_device "$of" "${unread[$of]}" "$notes/$number" &
    done
    watch_readers "$total"
    found=$(cat "$notes"/*.found 2>/dev/null | sort | head -n 1) || true
    [[ -z $found ]] || die "$found; it is not overwritten"
    # A reader that could not read has said why, and has left no word of its end.
    [[ $(cat "$notes"/*.end 2>/dev/null | wc -l) == "$number" ]] || die "not all could be read"
    # Reading takes hours: something may have come to stand there.
    for of in "${!unread[@]}"; do
        [[ ${unread[$of]} != 0 ]] || must_be_zero "$of" 0
    done
    unread=()
    rm -rf "$notes"
    trap - EXIT
}

say_estimate() {
    local of bytes slowest=0 about=''
    for of in "${!unread[@]}"; do
        bytes=$(blockdev --getsize64 "$of")
        ((${rate_of[$of]-0} == 0 || bytes / rate_of[$of] <= slowest)) ||
            slowest=$((bytes / rate_of[$of]))
    done
    ((host_rate == 0 || $1 / host_rate <= slowest)) || slowest=$(($1 / host_rate))
    ((slowest == 0)) || about=", about $(minutes "$slowest") by what the layout sustains"
    echo "Reading $(($1 / mib)) MiB, all of ${!unread[*]}, to see that nothing is there$about." >&2
}

say_samples() {
    local of
    for of in "${!unread[@]}"; do
        echo "--quick: $of is read at some 560 places; data between two, up to" \
            "$(($(blockdev --getsize64 "$of") / 512 / 1024)) KiB in one piece, is missed." >&2
    done
}

minutes() {
    if (($1 < 120)); then
        echo "$1 s"
    elif (($1 < 7200)); then
        echo "$(($1 / 60)) min"
    else
        echo "$(($1 / 3600)) h $(($1 % 3600 / 60)) min"
    fi
}

# Waits until all readers are done or one has found something. Says every half minute how far they
# are in whole devices; samples are 40 MiB, in no order.
watch_readers() {
    local began=$SECONDS told=$SECONDS all=$(($1 / mib)) got
    while [[ -n $(jobs -pr) ]] && ! compgen -G "$notes/*.found" >/dev/null; do
        sleep 0.2
        [[ -z $quick ]] || continue
        ((SECONDS - told >= 30)) || continue
        told=$SECONDS
        got=$(cat "$notes"/*.at 2>/dev/null | awk '{ sum += $1 } END { print int(sum / 1048576) }')
        ((got > 0)) || continue
        echo "Read $got of $all MiB; $(minutes $(((all - got) * (told - began) / got))) to go." >&2
    done
    : >"$notes/stop"
    wait
}

# read_device DEVICE FROM NOTE: writes to NOTE.found where it is not zero, or to NOTE.end.
read_device() {
    local all at length found=''
    all=$(blockdev --getsize64 "$1")
    while read -r at length; do
        # What is read past the page cache begins and ends with a sector.
        length=$(((length + at % 4096 + 4095) / 4096 * 4096))
        at=$((at - at % 4096))
        ((at >= $2 && at < all)) || continue
        ((at + length <= all)) || length=$((all - at))
        [[ -d $notes && ! -e $notes/stop ]] || return 0
        found=$(not_zero "$1" "$at" "$length") || return 0
        [[ -z $found ]] || break
        echo "$((at - $2 + length))" >"$3.at" || return 0
    done <<<"$(if [[ -n $quick ]]; then samples "$all"; else pieces "$2" "$all"; fi)"
    if [[ -n $found ]]; then echo "$found" >"$3.found"; else echo zero >"$3.end"; fi
}

# not_zero DEVICE OFFSET LENGTH: says where it is not zero. Reads of 16 MiB past the page cache keep
# as many requests in flight as a volume needs, and leave other programs' pages where they are.
not_zero() {
    local found status=0
    found=$(dd if="$1" bs=16M iflag=direct,skip_bytes,count_bytes,fullblock \
        skip="$2" count="$3" status=none | cmp --bytes="$3" - /dev/zero) || status=$?
    if [[ $found =~ (byte|char)\ ([0-9]+) ]]; then
        echo "$1 is not zero at byte $(($2 + BASH_REMATCH[2] - 1))"
    else
        return "$status"
    fi
}

# All of a device: pieces of 256 MiB, as offset and length.
pieces() {
    local at
    for ((at = $1; at < $2; at += 256 * mib)); do
        echo "$at $((256 * mib))"
    done
}

# Places of a device of so many bytes, each as its offset and length: its first 4 MiB, where
# partitions and logical volumes begin; its last MiB, for copies of partition tables and of RAID's
# metadata; copies of superblocks; and 512 places spread evenly over all of it.
samples() {
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

