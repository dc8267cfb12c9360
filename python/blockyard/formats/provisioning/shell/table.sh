# --- What the layout is made of ---

readonly mib=1048576
volumes=()
declare -A size=() slot=() rate=() given=() path=()
# Bytes a second of all volumes together; 0 where that is not known, as in `rate`.
host_rate=0
# By device: whether its group is missing, and which of its block devices are empty.
declare -A missing=() empty=()

# volume NAME BYTES WHERE RATE: WHERE is its name on Xen, `local` for a disk of the instance, or `-`;
# RATE is the bytes a second that it sustains.
volume() {
    volumes+=("$1")
    size[$1]=$2
    slot[$1]=$3
    rate[$1]=$4
}

host() { host_rate=$1; }

devices=()
declare -A mount=() options=() extent=() ahead=() segments=() members_of=()

# filesystem DEVICE MOUNT [OPTION]...: an XFS of these options; its segments follow.
filesystem() {
    devices+=("$1")
    mount[$1]=$2
    options[$1]="${*:3}"
    extent[$1]=4m
    ahead[$1]=
    segments[$1]=
    members_of[$1]=
}

# leg DEVICE: a logical volume for what mirrors it to another host, which formats and mounts it.
leg() {
    filesystem "$1" ''
}

# The read-ahead in KiB, and the segments, one after another, of the device that was named last.
extent() { extent[${devices[-1]}]=$1; }
read_ahead() { ahead[${devices[-1]}]=$1; }
linear() { stripe 0 "$@"; }
stripe() {
    segments[${devices[-1]}]+="$*"$'\n'
    members_of[${devices[-1]}]+=" ${*:2}"
}

