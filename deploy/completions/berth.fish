# Fish completion of Slurm's commands as Berth has them, and of `berth` itself. Options and their
# texts come from --help, and names of jobs, nodes, partitions, QOS and accounts from the running
# cluster. Fish finds it as vendor_completions.d/sbatch.fish and so on; else: source this file.

# __berth_options COMMAND...: "--option<Tab>text" for each line of --help. With a value it ends in "=".
function __berth_options
    command $argv --help 2>/dev/null |
        string replace -rf '^ +(?:-\w, ?)?(--[A-Za-z][A-Za-z0-9-]*)(?:\[?(=)\S*| TEXT| UINT)?(?: {2,}(.*))?$' '$1$2\t$3'
end

# __berth_values OPTION: what may stand behind it; fails for one whose values are not known.
function __berth_values
    switch $argv[1]
        case -p --partition
            sinfo -h -o %R | sort -u
        case -w --nodelist -x --exclude --nodes
            sinfo -h -N -o %N | sort -u
        case -q --qos
            sacctmgr -nP show qos format=name
        case -A --account --accounts
            sacctmgr -nP show account format=account
        case -j --jobs --jobid
            squeue -h --me -o %i:%j | string replace : \t
        case --reservation
            scontrol -o show reservation | string match -rg '^ReservationName=(\S*)'
        case -u --user --users
            __fish_complete_users
        case --mail-type
            printf '%s\n' NONE BEGIN END FAIL REQUEUE ALL TIME_LIMIT TIME_LIMIT_80 ARRAY_TASKS
        case --open-mode
            printf '%s\n' append truncate
        case --mpi
            printf '%s\n' none pmi2 pmix list
        case '*'
            return 1
    end 2>/dev/null
end

# __berth_words COMMAND [WORD...]: what may stand there without an option.
function __berth_words
    set -l before $argv[-1]
    switch $argv[1]
        case scancel seff
            squeue -h --me -o %i:%j | string replace : \t
        case scontrol
            if test "$before" = show
                printf '%s\n' job node partition reservation config step hostnames licenses topology assoc_mgr
            else
                printf '%s\n' show update hold release requeue suspend resume create delete ping reconfigure top token wait_job write version
            end
        case sacctmgr
            if test (count $argv) -ge 2
                printf '%s\n' account association cluster qos user
            else
                printf '%s\n' show list add modify delete dump load ping version
            end
        case sreport
            switch $before
                case cluster
                    printf '%s\n' AccountUtilizationByUser UserUtilizationByAccount UserUtilizationByWckey Utilization WCKeyUtilizationByUser
                case job
                    printf '%s\n' SizesByAccount SizesByAccountAndWckey SizesByWckey
                case reservation
                    printf '%s\n' Utilization
                case user
                    printf '%s\n' TopUsage
                case '*'
                    printf '%s\n' cluster job reservation user
            end
        case berth
            test (count $argv) -eq 1; or return 1
            berth --help | string replace -rf '^  ([a-z][a-z-]*) +(.*)$' '$1\t$2'
        case '*'
            return 1
    end 2>/dev/null
end

function __berth_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    if string match -qr -- '^--[^=]+=' $current
        set -l option (string split -m1 = -- $current)[1]
        for value in (__berth_values $option)
            printf '%s=%s\n' $option $value
        end
        return
    end
    if string match -q -- '-*' $current
        set -l scope $words[1]
        test $scope = berth; and set -a scope (string match -v -- '-*' $words[2..])[1]
        __berth_options $scope
        return
    end
    test (count $words) -gt 1; and __berth_values $words[-1]; and return
    __berth_words $words; or __fish_complete_path $current
end

for name in sbatch srun salloc squeue sinfo sacct scancel scontrol sacctmgr sprio sreport sshare sstat sdiag sattach sbcast seff berth
    complete -c $name -f -a '(__berth_complete)'
end
