// JobNames: jobs by their owner and name. Many sites give every job another name, others repeat a
// few ten thousand times: one job takes nothing beside its name, and of several the ids that lie
// near each other share a page.
#pragma once

#include <compare>
#include <cstdint>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/base/shared.h"
#include "berth/base/shared_text.h"
#include "berth/model/ids.h"

namespace berth {

class JobNames {
public:
    void add(std::uint32_t uid, const SharedText& name, JobId job);
    void remove(std::uint32_t uid, const SharedText& name, JobId job);  // If it is there.
    // In order.
    std::vector<JobId> find(std::uint32_t uid, std::string_view name) const;

    friend bool operator==(const JobNames&, const JobNames&) = default;

private:
    struct Page {
        std::uint32_t number = 0;
        std::uint32_t bits = 0;  // One for each id.
        friend bool operator==(const Page&, const Page&) = default;
    };
    using Pages = std::vector<Page>;  // In order, none empty.
    // In its order in the set only uid and name count.
    struct Named {
        std::uint32_t uid = 0;
        mutable JobId only{0};  // While there are no pages.
        SharedText name;
        mutable Shared<Pages> pages;

        friend bool operator==(const Named&, const Named&) = default;
    };
    struct IsBefore {
        using is_transparent = void;
        using Key = std::pair<std::uint32_t, std::string_view>;
        static Key key_of(const Named& named) { return {named.uid, *named.name}; }
        static Key key_of(const Key& key) { return key; }
        bool operator()(const auto& a, const auto& b) const { return key_of(a) < key_of(b); }
    };
    static void put(Pages& pages, JobId job);

    std::set<Named, IsBefore> named_;
};

}  // namespace berth
