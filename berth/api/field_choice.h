// FieldChoice: which fields of a row are written. UnknownFields: what becomes of fields that are
// read and that no message has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "berth/api/all_messages.h"
#include "berth/base/result.h"

namespace berth::api {

// Which fields of a row are wanted.
class FieldChoice {
public:
    FieldChoice() = default;  // All.
    bool all() const { return wanted_.empty(); }
    bool wants(std::size_t index) const { return wanted_.empty() || wanted_[index]; }
    // Of that field's own fields.
    const FieldChoice& within(std::size_t index) const;
    // "id", "name", "owner.user" …; refuses what T has not.
    template <class T>
    static Result<FieldChoice> of(const std::vector<std::string>& names);

private:
    struct Known;
    static Result<FieldChoice> choose(const std::vector<Known>& known,
                                      const std::vector<std::string>& names);
    std::vector<bool> wanted_;  // By the place in the struct; empty: all.
    std::map<std::size_t, FieldChoice> within_;
};

// The server refuses what it does not know; a client passes over what a newer server tells it.
enum class UnknownFields : std::uint8_t { refused, passed_over };

#define BERTH_API_DECLARE(T) \
    extern template Result<FieldChoice> FieldChoice::of<T>(const std::vector<std::string>&);
BERTH_API_MESSAGES(BERTH_API_DECLARE)
#undef BERTH_API_DECLARE

}  // namespace berth::api
