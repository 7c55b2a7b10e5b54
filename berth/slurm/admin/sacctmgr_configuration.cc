#include "berth/slurm/admin/sacctmgr_configuration.h"

#include <array>
#include <map>

#include "berth/base/text.h"
#include "berth/slurm/text/print.h"
#include "berth/trust/wall_time.h"

namespace berth::slurm {
namespace {

// Of what `scontrol show config` shows, in the order and under the names of sacctmgr.
struct ConfigurationLine {
    const char* name;
    const char* setting;
};
constexpr auto kConfigurationLines = std::to_array<ConfigurationLine>({
    {"AccountingStorageBackupHost", "AccountingStorageBackupHost"},
    {"AccountingStorageHost", "AccountingStorageHost"},
    {"AccountingStorageParameters", "AccountingStorageParameters"},
    {"AccountingStoragePort", "AccountingStoragePort"},
    {"AccountingStorageType", "AccountingStorageType"},
    {"AccountingStorageUser", "AccountingStorageUser"},
    {"AuthType", "AuthType"},
    {"MessageTimeout", "MessageTimeout"},
    {"PluginDir", "PluginDir"},
    {"PrivateData", "PrivateData"},
    {"SlurmUserId", "SlurmUser"},
    {"SLURM_CONF", "SLURM_CONF"},
});
constexpr std::size_t kNameWidth = 22;

}  // namespace

int show_configuration(Client& client, Streams& streams) {
    const auto config = client.config();
    if (!config) {
        streams.err << "sacctmgr: error: " << slurm_message(config.problem()) << '\n';
        return 1;
    }
    const std::map<std::string, std::string> settings(config->settings.begin(),
                                                      config->settings.end());
    streams.out << "Configuration data as of " << local_time(wall_time(), "") << '\n';
    const auto put = [&](const std::string& name, std::string_view value) {
        streams.out << name << std::string(kNameWidth - std::min(kNameWidth, name.size()), ' ')
                    << " = " << value << '\n';
    };
    for (const ConfigurationLine& line : kConfigurationLines) {
        const auto found = settings.find(line.setting);
        if (found != settings.end()) put(line.name, found->second);
    }
    put("SLURM_VERSION", std::string_view(kVersion).substr(6));
    return 0;
}

int show_runaway_jobs(Client& client, Streams& streams) {
    const auto ping = client.ping();
    if (!ping) {
        streams.err << "sacctmgr: error: " << slurm_message(ping.problem()) << '\n';
        return 1;
    }
    streams.out << "Runaway Jobs: No runaway jobs found on cluster " << ping->cluster << '\n';
    return 0;
}

}  // namespace berth::slurm
