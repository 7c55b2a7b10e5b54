// JobLists: many lists of jobs, most of them short, numbered from 0 and held as chains in one block
// of memory: 8 bytes for each job and 12 for each list.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "berth/base/make_room.h"
#include "berth/engine/state/job_ids.h"

namespace berth {

class JobLists {
public:
    // Amortized O(log n). A job may be added again: it is then there once.
    void add(std::size_t number, JobId job) {
        if (lists_.size() <= number) {
            make_room(lists_, number + 1 - lists_.size());
            lists_.resize(number + 1);
        }
        List& list = lists_[number];
        if (list.size == list.size_max) {  // Some may be there more than once.
            put_back(list, take_out(list));
            list.size_max = std::max(kLeastSizeMax, 2 * list.size);
        }
        put(list, job);
    }

    // Visits each job of the list once, in order. Jobs for which the visit says false are removed.
    // REQUIRES: visits add nothing.
    template <class Visit>
    void visit(std::size_t number, Visit visit) {
        if (number >= lists_.size() || lists_[number].size == 0) return;
        std::vector<JobId> jobs = take_out(lists_[number]);
        std::erase_if(jobs, [&](JobId job) { return !visit(job); });
        put_back(lists_[number], jobs);
    }

private:
    using Place = std::uint32_t;  // In links_.
    static constexpr Place kNowhere = std::numeric_limits<Place>::max();
    static constexpr std::uint32_t kLeastSizeMax = 4;

    struct List {
        Place first = kNowhere;
        std::uint32_t size = 0, size_max = kLeastSizeMax;
    };
    struct Link {
        JobId job{0};
        Place next = kNowhere;
    };

    void put(List& list, JobId job) {
        Place place = unused_;
        if (place == kNowhere) {
            place = static_cast<Place>(links_.size());
            make_room(links_);
            links_.emplace_back();
        } else {
            unused_ = links_[place].next;
        }
        links_[place] = {job, list.first};
        list.first = place;
        ++list.size;
    }
    // Leaves the list empty. Returns its jobs in order and each once.
    std::vector<JobId> take_out(List& list) {
        std::vector<JobId> jobs;
        jobs.reserve(std::exchange(list.size, 0));
        while (list.first != kNowhere) {
            Link& link = links_[list.first];
            jobs.push_back(link.job);
            const Place next = std::exchange(link.next, unused_);
            unused_ = std::exchange(list.first, next);
        }
        put_in_order(jobs);
        return jobs;
    }
    void put_back(List& list, const std::vector<JobId>& jobs) {
        for (const JobId job : jobs) put(list, job);
    }

    std::vector<List> lists_;
    std::vector<Link> links_;
    Place unused_ = kNowhere;  // The first of the links that no list has, in a chain of their own.
};

}  // namespace berth
