// PmiServer's answers to PMI-2, which Slurm's libpmi2 speaks, and what is built upon it.
#include <algorithm>

#include "berth/base/text.h"
#include "berth/mpi/pmi_server.h"

namespace berth {
namespace {

constexpr std::size_t kWaitingMax = 64;  // Of one task: more threads of it than ask at once.

std::string found_text(const std::optional<std::string>& value) {
    if (!value) return "rc=0;found=FALSE;";
    return "rc=0;found=TRUE;value=" + pmi2_value(*value) + ";";
}

std::string error_text(std::string_view why) {
    return "rc=14;errmsg=" + std::string(why) + ";";  // PMI2_ERR_OTHER
}

}  // namespace

// The thread that asked is told by the word it gave, so that no other takes the answer.
void PmiServer::reply_2(std::size_t at, std::string_view command, std::string_view thread,
                        std::string_view rest, Effects& effects) const {
    std::string text = "cmd=" + pmi2_value(command) + "-response;";
    if (!thread.empty()) text += "thrid=" + pmi2_value(thread) + ";";
    effects.replies.emplace_back(at, pmi2_message(text + std::string(rest)));
}

void PmiServer::obey_2(std::size_t at, const PmiWords& words, Effects& effects) {
    const std::string_view command = words.text("cmd");
    if (command == "kvs-fence") return enter_fence(at, words, effects);
    if (command == "info-getnodeattr") return get_node_attribute(at, words, effects);
    if (command == "abort") {
        if (iequals(words.text("isworld"), "TRUE")) {
            effects.aborts.push_back({step_.ranks[at], std::string(words.text("msg"))});
        }
        return;
    }
    const std::string_view name = command.substr(0, kPmiKeyMax);
    reply_2(at, name, words.text("thrid"), answer_2(at, command, words), effects);
    if (command == "info-putnodeattr") put_node_attribute(words, effects);
    if (command == "finalize") hang_up(at, effects);
}

std::string PmiServer::answer_2(std::size_t at, std::string_view command, const PmiWords& words) {
    if (command == "fullinit") {
        return "rc=0;pmi-version=2;pmi-subversion=0;rank=" + std::to_string(step_.ranks[at]) +
               ";size=" + std::to_string(step_.tasks) +
               ";appnum=0;debugged=FALSE;pmiverbose=FALSE;";
    }
    if (command == "finalize") return "rc=0;";
    if (command == "job-getid") return "rc=0;jobid=" + step_.name + ";";
    if (command == "kvs-put") return put(words) ? "rc=0;" : error_text("too long");
    if (command == "kvs-get") return found_text(value_of(words.text("key")));
    if (command == "info-getjobattr") {
        const std::string_view key = words.text("key");
        if (key == "universeSize") return found_text(std::to_string(step_.tasks));
        if (key == "PMI_process_mapping") return found_text(step_.mapping);
        return found_text(std::nullopt);
    }
    if (command == "info-putnodeattr") {
        return fits(words) ? "rc=0;" : error_text("too long");
    }
    if (command == "spawn") return error_text("srun cannot spawn");
    return error_text("not supported: " + pmi2_value(command.substr(0, kPmiKeyMax)));
}

void PmiServer::get_node_attribute(std::size_t at, const PmiWords& words, Effects& effects) {
    const std::string_view key = words.text("key"), thread = words.text("thrid");
    const auto found = node_attributes_.find(key);
    const bool known = found != node_attributes_.end();
    std::vector<Waiting>& waiting = tasks_[at].waiting;
    const bool waits = !known && iequals(words.text("wait"), "TRUE") && key.size() <= kPmiKeyMax;
    if (waits && waiting.size() < kWaitingMax) {
        waiting.push_back({std::string(key), std::string(thread)});
        return;
    }
    const auto value = known ? std::optional(found->second) : std::nullopt;
    reply_2(at, "info-getnodeattr", thread, found_text(value), effects);
}

void PmiServer::put_node_attribute(const PmiWords& words, Effects& effects) {
    if (!fits(words)) return;
    const std::string key(words.text("key")), value(words.text("value"));
    held_ += key.size() + value.size();
    node_attributes_.insert_or_assign(key, value);
    for (std::size_t at = 0; at < tasks_.size(); ++at) {
        std::erase_if(tasks_[at].waiting, [&](const Waiting& one) {
            if (one.key != key) return false;
            reply_2(at, "info-getnodeattr", one.thread, found_text(value), effects);
            return true;
        });
    }
}

}  // namespace berth
