// OracleQueues: what the oracle knows of queues, their quotas and what runs use of them. It follows
// the facts one by one, and reckons each check anew, from all runs: it shares no code with the
// engine's quota tree.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "berth/model/event.h"

namespace berth::sim {

class OracleQueues {
public:
    explicit OracleQueues(const ClusterSpec& cluster);

    // Each returns what is wrong; empty: nothing.
    // `bounded`: the run takes no more than the job asked for.
    std::string start(JobId job, const std::string& account, const Allocation& allocation,
                      bool bounded);
    // `asked`: at least so many GPUs as the preemptor asks for. `victim`: see also dying().
    std::string reclaim(JobId preemptor, const std::string& account, std::int64_t asked,
                        JobId victim);

    void ended(JobId job, NodeId node);  // On this node.
    void dying(JobId job);               // It is to end.
    void expect(JobId preemptor, const std::string& account, std::int64_t asked);
    void over(JobId job);  // It waits no more.
    void edited(const AccountingEdits& edits);

private:
    using Uses = std::map<std::string, std::int64_t>;  // GPUs, by the account that is charged.
    struct Account {
        std::string parent;  // Empty: none.
        std::vector<std::string> children;
    };
    struct Run {
        std::string account;
        std::map<NodeId, std::int64_t> gpus;
        bool dying = false;
    };

    Uses held() const;     // By all runs, dying ones too.
    Uses staying() const;  // By runs that go on, and those that will run in the room of others.
    std::vector<std::string> chain(std::string account) const;  // The account, and those above it.

    std::optional<std::int64_t> nominal(const std::string& account) const;
    std::int64_t guarantee(const std::string& account) const;
    std::int64_t used(const Uses& uses, const std::string& account) const;
    std::int64_t by_right(const Uses& uses, const std::string& account) const;
    // With what is kept for the guarantees beneath.
    std::int64_t reserved(const Uses& uses, const std::string& account) const;

    std::vector<DimensionId> gpus_;
    std::map<std::string, Account> accounts_;  // The root has no name.
    std::map<std::string, QueueSpec> queues_;
    std::map<JobId, Run> runs_;
    std::map<JobId, std::pair<std::string, std::int64_t>> expected_;
};

}  // namespace berth::sim
