# Bash completion of Slurm's commands as Berth has them, and of `berth` itself. Options come from
# --help, and names of jobs, nodes, partitions, QOS and accounts from the running cluster.
# bash-completion finds it as completions/sbatch and so on; else: source this file.

# _berth_options COMMAND...: the long options that its --help names. Those with a value end in "=".
_berth_options() {
    "$@" --help 2>/dev/null | grep -oE -- '--[A-Za-z][A-Za-z0-9-]*(\[?=)?' | sed 's/\[=$//' | sort -u
}

# _berth_values OPTION: what may stand behind it; fails for one whose values are not known.
_berth_values() {
    case $1 in
        -p | --partition) sinfo -h -o %R | sort -u ;;
        -w | --nodelist | -x | --exclude | --nodes) sinfo -h -N -o %N | sort -u ;;
        -q | --qos) sacctmgr -nP show qos format=name ;;
        -A | --account | --accounts) sacctmgr -nP show account format=account ;;
        -j | --jobs | --jobid) squeue -h --me -o %i ;;
        --reservation) scontrol -o show reservation | sed -n 's/^ReservationName=\([^ ]*\).*/\1/p' ;;
        -u | --user | --users) compgen -u ;;
        --mail-type) printf '%s\n' NONE BEGIN END FAIL REQUEUE ALL TIME_LIMIT TIME_LIMIT_80 ARRAY_TASKS ;;
        --open-mode) printf '%s\n' append truncate ;;
        --mpi) printf '%s\n' none pmi2 pmix list ;;
        *) return 1 ;;
    esac 2>/dev/null
}

# _berth_words COMMAND BEFORE: what may stand there without an option.
_berth_words() {
    case $1 in
        scancel | seff) squeue -h --me -o %i ;;
        scontrol) printf '%s\n' show update hold release requeue suspend resume create delete ping reconfigure top token wait_job write version ;;
        sacctmgr) printf '%s\n' show list add modify delete dump load ping version ;;
        sreport) _berth_reports "$2" ;;
        *) return 1 ;;
    esac 2>/dev/null
}

_berth_reports() {
    case $1 in
        cluster) printf '%s\n' AccountUtilizationByUser UserUtilizationByAccount UserUtilizationByWckey Utilization WCKeyUtilizationByUser ;;
        job) printf '%s\n' SizesByAccount SizesByAccountAndWckey SizesByWckey ;;
        reservation) printf '%s\n' Utilization ;;
        user) printf '%s\n' TopUsage ;;
        *) printf '%s\n' cluster job reservation user ;;
    esac
}

_berth_entities() {
    case $1 in
        scontrol) printf '%s\n' job node partition reservation config step hostnames licenses topology assoc_mgr ;;
        sacctmgr) printf '%s\n' account association cluster qos user ;;
    esac
}

_berth_complete() {
    local command=${COMP_WORDS[0]##*/} word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} found
    # "--partition=ma" reaches us as three words.
    if [ "$word" = "=" ]; then
        word=
    elif [ "$before" = "=" ]; then
        before=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    COMPREPLY=()
    if [[ $word == -* ]]; then
        local scope=("${COMP_WORDS[0]}")
        [ "$command" != berth ] || [[ ${COMP_WORDS[1]} == -* ]] || scope+=("${COMP_WORDS[1]}")
        mapfile -t COMPREPLY < <(compgen -W "$(_berth_options "${scope[@]}")" -- "$word")
        [[ ${COMPREPLY[0]} == *= && ${#COMPREPLY[@]} == 1 ]] && compopt -o nospace 2>/dev/null
        return
    fi
    if found=$(_berth_values "$before"); then
        mapfile -t COMPREPLY < <(compgen -W "$found" -- "$word")
    elif [ "$command" = berth ] && [ "$COMP_CWORD" = 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "$(berth --help | sed -n '/^[Ss][Uu][Bb][Cc]/,$s/^  \([a-z][a-z-]*\) .*/\1/p')" -- "$word")
    elif [ "$before" = show ] || [ "$before" = list ] || { [ "$command" = sacctmgr ] && [ "$COMP_CWORD" = 2 ]; }; then
        mapfile -t COMPREPLY < <(compgen -W "$(_berth_entities "$command")" -- "$word")
    elif found=$(_berth_words "$command" "$before"); then
        mapfile -t COMPREPLY < <(compgen -W "$found" -- "$word")
    else
        compopt -o default 2>/dev/null  # Files.
    fi
}

complete -F _berth_complete sbatch srun salloc squeue sinfo sacct scancel scontrol sacctmgr sprio sreport sshare sstat sdiag sattach sbcast seff berth
