#include "berth/model/new_node_text.h"

#include <algorithm>
#include <array>
#include <optional>

#include "berth/base/quantity.h"
#include "berth/base/text.h"
#include "berth/model/invalid_argument.h"

namespace berth {
namespace {

constexpr std::int64_t kProcessorsMax = 1 << 16, kMebibytesMax = std::int64_t{1} << 30,
                       kWeightMax = 0xffff'ffff;

struct Shape {
    std::optional<std::uint32_t> cpus, sockets, per_board;
};

struct Word {
    std::string_view text, key, value;
};

Result<std::int64_t> number_in(const Word& word, std::int64_t least, std::int64_t most) {
    auto number = parse_int64(word.value);
    if (number.ok() && *number >= least && *number <= most) return number;
    return invalid_argument(std::string(word.text) + " should be a number from " +
                            std::to_string(least) + " to " + std::to_string(most));
}

Result<std::uint32_t> count_in(const Word& word) {
    BERTH_TRY(const std::int64_t count, number_in(word, 1, kProcessorsMax));
    return static_cast<std::uint32_t>(count);
}

std::vector<std::string> list_of(std::string_view text) {
    std::vector<std::string> all;
    for (const auto one : split(text, ',')) {
        if (!trim(one).empty()) all.emplace_back(trim(one));
    }
    return all;
}

// "gpu:a100:8", "gpu:8", "fpga"; what stands behind, in brackets, is of which sockets it is.
Result<NewGres> gres_of(std::string_view text) {
    const auto parts = split(text.substr(0, text.find('(')), ':');
    const Error no = invalid_argument("Gres=" + std::string(text) +
                                      " should be NAME[:TYPE][:COUNT], like gpu:a100:8");
    if (parts.size() > 3 || parts[0].empty()) return no;
    NewGres gres{.name = std::string(parts[0]), .type = {}, .count = 1};
    if (parts.size() == 1) return gres;
    const auto count = parse_int64(parts.back());
    if (count.ok() && *count < 0) return no;
    if (count.ok()) gres.count = *count;
    if (parts.size() == 3 && !count.ok()) return no;
    if (parts.size() == 3 || !count.ok()) gres.type = parts[1];
    return gres;
}

Status set_gres(NewNode& node, const Word& word) {
    node.gres.clear();
    for (const std::string& text : list_of(word.value)) {
        BERTH_TRY(NewGres gres, gres_of(text));
        node.gres.push_back(std::move(gres));
    }
    return Done{};
}

bool is_shape(std::string_view key) {
    constexpr auto kNewNodeKeys =
        std::to_array<std::string_view>({"CPUs", "Procs", "Boards", "Sockets", "SocketsPerBoard",
                                         "CoresPerSocket", "ThreadsPerCore"});
    return std::ranges::any_of(kNewNodeKeys, [&](auto known) { return iequals(known, key); });
}

Status set_shape(NewNode& node, Shape& shape, const Word& word) {
    BERTH_TRY(const std::uint32_t count, count_in(word));
    if (iequals(word.key, "CPUs") || iequals(word.key, "Procs")) shape.cpus = count;
    if (iequals(word.key, "Sockets")) shape.sockets = count;
    if (iequals(word.key, "SocketsPerBoard")) shape.per_board = count;
    if (iequals(word.key, "Boards")) node.boards = count;
    if (iequals(word.key, "CoresPerSocket")) node.cores_per_socket = count;
    if (iequals(word.key, "ThreadsPerCore")) node.threads_per_core = count;
    return Done{};
}

// Any may be left out, but they must agree; as on a NodeName line.
Status settle_shape(NewNode& node, const Shape& shape) {
    const std::uint64_t per_socket = std::uint64_t{node.cores_per_socket} * node.threads_per_core;
    const std::uint64_t from_cpus = std::max<std::uint64_t>(1, shape.cpus.value_or(1) / per_socket);
    const std::uint64_t from_boards =
        shape.per_board ? std::uint64_t{node.boards} * *shape.per_board : from_cpus;
    node.sockets = shape.sockets.value_or(
        static_cast<std::uint32_t>(std::min<std::uint64_t>(from_boards, UINT32_MAX)));
    const std::uint64_t cores = std::uint64_t{node.sockets} * node.cores_per_socket;
    if (!shape.cpus || *shape.cpus == cores * node.threads_per_core) return Done{};
    if (*shape.cpus == cores) {  // Slurm: then threads are not handed out.
        node.threads_per_core = 1;
        return Done{};
    }
    return invalid_argument("CPUs=" + std::to_string(*shape.cpus) +
                            " does not agree with Sockets × CoresPerSocket × ThreadsPerCore = " +
                            std::to_string(cores * node.threads_per_core));
}

Status set_word(NewNode& node, const Word& word) {
    const auto is = [&](std::string_view key) { return iequals(word.key, key); };
    if (is("RealMemory")) {
        BERTH_TRY(const std::int64_t mebibytes, number_in(word, 1, kMebibytesMax));
        node.memory = mib(mebibytes).count();
    } else if (is("TmpDisk")) {
        BERTH_TRY(const std::int64_t mebibytes, number_in(word, 0, kMebibytesMax));
        node.tmp_disk = mib(mebibytes).count();
    } else if (is("Weight")) {
        BERTH_TRY(const std::int64_t weight, number_in(word, 0, kWeightMax));
        node.weight = static_cast<std::uint32_t>(weight);
    } else if (is("Feature") || is("Features")) {
        node.features = list_of(word.value);
    } else if (is("Gres")) {
        return set_gres(node, word);
    } else if (is("NodeHostname")) {
        node.hostname = word.value;
    } else if (is("NodeAddr")) {
        node.address = word.value;
    } else if (is("State")) {
        node.state = word.value;
    } else {
        return invalid_argument(std::string(word.key) +
                                "= is not supported on a node that is not configured");
    }
    return Done{};
}

}  // namespace

Status read_new_node(const std::vector<std::string>& words, NewNode& node) {
    std::vector<Word> all;
    for (const std::string& text : words) {
        const std::string_view whole = text;
        const std::size_t equals = whole.find('=');
        if (equals == std::string_view::npos || equals + 1 == whole.size())
            return invalid_argument("'" + text + "' should be KEY=VALUE");
        all.push_back({whole, whole.substr(0, equals), whole.substr(equals + 1)});
    }
    Shape shape;
    const bool shaped = std::ranges::any_of(all, [](const Word& one) { return is_shape(one.key); });
    if (shaped) node.boards = node.sockets = node.cores_per_socket = node.threads_per_core = 1;
    for (const Word& word : all) {
        BERTH_CHECK(is_shape(word.key) ? set_shape(node, shape, word) : set_word(node, word));
    }
    return shaped ? settle_shape(node, shape) : Done{};
}

}  // namespace berth
