#!/bin/sh
#SBATCH --time=5
echo $(id -un) $SLURM_JOB_QOS "$@" >ran-7
