#include "berth/slurm/step/mem_bind_variables.h"

#include <cstddef>

#include "berth/base/text.h"
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

// "0x1*2,f": "1,1,f". Each digit of a mask stays as it was written.
std::string masks_text(std::string_view list) {
    std::string text;
    for (const std::string_view part : split(list, ',')) {
        const BindList tasks = parse_bind_list(part, true, kNumaNodesMax).value_or(BindList{});
        std::string_view mask = part.substr(0, part.find('*'));
        if (starts_with_icase(mask, "0x")) mask.remove_prefix(2);
        for (std::size_t i = 0; i < tasks.size(); ++i)
            text += (text.empty() ? "" : ",") + std::string(mask);
    }
    return text;
}

std::string list_text(const MemBind& bind, std::string_view mem_bind) {
    if (bind.kind == MemBind::Kind::mask)
        return masks_text(mem_bind.substr(mem_bind.find(':') + 1));
    std::string text;
    for (const auto& nodes : bind.nodes)
        text += (text.empty() ? "" : ",") + std::to_string(nodes.front());
    return text;
}

std::string how_text(const MemBind& bind, std::string_view mem_bind) {
    return (bind.prefer ? std::string(kPrefer) + "," : "") + type_text(bind.kind) +
           list_text(bind, mem_bind);
}

}  // namespace

MemBindVariables mem_bind_of_job(std::string_view mem_bind) {
    if (mem_bind.empty()) return {};
    const auto bind = MemBind::parse(mem_bind);
    if (!bind.ok()) return {};
    return {{kSlurmMemBind, how_text(*bind, mem_bind)}, {kSlurmMemBindVerbose, kQuiet}};
}

MemBindVariables mem_bind_of_tasks(std::string_view mem_bind) {
    if (mem_bind.empty()) return {};
    const auto bind = MemBind::parse(mem_bind);
    if (!bind.ok()) return {};
    MemBindVariables settings = {
        {kSlurmMemBind, std::string(kQuiet) + "," + how_text(*bind, mem_bind)},
        {kSlurmMemBindList, list_text(*bind, mem_bind)},
        {kSlurmMemBindType, type_text(bind->kind)},
        {kSlurmMemBindVerbose, kQuiet}};
    if (bind->prefer) settings.emplace_back(kSlurmMemBindPrefer, kPrefer);
    return settings;
}

}  // namespace berth::slurm
