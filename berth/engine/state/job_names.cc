#include "berth/engine/state/job_names.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "berth/base/make_room.h"

namespace berth {
namespace {

constexpr std::uint32_t kIdsOfPage = 32;

std::uint32_t page_number(JobId job) { return job.value() / kIdsOfPage; }
std::uint32_t page_bit(JobId job) { return std::uint32_t{1} << job.value() % kIdsOfPage; }

}  // namespace

void JobNames::put(Pages& pages, JobId job) {
    auto at = std::ranges::lower_bound(pages, page_number(job), {}, &Page::number);
    if (at == pages.end() || at->number != page_number(job)) {
        const std::ptrdiff_t place = at - pages.begin();
        make_room(pages);
        at = pages.insert(pages.begin() + place, {page_number(job), 0});
    }
    at->bits |= page_bit(job);
}

void JobNames::add(std::uint32_t uid, const SharedText& name, JobId job) {
    const auto [at, is_new] = named_.insert({.uid = uid, .only = job, .name = name, .pages = {}});
    if (is_new || (at->pages.empty() && at->only == job)) return;
    Pages& pages = at->pages.edit();
    if (pages.empty()) put(pages, std::exchange(at->only, JobId(0)));
    put(pages, job);
}

void JobNames::remove(std::uint32_t uid, const SharedText& name, JobId job) {
    const auto at = named_.find(IsBefore::Key(uid, name));
    if (at == named_.end()) return;
    if (at->pages.empty()) {
        if (at->only == job) named_.erase(at);
        return;
    }
    Pages& pages = at->pages.edit();
    const auto page = std::ranges::lower_bound(pages, page_number(job), {}, &Page::number);
    if (page == pages.end() || page->number != page_number(job)) return;
    page->bits &= ~page_bit(job);
    if (page->bits == 0) pages.erase(page);
    if (pages.size() > 1 || std::popcount(pages.front().bits) > 1) return;
    const auto bit = static_cast<std::uint32_t>(std::countr_zero(pages.front().bits));
    at->only = JobId(pages.front().number * kIdsOfPage + bit);
    at->pages.clear();
}

std::vector<JobId> JobNames::find(std::uint32_t uid, std::string_view name) const {
    const auto at = named_.find(IsBefore::Key(uid, name));
    if (at == named_.end()) return {};
    if (at->pages.empty()) return {at->only};
    std::vector<JobId> found;
    for (const Page& page : at->pages) {
        for (std::uint32_t left = page.bits; left != 0; left &= left - 1) {
            const auto bit = static_cast<std::uint32_t>(std::countr_zero(left));
            found.emplace_back(page.number * kIdsOfPage + bit);
        }
    }
    return found;
}

}  // namespace berth
