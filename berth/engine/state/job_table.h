// JobTable: one value per job, found by id in constant time and visited in id order. Ids are
// consecutive, so the pages are well filled.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "berth/base/assert.h"
#include "berth/model/ids.h"

namespace berth {

template <class T>
class JobTable {
    static constexpr std::uint32_t kPageBits = 6;  // A page has one word of used bits.
    static constexpr std::uint32_t kPageSize = 1U << kPageBits;
    struct Page {
        std::uint64_t used = 0;
        std::array<T, kPageSize> values{};
    };

public:
    JobTable() = default;
    JobTable(const JobTable& other) : size_(other.size_) {
        pages_.reserve(other.pages_.size());
        for (const auto& page : other.pages_) {
            pages_.push_back(page == nullptr ? nullptr : std::make_unique<Page>(*page));
        }
    }
    JobTable(JobTable&& other) noexcept
        : pages_(std::move(other.pages_)), size_(std::exchange(other.size_, 0)) {}
    JobTable& operator=(JobTable other) noexcept {
        pages_.swap(other.pages_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~JobTable() = default;

    T* find(JobId id) { return const_cast<T*>(std::as_const(*this).find(id)); }
    const T* find(JobId id) const {
        const std::size_t page = id.index() >> kPageBits;
        if (page >= pages_.size() || pages_[page] == nullptr) return nullptr;
        const std::uint32_t slot = id.value() % kPageSize;
        return ((pages_[page]->used >> slot) & 1U) == 0 ? nullptr : &pages_[page]->values[slot];
    }
    bool contains(JobId id) const { return find(id) != nullptr; }
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }

    // The value, default-constructed if there was none.
    T& operator[](JobId id) {
        const std::size_t page = id.index() >> kPageBits;
        if (page >= pages_.size()) pages_.resize(page + 1);
        if (pages_[page] == nullptr) pages_[page] = std::make_unique<Page>();
        const std::uint32_t slot = id.value() % kPageSize;
        if (((pages_[page]->used >> slot) & 1U) == 0) {
            pages_[page]->used |= std::uint64_t{1} << slot;
            ++size_;
        }
        return pages_[page]->values[slot];
    }
    T& at(JobId id) {
        T* value = find(id);
        BERTH_ASSERT(value != nullptr);
        return *value;
    }
    const T& at(JobId id) const {
        const T* value = find(id);
        BERTH_ASSERT(value != nullptr);
        return *value;
    }

    // False: there was none.
    bool erase(JobId id) {
        T* value = find(id);
        if (value == nullptr) return false;
        *value = T{};
        std::unique_ptr<Page>& page = pages_[id.index() >> kPageBits];
        page->used &= ~(std::uint64_t{1} << (id.value() % kPageSize));
        if (page->used == 0) page.reset();
        --size_;
        return true;
    }
    void clear() {
        pages_.clear();
        size_ = 0;
    }

    // In id order, as pairs of an id and a reference. The visited element may be erased; no other
    // change is allowed.
    template <class Table, class Value>
    class Iterator {
    public:
        Iterator(Table* table, std::size_t page, std::uint32_t slot = 0)
            : table_(table), page_(page) {
            settle(slot);
        }
        std::pair<JobId, Value&> operator*() const {
            return {JobId(static_cast<std::uint32_t>(page_ << kPageBits) + slot_),
                    table_->pages_[page_]->values[slot_]};
        }
        Iterator& operator++() {
            settle(slot_ + 1);
            return *this;
        }
        bool operator==(const Iterator& other) const {
            return page_ == other.page_ && slot_ == other.slot_;
        }

    private:
        void settle(std::uint32_t from) {
            for (; page_ < table_->pages_.size(); ++page_, from = 0) {
                if (from >= kPageSize || table_->pages_[page_] == nullptr) continue;
                const std::uint64_t left = table_->pages_[page_]->used >> from << from;
                if (left == 0) continue;
                slot_ = static_cast<std::uint32_t>(std::countr_zero(left));
                return;
            }
            slot_ = 0;
        }
        Table* table_;
        std::size_t page_;
        std::uint32_t slot_ = 0;
    };
    auto begin() { return Iterator<JobTable, T>(this, 0); }
    auto end() { return Iterator<JobTable, T>(this, pages_.size()); }
    auto from(JobId id) {  // Iterates from the first id that is not lower than `id`.
        const std::size_t page = id.index() >> kPageBits;
        if (page >= pages_.size()) return end();
        return Iterator<JobTable, T>(this, page, id.value() % kPageSize);
    }
    auto begin() const { return Iterator<const JobTable, const T>(this, 0); }
    auto end() const { return Iterator<const JobTable, const T>(this, pages_.size()); }

private:
    std::vector<std::unique_ptr<Page>> pages_;
    std::size_t size_ = 0;
};

}  // namespace berth
