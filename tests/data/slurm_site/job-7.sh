#!/bin/sh
#SBATCH --time=5
echo $(id -un) $SLURM_JOB_QOS $CUDA_VISIBLE_DEVICES "$@" >ran-7
