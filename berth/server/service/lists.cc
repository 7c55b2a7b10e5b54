#include "berth/server/service/lists.h"

#include "berth/server/views/accounting_rows.h"
#include "berth/server/views/job_rows.h"

namespace berth {
namespace {

// The envelope of a list, and the pace at which it is made. `Source` puts one row after the other:
// bool put_next(JsonWriter&), false when there are no more.
template <class Source>
class ListBody : public BodyParts {
public:
    ListBody(const Snapshot& snapshot, std::string_view name, Source source)
        : source_(std::move(source)), writer_(text_) {
        writer_.begin_object();
        writer_.key("sequence");
        writer_.number(snapshot.sequence);
        writer_.key("now");
        writer_.number(seconds(snapshot.now));
        source_.put_head(writer_);
        writer_.key(name);
        writer_.begin_array();
    }
    bool next(std::string& part) override {
        if (ended_) return false;
        while (text_.size() < kPartBytes && !ended_) {
            if (source_.put_next(writer_)) continue;
            writer_.end_array();
            writer_.end_object();
            ended_ = true;
        }
        part.clear();
        part.swap(text_);
        return true;
    }

private:
    Source source_;
    std::string text_;
    api::JsonWriter writer_;
    bool ended_ = false;
};

struct JobSource {
    std::shared_ptr<const Snapshot> snapshot;
    JobFilter filter;
    api::FieldChoice choice;
    std::optional<std::uint32_t> next = 0;

    void put_head(api::JsonWriter&) const {}
    bool put_next(api::JsonWriter& writer) {
        const SnapshotJob* const job = next ? filter.first_from(*snapshot, *next) : nullptr;
        if (job == nullptr) return false;
        write_json(writer, job_row(*snapshot, *job), choice);
        const std::uint32_t id = job->job->id.value();
        next = id == UINT32_MAX ? std::nullopt : std::optional(id + 1);
        return true;
    }
};

template <class Row>
struct RowSource {
    std::vector<Row> rows;
    std::size_t next = 0;

    void put_head(api::JsonWriter&) const {}
    bool put_next(api::JsonWriter& writer) {
        if (next == rows.size()) return false;
        write_json(writer, rows[next++]);
        return true;
    }
};

struct AccountingSource {
    std::shared_ptr<const Snapshot> snapshot;
    AccountingAnswer answer;
    std::size_t next = 0;

    void put_head(api::JsonWriter& writer) const {
        writer.key("more");
        writer.boolean(answer.more);
    }
    bool put_next(api::JsonWriter& writer) {
        if (next == answer.records.size()) return false;
        write_json(writer, accounting_row(*snapshot->spec, answer.records[next++]));
        return true;
    }
};

template <class Source>
std::unique_ptr<BodyParts> list_of(const Snapshot& snapshot, std::string_view name, Source source) {
    return std::make_unique<ListBody<Source>>(snapshot, name, std::move(source));
}

}  // namespace

std::unique_ptr<BodyParts> job_list(std::shared_ptr<const Snapshot> snapshot, JobFilter filter,
                                    api::FieldChoice choice) {
    const Snapshot& shown = *snapshot;
    return list_of(shown, "jobs",
                   JobSource{std::move(snapshot), std::move(filter), std::move(choice)});
}

template <class Row>
std::unique_ptr<BodyParts> row_list(const Snapshot& snapshot, std::string_view name,
                                    std::vector<Row> rows) {
    return list_of(snapshot, name, RowSource<Row>{std::move(rows)});
}
template std::unique_ptr<BodyParts> row_list(const Snapshot&, std::string_view,
                                             std::vector<api::NodeRow>);
template std::unique_ptr<BodyParts> row_list(const Snapshot&, std::string_view,
                                             std::vector<api::PartitionRow>);
template std::unique_ptr<BodyParts> row_list(const Snapshot&, std::string_view,
                                             std::vector<api::PriorityRow>);
template std::unique_ptr<BodyParts> row_list(const Snapshot&, std::string_view,
                                             std::vector<api::ShareRow>);
template std::unique_ptr<BodyParts> row_list(const Snapshot&, std::string_view,
                                             std::vector<api::QueueRow>);
template std::unique_ptr<BodyParts> row_list(const Snapshot&, std::string_view,
                                             std::vector<api::NodeEventRow>);
template std::unique_ptr<BodyParts> row_list(const Snapshot&, std::string_view,
                                             std::vector<api::LicenseRow>);
template std::unique_ptr<BodyParts> row_list(const Snapshot&, std::string_view,
                                             std::vector<api::ReservationRow>);
template std::unique_ptr<BodyParts> row_list(const Snapshot&, std::string_view,
                                             std::vector<api::AssociationRow>);
template std::unique_ptr<BodyParts> row_list(const Snapshot&, std::string_view,
                                             std::vector<api::QosRow>);

std::unique_ptr<BodyParts> accounting_list(std::shared_ptr<const Snapshot> snapshot,
                                           AccountingAnswer answer) {
    const Snapshot& shown = *snapshot;
    return list_of(shown, "records", AccountingSource{std::move(snapshot), std::move(answer)});
}

}  // namespace berth
