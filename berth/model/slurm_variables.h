// SlurmVariables: the names of the SLURM_* environment variables that Berth sets for jobs, steps
// and the programs of a site, or reads by name. Those that stand for an option of a command are
// rows of slurm/options/input_variables.cc.
#pragma once

namespace berth {

// The job.
inline constexpr char kSlurmClusterName[] = "SLURM_CLUSTER_NAME";
inline constexpr char kSlurmJobId[] = "SLURM_JOB_ID";
inline constexpr char kSlurmJobid[] = "SLURM_JOBID";
inline constexpr char kSlurmJobName[] = "SLURM_JOB_NAME";
inline constexpr char kSlurmJobUser[] = "SLURM_JOB_USER";
inline constexpr char kSlurmJobUid[] = "SLURM_JOB_UID";
inline constexpr char kSlurmJobGroup[] = "SLURM_JOB_GROUP";
inline constexpr char kSlurmJobGid[] = "SLURM_JOB_GID";
inline constexpr char kSlurmJobAccount[] = "SLURM_JOB_ACCOUNT";
inline constexpr char kSlurmJobPartition[] = "SLURM_JOB_PARTITION";
inline constexpr char kSlurmJobQos[] = "SLURM_JOB_QOS";
inline constexpr char kSlurmJobReservation[] = "SLURM_JOB_RESERVATION";
inline constexpr char kSlurmJobComment[] = "SLURM_JOB_COMMENT";
inline constexpr char kSlurmJobConstraints[] = "SLURM_JOB_CONSTRAINTS";
inline constexpr char kSlurmJobLicenses[] = "SLURM_JOB_LICENSES";
inline constexpr char kSlurmJobOversubscribe[] = "SLURM_JOB_OVERSUBSCRIBE";
inline constexpr char kSlurmJobWorkDir[] = "SLURM_JOB_WORK_DIR";
inline constexpr char kSlurmJobNodelist[] = "SLURM_JOB_NODELIST";
inline constexpr char kSlurmJobNumNodes[] = "SLURM_JOB_NUM_NODES";
inline constexpr char kSlurmJobCpusPerNode[] = "SLURM_JOB_CPUS_PER_NODE";
inline constexpr char kSlurmJobGpus[] = "SLURM_JOB_GPUS";
inline constexpr char kSlurmJobStartTime[] = "SLURM_JOB_START_TIME";
inline constexpr char kSlurmJobEndTime[] = "SLURM_JOB_END_TIME";
inline constexpr char kSlurmJobRestartCount[] = "SLURM_JOB_RESTART_COUNT";
inline constexpr char kSlurmRestartCount[] = "SLURM_RESTART_COUNT";
inline constexpr char kSlurmWckey[] = "SLURM_WCKEY";

// Its place: the older names of some of them, and what each node has.
inline constexpr char kSlurmNodelist[] = "SLURM_NODELIST";
inline constexpr char kSlurmNnodes[] = "SLURM_NNODES";
inline constexpr char kSlurmNodeid[] = "SLURM_NODEID";
inline constexpr char kSlurmTasksPerNode[] = "SLURM_TASKS_PER_NODE";
inline constexpr char kSlurmCpusOnNode[] = "SLURM_CPUS_ON_NODE";
inline constexpr char kSlurmGpusOnNode[] = "SLURM_GPUS_ON_NODE";
inline constexpr char kSlurmTopologyAddr[] = "SLURM_TOPOLOGY_ADDR";
inline constexpr char kSlurmTopologyAddrPattern[] = "SLURM_TOPOLOGY_ADDR_PATTERN";
inline constexpr char kSlurmLaunchNodeIpaddr[] = "SLURM_LAUNCH_NODE_IPADDR";

// What was asked for.
inline constexpr char kSlurmNtasks[] = "SLURM_NTASKS";
inline constexpr char kSlurmNprocs[] = "SLURM_NPROCS";
inline constexpr char kSlurmNtasksPerNode[] = "SLURM_NTASKS_PER_NODE";
inline constexpr char kSlurmNtasksPerCore[] = "SLURM_NTASKS_PER_CORE";
inline constexpr char kSlurmNtasksPerSocket[] = "SLURM_NTASKS_PER_SOCKET";
inline constexpr char kSlurmOvercommit[] = "SLURM_OVERCOMMIT";
inline constexpr char kSlurmCpusPerTask[] = "SLURM_CPUS_PER_TASK";
inline constexpr char kSlurmDistribution[] = "SLURM_DISTRIBUTION";
inline constexpr char kSlurmDistPlanesize[] = "SLURM_DIST_PLANESIZE";
inline constexpr char kSlurmMemPerCpu[] = "SLURM_MEM_PER_CPU";
inline constexpr char kSlurmMemPerNode[] = "SLURM_MEM_PER_NODE";
inline constexpr char kSlurmGpus[] = "SLURM_GPUS";
inline constexpr char kSlurmGpusPerNode[] = "SLURM_GPUS_PER_NODE";
inline constexpr char kSlurmGpusPerSocket[] = "SLURM_GPUS_PER_SOCKET";
inline constexpr char kSlurmGpusPerTask[] = "SLURM_GPUS_PER_TASK";
inline constexpr char kSlurmNtasksPerGpu[] = "SLURM_NTASKS_PER_GPU";
inline constexpr char kSlurmCpusPerGpu[] = "SLURM_CPUS_PER_GPU";
inline constexpr char kSlurmMemPerGpu[] = "SLURM_MEM_PER_GPU";
inline constexpr char kSlurmThreadsPerCore[] = "SLURM_THREADS_PER_CORE";
inline constexpr char kSlurmTresPerTask[] = "SLURM_TRES_PER_TASK";
inline constexpr char kSlurmNetwork[] = "SLURM_NETWORK";
inline constexpr char kSlurmProfile[] = "SLURM_PROFILE";
inline constexpr char kSlurmJobDependency[] = "SLURM_JOB_DEPENDENCY";
inline constexpr char kSlurmJobSegmentSize[] = "SLURM_JOB_SEGMENT_SIZE";
inline constexpr char kSlurmGpuBind[] = "SLURM_GPU_BIND";
inline constexpr char kSlurmGpuFreq[] = "SLURM_GPU_FREQ";
inline constexpr char kSlurmExportEnv[] = "SLURM_EXPORT_ENV";
inline constexpr char kSlurmSubmitDir[] = "SLURM_SUBMIT_DIR";
inline constexpr char kSlurmSubmitHost[] = "SLURM_SUBMIT_HOST";
inline constexpr char kSlurmOpenMode[] = "SLURM_OPEN_MODE";
inline constexpr char kSlurmCpuFreqReq[] = "SLURM_CPU_FREQ_REQ";
inline constexpr char kSlurmMemBind[] = "SLURM_MEM_BIND";
inline constexpr char kSlurmMemBindVerbose[] = "SLURM_MEM_BIND_VERBOSE";
inline constexpr char kSlurmHint[] = "SLURM_HINT";
inline constexpr char kSlurmGetUserEnv[] = "SLURM_GET_USER_ENV";
inline constexpr char kSlurmPrioProcess[] = "SLURM_PRIO_PROCESS";

// Array jobs and heterogeneous jobs.
inline constexpr char kSlurmArrayJobId[] = "SLURM_ARRAY_JOB_ID";
inline constexpr char kSlurmArrayTaskId[] = "SLURM_ARRAY_TASK_ID";
inline constexpr char kSlurmArrayTaskCount[] = "SLURM_ARRAY_TASK_COUNT";
inline constexpr char kSlurmArrayTaskMin[] = "SLURM_ARRAY_TASK_MIN";
inline constexpr char kSlurmArrayTaskMax[] = "SLURM_ARRAY_TASK_MAX";
inline constexpr char kSlurmArrayTaskStep[] = "SLURM_ARRAY_TASK_STEP";
inline constexpr char kSlurmHetSize[] = "SLURM_HET_SIZE";
inline constexpr char kSlurmHetJobId[] = "SLURM_HET_JOB_ID";
inline constexpr char kSlurmHetJobOffset[] = "SLURM_HET_JOB_OFFSET";
// Behind a name, with the number of a component: what the variable is there.
inline constexpr char kHetGroupSuffix[] = "_HET_GROUP_";

// Steps and their tasks.
inline constexpr char kSlurmStepId[] = "SLURM_STEP_ID";
inline constexpr char kSlurmStepid[] = "SLURM_STEPID";
inline constexpr char kSlurmStepNodelist[] = "SLURM_STEP_NODELIST";
inline constexpr char kSlurmStepNumNodes[] = "SLURM_STEP_NUM_NODES";
inline constexpr char kSlurmStepNumTasks[] = "SLURM_STEP_NUM_TASKS";
inline constexpr char kSlurmStepTasksPerNode[] = "SLURM_STEP_TASKS_PER_NODE";
inline constexpr char kSlurmStepGpus[] = "SLURM_STEP_GPUS";
inline constexpr char kSlurmStepLauncherPort[] = "SLURM_STEP_LAUNCHER_PORT";
inline constexpr char kSlurmSrunCommHost[] = "SLURM_SRUN_COMM_HOST";
inline constexpr char kSlurmSrunCommPort[] = "SLURM_SRUN_COMM_PORT";
inline constexpr char kSlurmMpiType[] = "SLURM_MPI_TYPE";
inline constexpr char kSlurmProcid[] = "SLURM_PROCID";
inline constexpr char kSlurmLocalid[] = "SLURM_LOCALID";
inline constexpr char kSlurmGtids[] = "SLURM_GTIDS";
inline constexpr char kSlurmTaskPid[] = "SLURM_TASK_PID";
inline constexpr char kSlurmCpuBind[] = "SLURM_CPU_BIND";
inline constexpr char kSlurmCpuBindList[] = "SLURM_CPU_BIND_LIST";
inline constexpr char kSlurmCpuBindType[] = "SLURM_CPU_BIND_TYPE";
inline constexpr char kSlurmCpuBindVerbose[] = "SLURM_CPU_BIND_VERBOSE";
inline constexpr char kSlurmMemBindList[] = "SLURM_MEM_BIND_LIST";
inline constexpr char kSlurmMemBindType[] = "SLURM_MEM_BIND_TYPE";
inline constexpr char kSlurmMemBindPrefer[] = "SLURM_MEM_BIND_PREFER";
inline constexpr char kSlurmPtyWinCol[] = "SLURM_PTY_WIN_COL";
inline constexpr char kSlurmPtyWinRow[] = "SLURM_PTY_WIN_ROW";

// How a job ended and what mail says of it, for the programs of the site.
inline constexpr char kSlurmScriptContext[] = "SLURM_SCRIPT_CONTEXT";
inline constexpr char kSlurmJobState[] = "SLURM_JOB_STATE";
inline constexpr char kSlurmJobExitCode[] = "SLURM_JOB_EXIT_CODE";
inline constexpr char kSlurmJobExitCode2[] = "SLURM_JOB_EXIT_CODE2";
inline constexpr char kSlurmJobExitCodeMin[] = "SLURM_JOB_EXIT_CODE_MIN";
inline constexpr char kSlurmJobExitCodeMax[] = "SLURM_JOB_EXIT_CODE_MAX";
inline constexpr char kSlurmJobDerivedEc[] = "SLURM_JOB_DERIVED_EC";
inline constexpr char kSlurmJobTermSignalMax[] = "SLURM_JOB_TERM_SIGNAL_MAX";
inline constexpr char kSlurmJobMailType[] = "SLURM_JOB_MAIL_TYPE";
inline constexpr char kSlurmJobMailUser[] = "SLURM_JOB_MAIL_USER";
inline constexpr char kSlurmJobQueuedTime[] = "SLURM_JOB_QUEUED_TIME";
inline constexpr char kSlurmJobRunTime[] = "SLURM_JOB_RUN_TIME";

// What the commands and daemons read themselves.
inline constexpr char kSlurmConf[] = "SLURM_CONF";
inline constexpr char kSlurmJwt[] = "SLURM_JWT";
inline constexpr char kSlurmTimeFormat[] = "SLURM_TIME_FORMAT";
inline constexpr char kSlurmExitError[] = "SLURM_EXIT_ERROR";
inline constexpr char kSlurmExitImmediate[] = "SLURM_EXIT_IMMEDIATE";

}  // namespace berth
