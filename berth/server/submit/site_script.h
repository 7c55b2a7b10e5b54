// SiteScript: for tests, a job_submit.lua in the manner of those that sites publish.
#pragma once

#include <gtest/gtest.h>

namespace berth {

inline constexpr const char* kSiteScript = R"lua(--[[ Rules for submissions. ]]--
local DEFAULT_QOS = "normal"
local MAX_MINUTES = 48 * 60
local GPU_PARTITION = "main"
local low_accounts = { guests = true, students = true }

local function is_unset(value)
    return value == nil or value == '' or value == slurm.NO_VAL or value == slurm.NO_VAL16
end

local function gpus_per_node(job_desc)
    local gres = job_desc.gres or job_desc.tres_per_node or ""
    local count = 0
    for word in string.gmatch(gres, "[^,]+") do
        if string.find(word, "gpu") then
            count = count + tonumber(string.match(word, "gpu[:=](%d+)$") or
                                     string.match(word, "gpu:[%w_]+[:=](%d+)$") or 1)
        end
    end
    return count
end

function slurm_job_submit(job_desc, part_list, submit_uid)
    if submit_uid == 0 then
        return slurm.SUCCESS
    end

    if is_unset(job_desc.time_limit) then
        slurm.log_user("Please give a time limit with --time.")
        return slurm.ESLURM_INVALID_TIME_LIMIT
    end
    if is_unset(job_desc.account) then
        slurm.log_user("You have to specify an account: sbatch --account=NAME")
        return slurm.ESLURM_INVALID_ACCOUNT
    end

    local gpus = gpus_per_node(job_desc)
    if gpus > 8 then
        return slurm.ESLURM_INVALID_GRES
    end
    if gpus > 0 and job_desc.partition == nil then
        if part_list[GPU_PARTITION] ~= nil then
            job_desc.partition = GPU_PARTITION
            slurm.log_user("%d GPUs per node: the job goes to partition %s.", gpus, GPU_PARTITION)
        end
    end

    if job_desc.time_limit ~= slurm.INFINITE and job_desc.time_limit > MAX_MINUTES then
        job_desc.time_limit = MAX_MINUTES
        slurm.log_user("The time limit is lowered to %d hours.", MAX_MINUTES / 60)
    end

    if low_accounts[job_desc.account] then
        job_desc.qos = "low"
    elseif job_desc.qos == nil then
        job_desc.qos = DEFAULT_QOS
    end

    if job_desc.pn_min_memory == slurm.NO_VAL64 then
        slurm.log_debug("%s gives no memory", job_desc.user_name)
    end
    slurm.log_info("job_submit: %s account=%s partition=%s nodes=%u", job_desc.user_name,
                   job_desc.account, tostring(job_desc.partition), job_desc.min_nodes)
    return slurm.SUCCESS
end

function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
    if modify_uid ~= 0 and job_desc.time_limit ~= slurm.NO_VAL and
       job_desc.time_limit > MAX_MINUTES then
        slurm.log_user("Time limits go up to %d hours.", MAX_MINUTES / 60)
        return slurm.ERROR
    end
    return slurm.SUCCESS
end

slurm.log_info("initialized")
return slurm.SUCCESS
)lua";

}  // namespace berth
