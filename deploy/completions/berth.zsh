#compdef sbatch srun salloc squeue sinfo sacct scancel scontrol sacctmgr sprio sreport sshare sstat sdiag sattach sbcast seff berth
# Zsh completion of Slurm's commands as Berth has them, and of `berth` itself. Options and their
# texts come from --help, and names of jobs, nodes, partitions, QOS and accounts from the running
# cluster. Zsh finds it as vendor-completions/_berth; else: source this file after compinit.

# _berth_options COMMAND...: "--option:text" for each line of --help. With a value it ends in "=".
_berth_options() {
    "$@" --help 2>/dev/null | sed -nE \
        -e 's/^ +(-[A-Za-z0-9], ?)?(--[A-Za-z][A-Za-z0-9-]*)\[?=[^ ]*( {2,}(.*))?$/\2=:\4/p;t' \
        -e 's/^ +(-[A-Za-z0-9], ?)?(--[A-Za-z][A-Za-z0-9-]*)( TEXT| UINT)?( {2,}(.*))?$/\2:\5/p'
}

# _berth_values OPTION: what may stand behind it; fails for one whose values are not known.
_berth_values() {
    case $1 in
        -p | --partition) sinfo -h -o %R | sort -u ;;
        -w | --nodelist | -x | --exclude | --nodes) sinfo -h -N -o %N | sort -u ;;
        -q | --qos) sacctmgr -nP show qos format=name ;;
        -A | --account | --accounts) sacctmgr -nP show account format=account ;;
        -j | --jobs | --jobid) squeue -h --me -o %i:%j ;;
        --reservation) scontrol -o show reservation | sed -n 's/^ReservationName=\([^ ]*\).*/\1/p' ;;
        -u | --user | --users) cut -d: -f1 /etc/passwd ;;
        --mail-type) print -l NONE BEGIN END FAIL REQUEUE ALL TIME_LIMIT TIME_LIMIT_80 ARRAY_TASKS ;;
        --open-mode) print -l append truncate ;;
        --mpi) print -l none pmi2 pmix list ;;
        *) return 1 ;;
    esac 2>/dev/null
}

# _berth_words COMMAND [WORD...]: what may stand there without an option.
_berth_words() {
    case "$1 ${@[-1]}" in
        "scancel "* | "seff "*) squeue -h --me -o %i:%j ;;
        "scontrol show") print -l job node partition reservation config step hostnames licenses topology assoc_mgr ;;
        "scontrol "*) print -l show update hold release requeue suspend resume create delete ping reconfigure top token wait_job write version ;;
        "sacctmgr sacctmgr") print -l show list add modify delete dump load ping version ;;
        "sacctmgr "*) print -l account association cluster qos user ;;
        "sreport cluster") print -l AccountUtilizationByUser UserUtilizationByAccount UserUtilizationByWckey Utilization WCKeyUtilizationByUser ;;
        "sreport job") print -l SizesByAccount SizesByAccountAndWckey SizesByWckey ;;
        "sreport reservation") print -l Utilization ;;
        "sreport user") print -l TopUsage ;;
        "sreport "*) print -l cluster job reservation user ;;
        "berth berth") berth --help | sed -nE 's/^  ([a-z][a-z-]*) +(.*)$/\1:\2/p' ;;
        *) return 1 ;;
    esac 2>/dev/null
}

# _berth_candidates: "word:text" for the word that is being typed, of `words` and `CURRENT`; fails
# where only files may stand.
_berth_candidates() {
    local word=${words[CURRENT]} command=${words[1]:t} scope
    if [[ $word == --*=* ]]; then
        _berth_values "${word%%=*}" | sed "s/^/${word%%=*}=/"
    elif [[ $word == -* ]]; then
        scope=("${words[1]}")
        [[ $command == berth && ${words[2]} != -* ]] && scope+=("${words[2]}")
        _berth_options "${scope[@]}"
    elif ((CURRENT > 2)) && _berth_values "${words[CURRENT - 1]}"; then
        :
    else
        _berth_words "$command" "${words[2,CURRENT - 1][@]}"
    fi
}

_berth() {
    local -a found
    found=("${(@f)$(_berth_candidates)}")
    if [[ -z ${found[1]} ]]; then
        _files
    else
        _describe -V 'value' found -S ''
    fi
}

if [[ $funcstack[1] == _berth ]]; then
    _berth "$@"
elif (($+functions[compdef])); then
    compdef _berth sbatch srun salloc squeue sinfo sacct scancel scontrol sacctmgr sprio sreport sshare sstat sdiag sattach sbcast seff berth
fi
