// berth-pmix: the PMIx server of the tasks of a step on one node (srun --mpi=pmix). Started by the
// shepherd as the step's user in the step's cgroup, not for use by hand. Messages to the servers of
// other nodes go through the shepherd and srun.
#include <pmix.h>
#include <pmix_server.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <vector>

#include "apps/mpi/link.h"
#include "apps/mpi/pmix_job.h"
#include "berth/base/codec.h"

namespace berth {
namespace {

// Between servers: the data that a rank has put, requested and sent in parts.
struct DirectModex {
    std::uint64_t request = 0;  // Chosen by the requester.
    bool answers = false, last = false;
    std::uint32_t rank = 0;
    std::int32_t status = PMIX_SUCCESS;
    std::string bytes;
    BERTH_FIELDS(DirectModex, request, answers, last, rank, status, bytes)
};

struct Waiting {
    pmix_modex_cbfunc_t tell = nullptr;
    void* told = nullptr;
    std::string bytes;  // Received so far.

    // The library uses the data until it calls back.
    void finish(pmix_status_t status) {
        auto* const kept = new std::string(std::move(bytes));
        tell(
            status, kept->data(), kept->size(), told,
            [](void* done) { delete static_cast<std::string*>(done); }, kept);
    }
};

class Server {
public:
    Server(MpiLink& link, PmixJob job) : link_(link), job_(std::move(job)) {}

    Result<MpiReady> start(const std::string& folder);
    void run() {
        while (const auto frame = link_.receive(true)) take(*frame);
    }

    pmix_status_t fence(const pmix_proc_t* processes, std::size_t count, const char* data,
                        std::size_t size, Waiting waiting);
    pmix_status_t ask(const pmix_proc_t& whose, Waiting waiting);
    void abort(std::uint32_t rank, const std::string& why) {
        link_.send(encode_frame(StepFrameKind::abort, rank, why.substr(0, kStepFrameBytesMax)));
    }

private:
    // The requester; the library keeps it until it has the answer.
    struct Asker {
        Server* server;
        std::uint32_t node;
        DirectModex answer;
    };

    void take(const StepFrame& frame);
    void serve(std::uint32_t node, const DirectModex& asked);
    void send_modex(std::uint32_t node, DirectModex answer, std::string_view bytes);
    static void give(pmix_status_t status, char* data, std::size_t size, void* asker);

    MpiLink& link_;
    PmixJob job_;
    std::mutex mutex_;  // Protects the members below: the library calls from a thread of its own.
    std::map<std::string, Waiting> fences_;
    std::map<std::uint64_t, Waiting> asked_;
    std::uint64_t requests_ = 0;
};

Server* server = nullptr;  // The library's callbacks have no user pointer.

pmix_status_t Server::fence(const pmix_proc_t* processes, std::size_t count, const char* data,
                            std::size_t size, Waiting waiting) {
    std::set<std::uint32_t> ranks, nodes;
    bool all = false;
    for (std::size_t i = 0; i < count; ++i) {
        if (job_.name() != processes[i].nspace) return PMIX_ERR_NOT_SUPPORTED;
        all = all || processes[i].rank == PMIX_RANK_WILDCARD;
        if (all) break;
        if (processes[i].rank >= job_.step().tasks) return PMIX_ERR_BAD_PARAM;
        ranks.insert(processes[i].rank);
        nodes.insert(job_.node_of(processes[i].rank));
    }
    std::string key = "pmix";
    std::vector<std::uint32_t> among;
    if (!all) {
        key +=
            " " + std::to_string(hash_of(std::vector<std::uint32_t>(ranks.begin(), ranks.end())));
        among.assign(nodes.begin(), nodes.end());
    }
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (!fences_.emplace(key, std::move(waiting)).second) return PMIX_ERR_NOT_SUPPORTED;
    }
    link_.send(encode_exchange(key, among, {data, size}));
    return PMIX_SUCCESS;
}

pmix_status_t Server::ask(const pmix_proc_t& whose, Waiting waiting) {
    if (job_.name() != whose.nspace || whose.rank >= job_.step().tasks) return PMIX_ERR_NOT_FOUND;
    DirectModex question{.last = true, .rank = whose.rank};
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        question.request = ++requests_;
        asked_.emplace(question.request, std::move(waiting));
    }
    send_modex(job_.node_of(whose.rank), std::move(question), {});
    return PMIX_SUCCESS;
}

