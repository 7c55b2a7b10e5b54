// berth-pmi: serves PMI-1 and PMI-2 to the tasks of a step on one node (srun --mpi=pmi2). Started
// by the shepherd as the step's user in the step's cgroup, not for use by hand.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <vector>

#include "apps/mpi/link.h"
#include "berth/mpi/pmi_server.h"

namespace berth {
namespace {

// Unread answers: a task that has this many is not read from either.
constexpr std::size_t kUnreadMax = 64 * 1024;

class Server {
public:
    Server(MpiLink& link, MpiStep step)
        : link_(link), tasks_(step.ranks.size()), pmi_(std::move(step)) {
        for (std::size_t at = 0; at < tasks_.size(); ++at) {
            tasks_[at].fd = kMpiFirstTaskFd + static_cast<int>(at);
            ::fcntl(tasks_[at].fd, F_SETFL, O_RDWR | O_NONBLOCK);
        }
    }

    MpiReady ready() const {
        MpiReady ready;
        for (std::size_t at = 0; at < tasks_.size(); ++at) {
            ready.environment.push_back(pmi_.environment_of(at));
        }
        return ready;
    }

    void run() {
        while (link_.is_open()) {
            const std::vector<pollfd> waiting = poll_all();
            for (std::size_t at = 0; at < tasks_.size(); ++at) {
                if (waiting[at + 1].revents != 0) serve(at);
            }
            if (waiting[0].revents != 0) read_link();
        }
        // No task runs any more, but the last message of one may be an abort of all tasks.
        for (std::size_t at = 0; at < tasks_.size(); ++at) serve(at);
    }

private:
    struct Task {
        int fd = -1;
        std::string unread;  // Answers not yet written.
        bool closing = false;
    };

    std::vector<pollfd> poll_all() const {
        std::vector<pollfd> all{{link_.fd(), POLLIN, 0}};
        for (const Task& task : tasks_) {
            short wanted = task.unread.size() > kUnreadMax || task.closing ? 0 : POLLIN;
            if (!task.unread.empty()) wanted |= POLLOUT;
            all.push_back({task.fd, wanted, 0});
        }
        ::poll(all.data(), all.size(), -1);
        return all;
    }

    void read_link() {
        while (const auto frame = link_.receive(false)) {
            const auto part = read_exchange(*frame);
            if (!part.ok()) continue;
            exchanged_ += part->bytes;
            if (!part->last) continue;
            PmiServer::Effects effects;
            pmi_.exchanged(part->key, exchanged_, effects);
            exchanged_.clear();
            act(effects);
        }
    }

    void serve(std::size_t at) {
        Task& task = tasks_[at];
        if (task.fd < 0) return;
        write(task);
        char bytes[16384];
        while (task.fd >= 0 && !task.closing && task.unread.size() <= kUnreadMax) {
            const ssize_t got = ::read(task.fd, bytes, sizeof bytes);
            if (got < 0 && errno == EINTR) continue;
            if (got < 0 && errno == EAGAIN) return;
            PmiServer::Effects effects;
            if (got > 0) {
                pmi_.heard(at, {bytes, static_cast<std::size_t>(got)}, effects);
            } else {
                close(task);
                pmi_.hung_up(at, effects);
            }
            act(effects);
        }
    }

    void act(const PmiServer::Effects& effects) {
        for (const auto& [at, text] : effects.replies) tasks_[at].unread += text;
        for (const std::size_t at : effects.closed) tasks_[at].closing = true;
        for (Task& task : tasks_) write(task);
        if (effects.given) {
            link_.send(encode_exchange(effects.given->first, {}, effects.given->second));
        }
        for (const PmiServer::Abort& abort : effects.aborts) {
            link_.send(encode_frame(StepFrameKind::abort, abort.rank, abort.why));
        }
    }

    static void write(Task& task) {
        while (task.fd >= 0 && !task.unread.empty()) {
            const ssize_t put =
                ::send(task.fd, task.unread.data(), task.unread.size(), MSG_NOSIGNAL);
            if (put < 0 && errno == EINTR) continue;
            if (put < 0 && errno == EAGAIN) return;
            if (put < 0) return close(task);
            task.unread.erase(0, static_cast<std::size_t>(put));
        }
        if (task.closing) close(task);
    }

    static void close(Task& task) {
        if (task.fd >= 0) ::close(task.fd);
        task.fd = -1;
        task.unread.clear();
    }

    MpiLink& link_;
    std::vector<Task> tasks_;
    PmiServer pmi_;
    std::string exchanged_;  // Data of the exchange under way.
};

}  // namespace
}  // namespace berth

int main() {
    // Signals to the step are meant for its tasks; the server ends with them.
    for (const int number : {SIGHUP, SIGINT, SIGTERM, SIGQUIT, SIGUSR1, SIGUSR2, SIGPIPE}) {
        ::signal(number, SIG_IGN);
    }
    ::prctl(PR_SET_NAME, "berth-pmi");
    berth::MpiLink link(berth::kMpiLinkFd);
    auto step = link.greet();
    if (!step) {
        std::fprintf(stderr, "berth-pmi: berth-step starts it, for srun --mpi=pmi2\n");
        return 2;
    }
    berth::Server server(link, *std::move(step));
    link.answer(server.ready());
    server.run();
    return 0;
}
