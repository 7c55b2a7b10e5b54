// JobRecords: every known job, in id order. A record's address never changes.
#pragma once

#include <cstddef>
#include <iterator>
#include <memory>
#include <utility>

#include "berth/engine/state/job_table.h"
#include "berth/model/job.h"

namespace berth {

class JobRecords {
    using Table = JobTable<std::unique_ptr<Job>>;

public:
    Job* find(JobId id) {
        std::unique_ptr<Job>* const at = table_.find(id);
        return at == nullptr ? nullptr : at->get();
    }
    const Job* find(JobId id) const {
        const std::unique_ptr<Job>* const at = table_.find(id);
        return at == nullptr ? nullptr : at->get();
    }
    bool contains(JobId id) const { return table_.contains(id); }
    Job& at(JobId id) { return *table_.at(id); }
    const Job& at(JobId id) const { return *table_.at(id); }
    std::size_t size() const { return table_.size(); }
    bool empty() const { return table_.empty(); }

    // Replaces the record with that id, if there is one.
    Job& put(Job job) {
        std::unique_ptr<Job>& at = table_[job.id];
        at = std::make_unique<Job>(std::move(job));
        return *at;
    }
    void erase(JobId id) { table_.erase(id); }

    // In id order, as pairs of an id and a reference.
    class Iterator {
    public:
        using Inner = decltype(std::declval<const Table&>().begin());
        using value_type = std::pair<JobId, const Job&>;
        using difference_type = std::ptrdiff_t;
        using reference = value_type;
        using iterator_category = std::input_iterator_tag;

        explicit Iterator(Inner at) : at_(at) {}
        value_type operator*() const {
            const auto& [id, job] = *at_;
            return {id, *job};
        }
        Iterator& operator++() {
            ++at_;
            return *this;
        }
        bool operator==(const Iterator& other) const { return at_ == other.at_; }

    private:
        Inner at_;
    };
    Iterator begin() const { return Iterator(table_.begin()); }
    Iterator end() const { return Iterator(table_.end()); }

private:
    Table table_;
};

}  // namespace berth
