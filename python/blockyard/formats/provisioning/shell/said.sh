die() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
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

