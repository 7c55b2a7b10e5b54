#include "openb_trace.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "berth/base/text.h"

namespace berth::openb {
namespace {

[[noreturn]] void fail(const std::string& why) {
    std::fprintf(stderr, "openb: %s\n", why.c_str());
    std::exit(2);
}

// What a command prints.
std::string output_of(const std::string& command) {
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
    if (pipe == nullptr) fail("cannot run " + command);
    std::string text;
    std::array<char, 65536> buffer{};
    while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe.get())) {
        text.append(buffer.data(), n);
    }
    if (text.empty()) fail("nothing comes from: " + command);
    return text;
}

// The fields of each line but the first.
std::vector<std::vector<std::string>> rows_of(const std::string& text) {
    std::vector<std::vector<std::string>> rows;
    for (const std::string_view line : split(text, '\n')) {
        if (trim(line).empty()) continue;
        std::vector<std::string> row;
        for (const std::string_view field : split(trim(line), ',')) row.emplace_back(field);
        rows.push_back(std::move(row));
    }
    rows.erase(rows.begin());
    return rows;
}

std::int64_t number(const std::string& text) {
    const auto n = parse_int64(text);
    if (!n.ok()) fail("'" + text + "' is no whole number");
    return n.value();
}

void add_node(Trace& trace, const std::vector<std::string>& row) {
    NodeSpec node;
    node.name = row.at(0);
    node.capacity.set_cpu(Millicpu(number(row.at(1))));
    node.capacity.set_memory(mib(number(row.at(2))));
    const auto type = trace.cluster.dimensions.intern("gpu", row.at(4));
    if (!type) fail("too many GPU models");
    const std::int64_t gpus = number(row.at(3));
    node.capacity[*type] = gpus;
    for (std::int64_t i = 0; i < gpus; ++i) {
        node.devices.push_back({.dimension = *type, .index = static_cast<std::uint32_t>(i)});
    }
    trace.gpu_milli += gpus * kWholeGpu;
    trace.cluster.nodes.push_back(std::move(node));
}

Pod pod_of(const Trace& trace, const std::vector<std::string>& row) {
    Pod pod;
    pod.shape.cpu = Millicpu(number(row.at(1)));
    pod.memory = mib(number(row.at(2)));
    pod.shape.gpus = static_cast<std::int32_t>(number(row.at(3)));
    pod.shape.milli = pod.shape.gpus == 0 ? 0 : static_cast<std::int32_t>(number(row.at(4)));
    if (row.size() <= 5 || row[5].empty()) return pod;  // Any model.
    pod.shape.types = 0;
    for (const std::string_view model : split(row[5], '|')) {
        if (const auto type = trace.cluster.dimensions.find("gpu", model)) {
            pod.shape.types |= dimension_bit(*type);
        }
    }
    return pod;
}

}  // namespace

Trace read_trace(const std::string& folder, const std::string& name) {
    Trace trace;
    for (const auto& row :
         rows_of(output_of("cat '" + folder + "/openb_node_list_gpu_node.csv'"))) {
        add_node(trace, row);
    }
    const std::string pods = folder + "/openb_pod_list_" + name + ".csv.zst";
    for (const auto& row : rows_of(output_of("zstd -dcq '" + pods + "'"))) {
        trace.pods.push_back(pod_of(trace, row));
    }
    return trace;
}

}  // namespace berth::openb
