die() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

# --- What is done ---

changes=0

# Says a command that changes something, or with --dry-run that it would be carried out.
say() {
    local word
    changes=$((changes + 1))
    if [[ -n $dry_run ]]; then printf 'would run:'; else printf '+'; fi
    for word; do
        if [[ $word =~ [^A-Za-z0-9_./=,:%+-] ]]; then word=$(printf %q "$word"); fi
        printf ' %s' "$word"
    done
    echo
}

# A command that fails ends the run, wherever it was called from.
run() {
    say "$@"
    [[ -n $dry_run ]] || "$@" </dev/null >/dev/null || die "$1 failed; nothing after it was done"
}

