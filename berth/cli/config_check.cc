// berth config check: the findings of a configuration, as the daemon would see it.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <ostream>

#include "berth/cli/subcommands.h"
#include "berth/config/files.h"

namespace berth::cli {
namespace {

using config::Finding;
using config::Severity;

const char* name_of(Severity severity) {
    return severity == Severity::error     ? "error"
           : severity == Severity::warning ? "warning"
                                           : "note";
}

void print_json(const config::Loaded& loaded, std::ostream& out) {
    auto findings = nlohmann::ordered_json::array();
    for (const Finding& finding : loaded.findings) {
        findings.push_back({{"severity", name_of(finding.severity)},
                            {"file", finding.file},
                            {"line", finding.line},
                            {"message", finding.message}});
    }
    out << nlohmann::ordered_json{{"errors", loaded.has_errors},
                                  {"nodes", loaded.spec.nodes.size()},
                                  {"partitions", loaded.spec.partitions.size()},
                                  {"findings", findings}}
               .dump(2)
        << '\n';
}

}  // namespace

int config_check(const std::string& path, bool lenient, bool json, Output& output) {
    const auto files = std::filesystem::is_regular_file(path) ? config::read_beside(path)
                                                              : config::read_directory(path);
    if (!files.ok()) return output.fail(files.error().message);
    const config::Loaded loaded = config::load(files.value());
    if (json) {
        print_json(loaded, output.out());
    } else {
        std::size_t counts[3] = {};
        for (const Finding& finding : loaded.findings) {
            ++counts[static_cast<std::size_t>(finding.severity)];
            const Colour colour = finding.severity == Severity::error     ? Colour::red
                                  : finding.severity == Severity::warning ? Colour::yellow
                                                                          : Colour::grey;
            output.out() << output.paint(config::to_string(finding), colour) << '\n';
        }
        std::int64_t devices = 0;
        for (const NodeSpec& node : loaded.spec.nodes)
            devices += static_cast<std::int64_t>(node.devices.size());
        output.out() << loaded.spec.nodes.size() << " nodes, " << devices << " devices, "
                     << loaded.spec.partitions.size() << " partitions; " << counts[0] << " errors, "
                     << counts[1] << " warnings, " << counts[2] << " notes\n";
        if (loaded.has_errors && lenient)
            output.out() << "berthd --lenient starts in spite of the errors\n";
    }
    return loaded.has_errors && !lenient ? 1 : 0;
}

}  // namespace berth::cli
