// PmiServer's answers to PMI-1, which MPICH's own library speaks.
#include <iterator>

#include "berth/mpi/pmi_server.h"

namespace berth {

void PmiServer::obey_1(std::size_t at, const PmiWords& words, Effects& effects) {
    const std::string_view command = words.text("cmd");
    if (command == "barrier_in") return enter_fence(at, words, effects);
    if (command == "abort") {
        effects.aborts.push_back(
            {step_.ranks[at], "exit code " + std::string(words.text("exitcode"))});
        return;
    }
    effects.replies.emplace_back(at, "cmd=" + answer_1(command, words) + "\n");
    if (command == "finalize") hang_up(at, effects);
}

std::string PmiServer::answer_1(std::string_view command, const PmiWords& words) {
    if (command == "get_maxes") {
        return "maxes rc=0 kvsname_max=256 keylen_max=" + std::to_string(kPmiKeyMax) +
               " vallen_max=" + std::to_string(kPmiValueTold);
    }
    if (command == "get_appnum") return "appnum rc=0 appnum=0";
    if (command == "get_my_kvsname") return "my_kvsname rc=0 kvsname=" + step_.name;
    if (command == "get_universe_size") {
        return "universe_size rc=0 size=" + std::to_string(step_.tasks);
    }
    if (command == "put") {
        return put(words) ? "put_result rc=0 msg=success" : "put_result rc=-1 msg=too_long";
    }
    if (command == "get") {
        const auto value = value_of(words.text("key"));
        return value ? "get_result rc=0 msg=success value=" + *value
                     : "get_result rc=-1 msg=key_not_found";
    }
    if (command == "getbyidx") return get_by_index(words);
    if (command == "finalize") return "finalize_ack rc=0";
    // Ports are published for other steps, which no step of ours can see.
    if (command == "publish_name") return "publish_result info=fail rc=-1 msg=not_supported";
    if (command == "unpublish_name") return "unpublish_result info=fail rc=-1 msg=not_supported";
    if (command == "lookup_name") return "lookup_result info=fail rc=-1 msg=not_supported";
    return std::string(command.substr(0, kPmiKeyMax)) + "_result rc=-1 msg=unknown_command";
}

std::string PmiServer::get_by_index(const PmiWords& words) const {
    const std::int64_t index = words.number("idx").value_or(-1);
    if (index < 0 || static_cast<std::size_t>(index) >= seen_.size()) {
        return "getbyidx_results rc=-2 reason=no_more_keyvals";
    }
    const auto& [key, value] = *std::next(seen_.begin(), index);
    return "getbyidx_results rc=0 nextidx=" + std::to_string(index + 1) + " key=" + key +
           " val=" + value;
}

// "mcmd=spawn", lines of one word each, "endcmd"; and so for each command, the last of which is
// answered: nothing can be spawned.
void PmiServer::hear_spawn(std::size_t at, const PmiWords& words, Effects& effects) {
    Task& task = tasks_[at];
    task.in_spawn = true;
    if (const auto all = words.number("totspawns")) task.spawns = *all;
    if (const auto this_one = words.number("spawnssofar")) task.spawn = *this_one;
    if (!words.get("endcmd")) return;
    task.in_spawn = false;
    if (task.spawn < task.spawns) return;
    effects.replies.emplace_back(at, "cmd=spawn_result rc=-1 msg=srun_cannot_spawn\n");
}

}  // namespace berth
