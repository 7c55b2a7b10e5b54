// PmiServer: what the tasks of one node are answered on PMI-1 and PMI-2. Keys and values that they
// put are seen by all once all have been at a fence: each node gives what its tasks have put to an
// exchange, and has what came of it. What tasks send may be anything.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/mpi/mpi_step.h"
#include "berth/mpi/pmi_words.h"

namespace berth {

inline constexpr std::size_t kPmiKeyMax = 64, kPmiValueMax = 1024;
// What tasks are told that a value may be: with what goes around it, it is within the 1024 bytes
// that MPICH reads as one line.
inline constexpr std::size_t kPmiValueTold = 896;

class PmiServer {
public:
    explicit PmiServer(MpiStep step);

    struct Abort {
        std::uint32_t rank = 0;
        std::string why;
    };
    // What is to be done, in this order. Tasks are named by their place among those here.
    struct Effects {
        std::vector<std::pair<std::size_t, std::string>> replies;
        std::vector<std::size_t> closed;  // To be hung up on, once they have their replies.
        std::optional<std::pair<std::string, std::string>> given;  // To an exchange of this key.
        std::vector<Abort> aborts;
    };

    void heard(std::size_t task, std::string_view bytes, Effects& effects);
    void hung_up(std::size_t task, Effects& effects);
    void exchanged(std::string_view key, std::string_view bytes, Effects& effects);

    std::vector<std::string> environment_of(std::size_t task) const;

private:
    // One that waits until a task of this node puts the key.
    struct Waiting {
        std::string key, thread;
    };
    struct Task {
        PmiReader reader;
        int version = 0;  // 0: it has said nothing yet.
        bool in_fence = false, gone = false;
        std::string fence_thread;
        std::vector<Waiting> waiting;
        bool in_spawn = false;               // Between "mcmd=spawn" and "endcmd".
        std::int64_t spawns = 0, spawn = 0;  // Of how many commands it is the how manieth.
    };

    void obey(std::size_t at, const PmiWords& words, Effects& effects);
    void init(std::size_t at, const PmiWords& words, Effects& effects);
    void obey_1(std::size_t at, const PmiWords& words, Effects& effects);
    std::string answer_1(std::string_view command, const PmiWords& words);
    void hear_spawn(std::size_t at, const PmiWords& words, Effects& effects);
    std::string get_by_index(const PmiWords& words) const;
    void obey_2(std::size_t at, const PmiWords& words, Effects& effects);
    std::string answer_2(std::size_t at, std::string_view command, const PmiWords& words);
    void get_node_attribute(std::size_t at, const PmiWords& words, Effects& effects);
    void put_node_attribute(const PmiWords& words, Effects& effects);
    void reply_2(std::size_t at, std::string_view command, std::string_view thread,
                 std::string_view rest, Effects& effects) const;

    using Pairs = std::map<std::string, std::string, std::less<>>;
    bool put(const PmiWords& words);
    bool fits(const PmiWords& words) const;
    std::optional<std::string> value_of(std::string_view key) const;
    void enter_fence(std::size_t at, const PmiWords& words, Effects& effects);
    void give_if_all_are_in(Effects& effects);
    void leave_fence(bool failed, Effects& effects);
    void hang_up(std::size_t at, Effects& effects);

    MpiStep step_;
    std::vector<Task> tasks_;
    Pairs seen_;  // By all tasks of the step.
    Pairs put_;   // By tasks here since the last fence.
    Pairs node_attributes_;
    std::size_t held_ = 0;  // Bytes that tasks here have ever put.
    std::uint64_t fence_ = 0;
    bool given_ = false;   // This node has given its part of the fence.
    bool broken_ = false;  // A task went without a word: no fence can be whole again.
};

}  // namespace berth
