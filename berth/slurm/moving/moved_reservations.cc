#include "berth/slurm/moving/moved_reservations.h"

#include <algorithm>
#include <array>

#include "berth/base/text.h"
#include "berth/model/reservation_change.h"
#include "berth/slurm/admin/scontrol_reservation.h"
#include "berth/slurm/moving/records.h"

namespace berth::slurm {
namespace {

constexpr auto kReservationKeys = std::to_array<std::string_view>(
    {"ReservationName", "StartTime", "EndTime",     "Duration",
     "Nodes",           "NodeCnt",   "CoreCnt",     "Features",
     "PartitionName",   "Flags",     "TRES",        "Users",
     "Groups",          "Accounts",  "QOS",         "AllowedPartitions",
     "Licenses",        "State",     "BurstBuffer", "Watts",
     "MaxStartDelay",   "Comment"});
// Which cores of which node: a line for each node, of reservations of parts of nodes alone.
constexpr auto kCoreKeys = std::to_array<std::string_view>({"NodeName", "CoreIDs"});

// Slurm's own, which Berth works out from what is reserved.
constexpr auto kWorkedOut = std::to_array<std::string_view>({"SPEC_NODES", "ALL_NODES"});

bool recurs(std::string_view flag) {
    constexpr auto kRecurring =
        std::to_array<std::string_view>({"HOURLY", "DAILY", "WEEKLY", "WEEKDAY", "WEEKEND"});
    return std::ranges::find(kRecurring, flag) != kRecurring.end();
}

// What one record becomes.
class RecordMover {
public:
    RecordMover(const ShownRecord& record, Time now, MovedReservations& made)
        : record_(record), now_(now), made_(made), name_(record.value("ReservationName")) {}

    void move() {
        if (!record_.wrong.empty()) return remark(RemarkKind::refused, record_.wrong);
        if (name_.empty()) return remark(RemarkKind::refused, "it has no name");
        words_ = {"ReservationName=" + name_};
        for (const char* const key : {"StartTime", "EndTime", "Features", "Comment", "Users",
                                      "Groups", "Accounts", "QOS"}) {
            copy(key, key);
        }
        copy("PartitionName", "PartitionName");
        const std::string gpus = gpus_reserved();
        if (gpus.find(',') != std::string::npos) {
            return remark(RemarkKind::refused,
                          "it reserves " + gpus +
                              ", and a reservation here is of one type of GPU: make one for each");
        }
        add_amount(gpus);
        name_what_is_lost();
        const bool is_recurring = add_flags();
        auto call = parse_reservation(words_, now_);
        if (!call.ok()) return remark(RemarkKind::refused, call.error().message);
        if (!call->change.start || !call->change.end)
            return remark(RemarkKind::refused, "it should have StartTime and EndTime");
        if (const Status complete = check_new_reservation(call->change); !complete.ok())
            return remark(RemarkKind::refused, complete.error().message);
        if (*call->change.end <= now_)
            return remark(RemarkKind::differs, "it has ended and is left out");
        if (*call->change.start < now_ && is_recurring) {
            return remark(RemarkKind::refused, "it recurs and has begun: import it again after " +
                                                   record_.value("EndTime") +
                                                   ", or make its next one");
        }
        made_.reservations.push_back({record_.line, *std::move(call)});
    }

private:
    void remark(RemarkKind kind, const std::string& message) {
        made_.remarks.push_back({kind, record_.line, "reservation " + name_ + ": " + message});
    }

    void copy(const char* from, const char* to) {
        const std::string value = record_.value(from);
        if (!value.empty()) words_.push_back(std::string(to) + "=" + value);
    }

    // Whole nodes by their names; of parts, so many cores or GPUs of them.
    void add_amount(const std::string& gpus) {
        const bool is_all = has_flag("ALL_NODES");
        const std::string nodes = record_.value("Nodes");
        if (is_all) {
            words_.emplace_back("Nodes=ALL");
        } else if (!nodes.empty()) {
            words_.push_back("Nodes=" + nodes);
        } else {
            copy("NodeCnt", "NodeCnt");
        }
        if (!gpus.empty()) {
            words_.push_back("TRES=" + gpus);
            remark(RemarkKind::differs,
                   "it reserves " + gpus + ", and Berth chooses which, with their cores");
        } else if (record_.has("CoreIDs")) {
            copy("CoreCnt", "CoreCnt");
            remark(RemarkKind::differs, "it reserves as many cores, and Berth chooses which");
        }
    }

    // "gres/gpu=4" of "cpu=16,node=2,gres/gpu=4"; types, of which there may be several, say more
    // than no type.
    std::string gpus_reserved() const {
        std::string any;
        std::vector<std::string> typed;
        const std::string tres = record_.value("TRES");
        for (const std::string_view one : split(tres, ',')) {
            if (one.starts_with("gres/gpu=")) any = one;
            if (one.starts_with("gres/gpu:")) typed.emplace_back(one);
        }
        return typed.empty() ? any : join(typed, ",");
    }

    bool has_flag(std::string_view wanted) const {
        const std::string flags = record_.value("Flags");
        return std::ranges::any_of(split(flags, ','),
                                   [&](std::string_view flag) { return flag == wanted; });
    }

    // Whether it recurs.
    bool add_flags() {
        bool is_recurring = false;
        const std::string flags = record_.value("Flags");
        for (const std::string_view flag : split(flags, ',')) {
            if (flag.empty() || std::ranges::find(kWorkedOut, flag) != kWorkedOut.end()) continue;
            Reservation scratch;
            if (const Status known = set_flag(scratch, flag, true); !known.ok()) {
                remark(RemarkKind::refused, known.error().message);
                continue;
            }
            is_recurring = is_recurring || recurs(flag);
            words_.push_back("Flags+=" + std::string(flag));
        }
        return is_recurring;
    }

    void name_what_is_lost() {
        for (const char* const key :
             {"Licenses", "BurstBuffer", "Watts", "MaxStartDelay", "AllowedPartitions"}) {
            const std::string value = record_.value(key);
            if (value.empty() || value == "0") continue;
            remark(RemarkKind::refused,
                   std::string(key) + "=" + value + " of a reservation is not supported");
        }
    }

    const ShownRecord& record_;
    Time now_;
    MovedReservations& made_;
    std::string name_;
    std::vector<std::string> words_;
};

}  // namespace

MovedReservations read_reservations(std::string_view text, Time now) {
    MovedReservations made;
    const RecordForm form{.first = "ReservationName", .keys = kReservationKeys, .lists = kCoreKeys};
    for (const ShownRecord& record : read_records(text, form, made.remarks))
        RecordMover(record, now, made).move();
    return made;
}

}  // namespace berth::slurm
