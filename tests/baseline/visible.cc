// What is compared of each file: the lines that a later program must show again.
#include "berth/agent/memory.h"
#include "berth/host/node/file_disk.h"
#include "berth/launcher/ledger.h"
#include "berth/store/journal_table.h"
#include "berth/store/reader.h"
#include "berth/store/schema.h"
#include "tests/baseline/content.h"
#include "tests/baseline/written_files.h"

namespace berth::baseline {
namespace {

void add_job(Content& content, const ClusterState& state, const Job& job) {
    const std::string name = "job " + to_string(job.id);
    const auto add = [&](const char* what, const auto& value) {
        content.add(name + " " + what, value);
    };
    add("name", job.spec.name);
    add("owner", job.owner);
    add("account", job.spec.account);
    add("partition", job.partition);
    add("qos", job.qos);
    content.add(name + " state", std::string(slurm_name(job.state)));
    content.add(name + " outcome", std::string(slurm_name(job.outcome)));
    add("hold", job.hold);
    add("reason", job.state_reason);
    add("limit", job.time_limit);
    add("submitted", job.submitted_at);
    add("eligible", job.eligible_at);
    add("started", job.started_at);
    add("ended", job.ended_at);
    add("attempt", job.attempt);
    add("restarts", job.restarts);
    add("exit", job.exit);
    add("derived exit", job.derived_exit);
    add("nodes", job.nodes);
    add("cpus", job.cpus);
    add("allocated", job.allocated);
    add("array", job.array_job);
    add("array task", job.array_task);
    add("array tasks", job.spec.array);
    add("dependencies", job.spec.dependencies);
    add("steps", job.steps);
    add("suspension", job.suspension);
    if (const PlannedStart* const planned = state.schedule().planned(job.id))
        add("planned", *planned);
}

void add_node(Content& content, const ClusterState& state, NodeId id) {
    const NodeSpec& node = state.spec().node(id);
    const NodeCondition& condition = state.nodes().condition(id);
    const std::string name = "node " + to_string(id) + " ";
    content.add(name + "name", node.name);
    content.add(name + "features", node.features);
    content.add(name + "weight", node.weight);
    content.add(name + "gone", node.gone);
    content.add(name + "registered", condition.registered);
    content.add(name + "responding", condition.responding);
    content.add(name + "drained", condition.drained);
    content.add(name + "down", condition.down);
    content.add(name + "reason", condition.reason);
    content.add(name + "boot", condition.boot_id);
    content.add(name + "fenced", condition.fenced_boot);
    content.add(name + "drained devices", condition.drained_devices);
    content.add(name + "free", state.nodes().free(id).cores);
}

}  // namespace

std::string visible(const ClusterState& state, const std::string& known) {
    Content content(known);
    content.add("epoch", state.epoch());
    content.add("next job", state.next_job_id());
    for (const auto& [id, job] : state.jobs()) add_job(content, state, job);
    for (std::size_t i = 0; i < state.spec().nodes.size(); ++i) {
        add_node(content, state, NodeId::from_index(i));
    }
    for (std::size_t i = 0; i < state.usage().records().size(); ++i) {
        content.add("usage " + std::to_string(i), state.usage().records()[i]);
    }
    for (const auto& [name, reservation] : state.reservations()) {
        content.add("reservation " + name, reservation);
    }
    for (const PartitionSpec& partition : state.spec().partitions) {
        content.add("partition", partition.name);
        content.add("partition " + partition.name + " nodes", partition.nodes);
    }
    for (const QosSpec& qos : state.spec().qos) content.add("qos", qos.name);
    for (const AccountSpec& account : state.spec().accounts) content.add("account", account.name);
    return content.text();
}

Result<std::string> facts_of(const std::string& folder, const std::string& known,
                             std::set<std::size_t>* kinds) {
    BERTH_TRY(Database database, Database::open(folder + '/' + kStateFile, {.read_only = true}));
    BERTH_TRY(JournalTable journal, JournalTable::prepare(database));
    Content content(known);
    std::set<std::size_t> seen;
    BERTH_CHECK(journal.read_after(0, [&](const Record& record, auto) -> Status {
        for (const Fact& fact : record.facts) {
            if (!seen.insert(fact.index()).second) continue;
            content.add("record " + std::to_string(record.sequence) + " fact " +
                            std::to_string(fact.index()),
                        fact);
        }
        return Done{};
    }));
    if (kinds != nullptr) *kinds = seen;
    return content.text();
}

Result<std::string> accounting_of(const std::string& folder, const std::string& known) {
    BERTH_TRY(StoreReader reader, StoreReader::open(folder));
    AccountingFilter filter;
    filter.duplicates = true;
    BERTH_TRY(const auto answer, reader.accounting(filter));
    Content content(known);
    for (const AccountingRecord& row : answer.records) {
        const std::string name = "row " + to_string(row.job) + "." + to_string(row.attempt) + " ";
        content.add(name + "name", row.name);
        content.add(name + "user", row.owner.user);
        content.add(name + "account", row.account);
        content.add(name + "state", std::string(slurm_name(row.state)));
        content.add(name + "nodes", row.nodes);
        content.add(name + "reason", row.reason);
        content.add(name + "exit", row.exit);
        content.add(name + "submitted", row.submitted_at);
        content.add(name + "started", row.started_at);
        content.add(name + "ended", row.ended_at);
        content.add(name + "allocated", row.allocated);
        content.add(name + "steps", row.steps.size());
    }
    return content.text();
}

Result<std::string> memory_of(const std::string& folder, const std::string& known) {
    BERTH_TRY(const auto disk, FileDisk::open(folder));
    const std::vector<MemoryWrite> stored = disk->stored();
    BERTH_CHECK(check_memory(stored));
    const Memory memory(stored);
    Content content(known);
    content.add("boot", memory.boot_id());
    content.add("epoch", memory.highest_epoch());
    for (const auto& [job, attempt] : memory.tombstones()) {
        content.add("tombstone " + to_string(job), attempt);
    }
    for (const auto& [key, attempt] : memory.attempts()) {
        content.add("attempt " + to_string(key.job) + "." + to_string(key.attempt), attempt);
    }
    for (const auto& [key, step] : memory.steps()) {
        content.add("step " + to_string(key.job) + "." + to_string(key.step), step);
    }
    for (const auto& [key, end] : memory.ends()) content.add("end " + to_string(key.job), end);
    for (const auto& [key, end] : memory.step_ends()) {
        content.add("end of step " + to_string(key.job) + "." + to_string(key.step), end);
    }
    content.add("next session", Memory(stored).next_session());
    return content.text();
}

Result<std::string> ledger_of(const std::string& folder, const std::string& known) {
    BERTH_TRY(const auto disk, FileDisk::open(folder));
    BERTH_TRY(const LaunchLedger ledger, LaunchLedger::open(*disk, disk->stored()));
    Content content(known);
    content.add("epoch", ledger.highest_epoch());
    for (const auto& [job, entry] : ledger.all()) content.add("job " + to_string(job), entry);
    content.add("health check", ledger.last_run(NodeProgram::health_check));
    content.add("reboot", ledger.last_run(NodeProgram::reboot));
    content.add("setup", ledger.last_setup());
    return content.text();
}

}  // namespace berth::baseline
