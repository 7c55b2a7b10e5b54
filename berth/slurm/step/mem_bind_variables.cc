#include "berth/slurm/step/mem_bind_variables.h"

#include <cstdint>

#include "berth/model/mem_bind.h"
#include "berth/model/slurm_variables.h"

namespace berth::slurm {
namespace {

constexpr char kQuiet[] = "quiet";
constexpr char kPrefer[] = "prefer";

std::string type_text(MemBind::Kind kind) {
    switch (kind) {
        case MemBind::Kind::none: return "none";
        case MemBind::Kind::local: return "local";
        case MemBind::Kind::rank: return "rank";
        case MemBind::Kind::map: return "map_mem:";
        case MemBind::Kind::mask: return "mask_mem:";
    }
    return {};
}

// {0, 4}: "11".
std::string hex_text(const std::vector<std::uint32_t>& nodes) {
    std::string digits;  // The lowest first.
    for (const std::uint32_t node : nodes) {
        if (digits.size() <= node / 4) digits.resize(node / 4 + 1);
        digits[node / 4] = static_cast<char>(digits[node / 4] | (1 << node % 4));
    }
    std::string text;
    for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit)
        text += "0123456789ABCDEF"[static_cast<unsigned char>(*digit)];
    return text;
}

std::string list_text(const MemBind& bind) {
    std::string text;
    for (const auto& nodes : bind.nodes) {
        if (!text.empty()) text += ',';
        text += bind.kind == MemBind::Kind::mask ? hex_text(nodes) : std::to_string(nodes.front());
    }
    return text;
}

std::string how_text(const MemBind& bind) {
    return (bind.prefer ? std::string(kPrefer) + "," : "") + type_text(bind.kind) + list_text(bind);
}

}  // namespace

MemBindVariables mem_bind_of_job(std::string_view mem_bind) {
    if (mem_bind.empty()) return {};
    const auto bind = MemBind::parse(mem_bind);
    if (!bind.ok()) return {};
    return {{kSlurmMemBind, how_text(*bind)}, {kSlurmMemBindVerbose, kQuiet}};
}

MemBindVariables mem_bind_of_tasks(std::string_view mem_bind) {
    if (mem_bind.empty()) return {};
    const auto bind = MemBind::parse(mem_bind);
    if (!bind.ok()) return {};
    MemBindVariables settings = {{kSlurmMemBind, std::string(kQuiet) + "," + how_text(*bind)},
                                 {kSlurmMemBindList, list_text(*bind)},
                                 {kSlurmMemBindType, type_text(bind->kind)},
                                 {kSlurmMemBindVerbose, kQuiet}};
    if (bind->prefer) settings.emplace_back(kSlurmMemBindPrefer, kPrefer);
    return settings;
}

}  // namespace berth::slurm