void Server::send_modex(std::uint32_t node, DirectModex answer, std::string_view bytes) {
    constexpr std::size_t kPart = kStepFrameBytesMax / 2;
    do {
        answer.bytes = bytes.substr(0, kPart);
        bytes.remove_prefix(answer.bytes.size());
        answer.last = bytes.empty();
        link_.send(encode_frame(StepFrameKind::to_node, node, encode(answer)));
    } while (!bytes.empty());
}

void Server::give(pmix_status_t status, char* data, std::size_t size, void* asker) {
    auto* const one = static_cast<Asker*>(asker);
    one->answer.status = status;
    const bool found = status == PMIX_SUCCESS && data != nullptr;
    one->server->send_modex(one->node, one->answer,
                            found ? std::string_view(data, size) : std::string_view());
    delete one;
}

void Server::serve(std::uint32_t node, const DirectModex& asked) {
    auto* const asker =
        new Asker{this, node, {.request = asked.request, .answers = true, .rank = asked.rank}};
    const pmix_proc_t whose = job_.process(asked.rank);
    const pmix_status_t status = PMIx_server_dmodex_request(&whose, give, asker);
    if (status != PMIX_SUCCESS) give(status, nullptr, 0, asker);
}

void Server::take(const StepFrame& frame) {
    std::unique_lock<std::mutex> lock(mutex_);
    if (const auto part = read_exchange(frame); part.ok()) {
        const auto found = fences_.find(part->key);
        if (found == fences_.end()) return;
        found->second.bytes += part->bytes;
        if (!part->last) return;
        Waiting done = std::move(found->second);
        fences_.erase(found);
        lock.unlock();
        return done.finish(PMIX_SUCCESS);
    }
    const auto modex = decode<DirectModex>(frame.bytes, kMessageRoom);
    if (frame.kind != StepFrameKind::to_node || !modex.ok()) return;
    if (!modex->answers) {
        lock.unlock();
        return serve(frame.task, *modex);
    }
    const auto found = asked_.find(modex->request);
    if (found == asked_.end()) return;
    found->second.bytes += modex->bytes;
    if (!modex->last) return;
    Waiting done = std::move(found->second);
    asked_.erase(found);
    lock.unlock();
    done.finish(modex->status);
}

// ---- Callbacks of the library.

pmix_status_t on_connected(const pmix_proc_t*, void*, pmix_op_cbfunc_t, void*) {
    return PMIX_OPERATION_SUCCEEDED;
}
pmix_status_t on_finalized(const pmix_proc_t*, void*, pmix_op_cbfunc_t, void*) {
    return PMIX_OPERATION_SUCCEEDED;
}
// NOLINTBEGIN(readability-function-size): the parameters are those that PMIx passes.
pmix_status_t on_abort(const pmix_proc_t* who, void*, int status, const char text[], pmix_proc_t*,
                       std::size_t, pmix_op_cbfunc_t, void*) {
    const std::string why = text == nullptr ? "" : std::string(": ") + text;
    server->abort(who->rank, "status " + std::to_string(status) + why);
    return PMIX_OPERATION_SUCCEEDED;
}
pmix_status_t on_fence(const pmix_proc_t processes[], std::size_t count, const pmix_info_t*,
                       std::size_t, char* data, std::size_t size, pmix_modex_cbfunc_t tell,
                       void* told) {
    return server->fence(processes, count, data, size, {tell, told, {}});
}
pmix_status_t on_direct_modex(const pmix_proc_t* whose, const pmix_info_t*, std::size_t,
                              pmix_modex_cbfunc_t tell, void* told) {
    return server->ask(*whose, {tell, told, {}});
}
// A task has ended without finalizing: the others would wait for it for ever.
void on_event(std::size_t, pmix_status_t status, const pmix_proc_t* source, pmix_info_t*,
              std::size_t, pmix_info_t*, std::size_t, pmix_event_notification_cbfunc_fn_t done,
              void* told) {
    if (status == PMIX_ERR_LOST_CONNECTION && source != nullptr) {
        server->abort(source->rank, "it has ended without PMIx_Finalize");
    }
    if (done != nullptr) done(PMIX_EVENT_ACTION_COMPLETE, nullptr, 0, nullptr, nullptr, told);
}
// NOLINTEND(readability-function-size)

