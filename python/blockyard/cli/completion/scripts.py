"""The scripts that make a shell ask `blockyard` for completions.

Each script passes the command line up to the cursor, receives one candidate per line, followed
by a tab and its help, and completes file names if there is none. The reply is typer's, in the
form for fish. No blank follows `=` and `/`.
"""

BASH = r"""# bash completion for blockyard

_blockyard() {
    local line=${COMP_LINE:0:COMP_POINT} word head reply
    # bash breaks words at = and :, and wants only the part behind the break.
    word=${line##*[[:space:]]}
    head=
    [[ $COMP_WORDBREAKS == *=* && $word == *=* ]] && head=${word%"${word##*=}"}
    COMPREPLY=()
    while IFS=$'\t' read -r reply _; do
        [[ -n $reply ]] || continue
        printf -v reply %q "${reply#"$head"}"
        COMPREPLY+=("$reply")
    done < <(_BLOCKYARD_COMPLETE=complete_fish _TYPER_COMPLETE_FISH_ACTION=get-args \
        _TYPER_COMPLETE_ARGS=$line "$1" 2>/dev/null)
    [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[=/] ]] && compopt -o nospace
    return 0
}

complete -o default -F _blockyard blockyard
"""

ZSH = r"""#compdef blockyard

_blockyard() {
    local -a replies open closed
    local reply value
    replies=("${(@f)$(_BLOCKYARD_COMPLETE=complete_fish _TYPER_COMPLETE_FISH_ACTION=get-args \
        _TYPER_COMPLETE_ARGS="${words[1,CURRENT-1]} $PREFIX" ${words[1]} 2>/dev/null)}")
    for reply in $replies; do
        value=${reply%%$'\t'*}
        case $value in
            (*[=/]) open+=("$value") ;;
            (?*) closed+=("${value//:/\\:}${${reply#$value}/$'\t'/:}") ;;
        esac
    done
    if (( $#open + $#closed == 0 )); then
        [[ $PREFIX == *=* ]] && compset -P '*='
        _files
        return
    fi
    (( $#open )) && compadd -S '' -- $open
    (( $#closed )) && _describe 'blockyard' closed
}

if [[ $funcstack[1] == _blockyard ]]; then
    _blockyard "$@"
else
    compdef _blockyard blockyard
fi
"""

FISH = r"""# fish completion for blockyard

function __blockyard_complete
    set --local program (commandline --tokenize --current-process)[1]
    set --local replies (env _BLOCKYARD_COMPLETE=complete_fish \
        _TYPER_COMPLETE_FISH_ACTION=get-args \
        _TYPER_COMPLETE_ARGS=(commandline --current-process --cut-at-cursor | string collect) \
        $program 2>/dev/null | string match --regex '.+')
    if test (count $replies) -gt 0
        printf '%s\n' $replies
        return
    end
    set --local word (commandline --current-token --cut-at-cursor)
    set --local head (string match --regex '^.*=' -- $word)
    set --local rest (string replace --regex '^.*=' '' -- $word)
    printf "$head%s\n" (__fish_complete_path $rest)
end

complete --command blockyard --no-files --arguments '(__blockyard_complete)'
"""
