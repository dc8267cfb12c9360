# check DEVICE: whether its volume group is there, or can be made without loss of anything.
check() {
    local device=$1 name
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
            must_be_zero "$name" "$mib"
        else
            must_be_zero "$name" 0
            empty[$device]+=" $name"
        fi
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
    set_read_ahead "$device"
    [[ -z ${mount[$device]} ]] || make_file_system "$device"
}

main() {
    local name device tool file='' dry_run='' quick='' patience=120 deadline
    local -a pairs=()
    layout
    while (($#)); do
        case $1 in
            --dry-run) dry_run=yes ;;
            --quick) quick=yes ;;
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
    for tool in blkid cmp dd lsblk lvcreate mkfs.xfs mountpoint wipefs; do
        command -v "$tool" >/dev/null ||
            die "$tool is missing; install lvm2, xfsprogs, util-linux, diffutils and coreutils"
    done
    deadline=$((SECONDS + patience))
    for name in "${volumes[@]}"; do wait_for "$name"; done
    # Nothing is changed before all is known to be possible.
    for device in "${devices[@]}"; do check "$device"; done
    read_unread
    set_timeout
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
