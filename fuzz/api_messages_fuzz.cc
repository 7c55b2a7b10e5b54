// Every message of the API, by its first byte: any text is read or refused, and what was read is
// written and read again the same. So are lists that come in parts, names of jobs and queries.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "berth/api/job_name.h"
#include "berth/api/json.h"
#include "berth/api/query.h"
#include "berth/base/assert.h"

namespace berth::api {
namespace {

template <class T>
void check_message(std::string_view text) {
    (void)from_json<T>(text, UnknownFields::passed_over);  // As a client reads it.
    const auto read = from_json<T>(text);
    if (!read.ok()) return;
    const auto again = from_json<T>(to_json(*read));
    BERTH_ASSERT(again.ok() && to_json(*again) == to_json(*read));
}

constexpr auto kMessages = std::to_array<void (*)(std::string_view)>({
#define BERTH_CHECK_OF(T) check_message<T>,
    BERTH_API_MESSAGES(BERTH_CHECK_OF)
#undef BERTH_CHECK_OF
});

// In parts of seven bytes, as a slow network would bring them.
class SlowText : public JsonSource {
public:
    explicit SlowText(std::string_view text) : text_(text) {}
    std::size_t read(char* buffer, std::size_t size) override {
        const std::size_t taken = text_.copy(buffer, std::min<std::size_t>(size, 7));
        text_.remove_prefix(taken);
        return taken;
    }

private:
    std::string_view text_;
};

class Elements : public JsonListSink {
public:
    Status element(JsonValue&& element) override {
        all.push_back(std::move(element));
        return Done{};
    }
    JsonArray all;
};

// What reads a list in parts finds the elements that reading the whole text does.
void check_list(std::string_view text) {
    SlowText source(text);
    Elements elements;
    const auto rest = read_json_list(source, "jobs", elements);
    const auto whole = parse_json(text);
    if (!rest.ok() || !whole.ok()) return;
    const JsonValue* const list = whole->find("jobs");
    const auto* const array = list == nullptr ? nullptr : list->as<JsonArray>();
    BERTH_ASSERT(array == nullptr || *array == elements.all);
}

void check_name(std::string_view text) {
    const auto name = parse_job_name(text);
    if (!name.ok()) return;
    const auto again = parse_job_name(to_string(*name));
    BERTH_ASSERT(again.ok() && *again == *name);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    if (size == 0) return 0;
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
    const std::string_view text(reinterpret_cast<const char*>(bytes) + 1, size - 1);
    const std::size_t kind = bytes[0];
    if (kind < kMessages.size()) {
        kMessages[kind](text);
    } else if (kind % 2 == 0) {
        check_list(text);
    } else {
        check_name(text);
        if (const auto plain = percent_decode(text); plain.ok())
            BERTH_ASSERT(*percent_decode(percent_encode(*plain)) == *plain);
    }
    return 0;
}

}  // namespace berth::api
