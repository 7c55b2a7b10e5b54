#include "apps/mpi/pmix_job.h"

#include <unistd.h>

#include <condition_variable>
#include <cstdlib>
#include <mutex>

#include "berth/base/hostlist.h"
#include "berth/base/text.h"
#include "berth/model/process_mapping.h"

namespace berth {
namespace {

template <class T>
pmix_info_t info(const char* key, const T& value, pmix_data_type_t type) {
    pmix_info_t one{};
    PMIx_Info_load(&one, key, &value, type);
    return one;
}
pmix_info_t text(const char* key, const std::string& value) {
    pmix_info_t one{};
    PMIx_Info_load(&one, key, value.c_str(), PMIX_STRING);
    return one;
}
pmix_info_t number(const char* key, std::uint32_t value) { return info(key, value, PMIX_UINT32); }

// Waits for the library's completion callback, which comes from its own thread.
class Answer {
public:
    static void take(pmix_status_t status, void* self) {
        auto* const answer = static_cast<Answer*>(self);
        const std::lock_guard<std::mutex> lock(answer->mutex_);
        answer->status_ = status, answer->came_ = true;
        answer->changed_.notify_all();
    }
    // `asked`: the immediate result of the call.
    Status wait(pmix_status_t asked, const std::string& what) {
        std::unique_lock<std::mutex> lock(mutex_);
        if (asked == PMIX_SUCCESS) changed_.wait(lock, [this] { return came_; });
        const pmix_status_t status = asked == PMIX_SUCCESS ? status_ : asked;
        if (status == PMIX_SUCCESS || status == PMIX_OPERATION_SUCCEEDED) return Done{};
        return Error{ErrorCode::internal, "PMIx: " + what + ": " + PMIx_Error_string(status)};
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    pmix_status_t status_ = PMIX_SUCCESS;
    bool came_ = false;
};

// A list of hosts or ranks in PMIx's compressed form.
Result<pmix_info_t> regex(const char* key, pmix_status_t (*make)(const char*, char**),
                          const std::string& list) {
    char* made = nullptr;
    const pmix_status_t status = make(list.c_str(), &made);
    if (status != PMIX_SUCCESS) {
        return Error{ErrorCode::internal, std::string("PMIx: ") + PMIx_Error_string(status)};
    }
    pmix_info_t one{};
    PMIx_Info_load(&one, key, made, PMIX_REGEX);
    std::free(made);
    return one;
}

}  // namespace

Result<PmixJob> PmixJob::of(const MpiStep& step, const std::string& folder) {
    PmixJob job;
    job.step_ = step;
    job.folder_ = folder;
    job.name_ = "slurm.pmix." + step.name;
    BERTH_TRY(job.hosts_, expand_hostlist(step.nodes));
    if (job.hosts_.size() != step.node_count || step.node_index >= step.node_count) {
        return Error{ErrorCode::invalid_argument, "a step whose nodes do not add up"};
    }
    BERTH_TRY(job.node_of_rank_, read_process_mapping(step.mapping, step.tasks, step.node_count));
    std::vector<std::uint16_t> on_node(step.node_count);
    for (const std::uint32_t node : job.node_of_rank_) {
        job.place_on_node_.push_back(on_node[node]++);
    }
    return job;
}

pmix_proc_t PmixJob::process(std::uint32_t rank) const {
    pmix_proc_t one{};
    name_.copy(one.nspace, PMIX_MAX_NSLEN);
    one.rank = rank;
    return one;
}

pmix_info_t PmixJob::of_rank(std::uint32_t rank) const {
    const std::uint32_t node = node_of_rank_[rank];
    const std::vector<pmix_info_t> all = {
        info(PMIX_RANK, rank, PMIX_PROC_RANK),
        number(PMIX_APPNUM, 0),
        info(PMIX_GLOBAL_RANK, rank, PMIX_PROC_RANK),
        info(PMIX_APP_RANK, rank, PMIX_PROC_RANK),
        info(PMIX_LOCAL_RANK, place_on_node_[rank], PMIX_UINT16),
        info(PMIX_NODE_RANK, place_on_node_[rank], PMIX_UINT16),
        number(PMIX_NODEID, node),
        text(PMIX_HOSTNAME, hosts_[node]),
    };
    pmix_data_array_t* array = nullptr;
    const std::size_t count = all.size();
    PMIX_DATA_ARRAY_CREATE(array, count, PMIX_INFO);
    auto* const place = static_cast<pmix_info_t*>(array->array);
    for (std::size_t i = 0; i < count; ++i) place[i] = all[i];
    pmix_info_t one{};
    const std::string_view key = PMIX_PROC_DATA;
    key.copy(one.key, PMIX_MAX_KEYLEN);
    one.value.type = PMIX_DATA_ARRAY;
    one.value.data.darray = array;
    return one;
}

Status PmixJob::add_maps(std::vector<pmix_info_t>& all) const {
    std::vector<std::string> ranks(hosts_.size());
    for (std::uint32_t rank = 0; rank < step_.tasks; ++rank) {
        std::string& here = ranks[node_of_rank_[rank]];
        here += (here.empty() ? "" : ",") + std::to_string(rank);
    }
    BERTH_TRY(pmix_info_t nodes, regex(PMIX_NODE_MAP, PMIx_generate_regex, join(hosts_, ",")));
    all.push_back(nodes);
    BERTH_TRY(pmix_info_t map, regex(PMIX_PROC_MAP, PMIx_generate_ppn, join(ranks, ";")));
    all.push_back(map);
    all.push_back(text(PMIX_LOCAL_PEERS, ranks[step_.node_index]));
    return Done{};
}

std::vector<pmix_info_t> PmixJob::of_job() const {
    const auto here = static_cast<std::uint32_t>(step_.ranks.size());
    const bool no = false, yes = true;
    return {
        text(PMIX_JOBID, step_.name),
        number(PMIX_UNIV_SIZE, step_.tasks),
        number(PMIX_JOB_SIZE, step_.tasks),
        number(PMIX_MAX_PROCS, step_.tasks),
        number(PMIX_LOCAL_SIZE, here),
        number(PMIX_NODE_SIZE, here),
        number(PMIX_NUM_NODES, step_.node_count),
        number(PMIX_NODEID, step_.node_index),
        number(PMIX_JOB_NUM_APPS, 1),
        info(PMIX_LOCALLDR, step_.ranks.front(), PMIX_PROC_RANK),
        info(PMIX_SPAWNED, no, PMIX_BOOL),
        text(PMIX_ANL_MAP, step_.mapping),
        text(PMIX_TMPDIR, folder_),
        text(PMIX_NSDIR, folder_),
        text(PMIX_PROCDIR, folder_),
        info(PMIX_TDIR_RMCLEAN, yes, PMIX_BOOL),
    };
}

Status PmixJob::enrol() const {
    std::vector<pmix_info_t> all = of_job();
    BERTH_CHECK(add_maps(all));
    for (std::uint32_t rank = 0; rank < step_.tasks; ++rank) all.push_back(of_rank(rank));
    Answer known;
    BERTH_CHECK(known.wait(
        PMIx_server_register_nspace(process(0).nspace, static_cast<int>(step_.ranks.size()),
                                    all.data(), all.size(), Answer::take, &known),
        "the step"));
    for (const std::uint32_t rank : step_.ranks) {
        const pmix_proc_t one = process(rank);
        Answer expected;
        BERTH_CHECK(expected.wait(PMIx_server_register_client(&one, ::getuid(), ::getgid(), nullptr,
                                                              Answer::take, &expected),
                                  "rank " + std::to_string(rank)));
    }
    return Done{};
}

}  // namespace berth
