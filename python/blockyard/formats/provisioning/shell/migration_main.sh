waiting=()

# The ids of the new layout's volumes, for the scripts and configurations of that.
write_outcome() {
    local pair
    for pair in $outcome; do
        echo "${pair%%=*}=${id[${pair#*=}]-}"
    done | grep '=vol-' >"$file.after"
    echo "The volumes of the new layout are in $file.after."
}

main() {
    local file='' dry_run='' stopped='' tool found='' zone='' instance=''
    while (($#)); do
        case $1 in
            --dry-run) dry_run=yes ;;
            --stopped) stopped=yes ;;
            --volumes)
                (($# > 1)) || die "$1: expected a value; see --help"
                file=$2
                shift
                ;;
            -h | --help) usage && exit ;;
            *) die "no option $1; see --help" ;;
        esac
        shift
    done
    [[ -n $file ]] || die "--volumes: missing; see --help"
    take_ids "$file"
    [[ ! -e $file.new ]] || take_ids "$file.new"
    [[ $(id -u) == 0 ]] || die "only root may do this"
    for tool in $needed; do
        command -v "$tool" >/dev/null || die "$tool is missing"
    done
    steps
    if ((changes == 0 && ${#waiting[@]} > 0)); then
        echo "Nothing to do before the copy."
    elif ((changes == 0)); then
        echo "Nothing to change: all is as the new layout has it."
    elif [[ -n $dry_run ]]; then
        echo "Nothing changed; commands that would be carried out: $changes."
    else
        echo "Done; commands carried out: $changes."
    fi
    [[ -n $dry_run || ${#waiting[@]} -gt 0 ]] || write_outcome
    ((${#waiting[@]} == 0)) || {
        echo "To be copied with --stopped, once what uses it is stopped:"
        printf '  %s\n' "${waiting[@]}"
    }
    [[ ${#kept[@]} -eq 0 || -n $dry_run ]] || {
        echo "No longer used, kept and billed until you delete them:"
        printf '  aws ec2 delete-volume --volume-id %s\n' "${kept[@]}"
    }
}

main "$@"