Result<MpiReady> Server::start(const std::string& folder) {
    server = this;
    static pmix_server_module_t module{};
    module.client_connected = on_connected;
    module.client_finalized = on_finalized;
    module.abort = on_abort;
    module.fence_nb = on_fence;
    module.direct_modex = on_direct_modex;
    pmix_info_t about[2]{};
    PMIx_Info_load(&about[0], PMIX_SERVER_TMPDIR, folder.c_str(), PMIX_STRING);
    PMIx_Info_load(&about[1], PMIX_HOSTNAME, job_.own_host().c_str(), PMIX_STRING);
    const pmix_status_t up = PMIx_server_init(&module, about, 2);
    if (up != PMIX_SUCCESS) {
        return Error{ErrorCode::internal, std::string("PMIx: ") + PMIx_Error_string(up)};
    }
    pmix_status_t lost = PMIX_ERR_LOST_CONNECTION;
    PMIx_Register_event_handler(&lost, 1, nullptr, 0, on_event, nullptr, nullptr);
    BERTH_CHECK(job_.enrol());
    MpiReady ready;
    for (const std::uint32_t rank : job_.step().ranks) {
        const pmix_proc_t one = job_.process(rank);
        char** environment = nullptr;
        const pmix_status_t made = PMIx_server_setup_fork(&one, &environment);
        if (made != PMIX_SUCCESS) {
            return Error{ErrorCode::internal, std::string("PMIx: ") + PMIx_Error_string(made)};
        }
        auto& own = ready.environment.emplace_back();
        for (char** setting = environment; setting != nullptr && *setting != nullptr; ++setting) {
            own.emplace_back(*setting);
            ::free(*setting);
        }
        ::free(static_cast<void*>(environment));
    }
    return ready;
}

// A private folder, since the library's clients trust what they find there.
Result<std::string> make_folder() {
    const char* const given = ::getenv("TMPDIR");
    std::string folder =
        std::string(given == nullptr || *given == '\0' ? "/tmp" : given) + "/berth-pmix.XXXXXX";
    if (::mkdtemp(folder.data()) == nullptr) {
        return Error{ErrorCode::unavailable, "cannot make " + folder + ": " + std::strerror(errno)};
    }
    return folder;
}

int serve(MpiLink& link, const MpiStep& step) {
    const auto folder = make_folder();
    if (!folder.ok()) return link.answer({.failure = folder.error().message}), 1;
    int code = 1;
    if (auto job = PmixJob::of(step, *folder); job.ok()) {
        Server one(link, *std::move(job));
        const auto ready = one.start(*folder);
        link.answer(ready.ok() ? *ready : MpiReady{.failure = ready.error().message});
        if (ready.ok()) one.run();
        PMIx_server_finalize();
        code = ready.ok() ? 0 : 1;
    } else {
        link.answer({.failure = job.error().message});
    }
    std::error_code ignored;
    std::filesystem::remove_all(*folder, ignored);
    return code;
}

}  // namespace
}  // namespace berth

int main() {
    // Signals to the step are meant for its tasks; the server ends with them.
    for (const int number : {SIGHUP, SIGINT, SIGTERM, SIGQUIT, SIGUSR1, SIGUSR2, SIGPIPE}) {
        ::signal(number, SIG_IGN);
    }
    ::prctl(PR_SET_NAME, "berth-pmix");
    berth::MpiLink link(berth::kMpiLinkFd);
    const auto step = link.greet();
    if (!step) {
        std::fprintf(stderr, "berth-pmix: berth-step starts it, for srun --mpi=pmix\n");
        return 2;
    }
    return berth::serve(link, *step);
}
