#include "apps/berthd/config_reader.h"

#include <utility>

namespace berth {
namespace {

constexpr std::size_t kFoldersWaitingMax = 16;

Reconfigure outcome_of(Result<ClusterSpec> read) {
    Reconfigure command;
    if (read.ok()) {
        command.spec = std::make_shared<const ClusterSpec>(*std::move(read));
    } else {
        command.problem = read.error().message;
    }
    return command;
}

}  // namespace

ConfigReader::ConfigReader(std::function<Result<ClusterSpec>()> read,
                           std::function<void(Input)> push)
    : read_(std::move(read)), push_(std::move(push)), thread_([this] { work(); }) {}

ConfigReader::~ConfigReader() {
    {
        const std::lock_guard lock(mutex_);
        stopped_ = true;
    }
    asked_.notify_all();
    thread_.join();
}

bool ConfigReader::put(ClientInput input) {
    {
        const std::lock_guard lock(mutex_);
        if (waiting_.size() >= kFoldersWaitingMax) return false;
        waiting_.push_back(std::move(input));
    }
    asked_.notify_all();
    return true;
}

void ConfigReader::work() {
    std::unique_lock lock(mutex_);
    for (;;) {
        asked_.wait(lock, [&] { return stopped_ || !waiting_.empty(); });
        if (stopped_) return;
        ClientInput input = std::move(waiting_.front());
        waiting_.pop_front();
        lock.unlock();
        input.command = outcome_of(read_());
        push_(std::move(input));
        lock.lock();
    }
}

}  // namespace berth
