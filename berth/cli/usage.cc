// berth usage: what users have used, brought along from Slurm or set to nothing.
#include <algorithm>
#include <fstream>
#include <iostream>
#include <ostream>
#include <sstream>

#include "berth/cli/subcommands.h"
#include "berth/cli/usage_import.h"
#include "berth/client/client.h"

namespace berth::cli {
namespace {

int send(const api::UsagePatch& patch, const std::string& done, Output& output) {
    Client client;
    const auto answer = client.accounts().set_usage(patch);
    if (!answer) return output.fail(answer.problem());
    output.out() << done << '\n';
    return 0;
}

}  // namespace

int usage_import(const std::string& file, Output& output) {
    std::ostringstream text;
    if (file.empty()) {
        text << std::cin.rdbuf();
    } else {
        std::ifstream in(file);
        if (!in) return output.fail("cannot read " + file);
        text << in.rdbuf();
    }
    const auto patch = parse_usage(text.str());
    if (!patch.ok()) return output.fail(patch.error().message);
    return send(*patch, "usage of " + std::to_string(patch->entries.size()) + " users imported",
                output);
}

int usage_clear(const std::vector<std::string>& users, Output& output) {
    Client client;
    const auto rows = client.accounts().shares();
    if (!rows) return output.fail(rows.problem());
    api::UsagePatch patch;
    for (const api::ShareRow& row : *rows) {
        const bool wanted = users.empty() || std::ranges::find(users, row.user) != users.end();
        if (!row.user.empty() && wanted) patch.entries.push_back({row.account, row.user, 0});
    }
    if (patch.entries.empty()) return output.fail("there is no such user");
    return send(patch, "usage of " + std::to_string(patch.entries.size()) + " users cleared",
                output);
}

}  // namespace berth::cli
