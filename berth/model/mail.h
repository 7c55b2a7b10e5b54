// Mail: about what of a job its user wants to be told (--mail-type), in Slurm's words.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace berth {

// Bits of a set. The values stand in journals.
enum class MailType : std::uint16_t {
    begin = 1,
    end = 2,
    fail = 4,
    requeue = 8,
    time_limit = 16,
    time_limit_90 = 32,
    time_limit_80 = 64,
    time_limit_50 = 128,
    stage_out = 256,    // Never due: there are no burst buffers.
    array_tasks = 512,  // Of each task of an array, instead of the array.
    invalid_depend = 1024,
};

struct MailTypes {
    std::uint16_t bits = 0;

    constexpr bool has(MailType type) const {
        return (bits & static_cast<std::uint16_t>(type)) != 0;
    }
    constexpr void add(MailType type) {
        bits = static_cast<std::uint16_t>(bits | static_cast<std::uint16_t>(type));
    }
    constexpr bool any_time() const { return (bits & 0xf0) != 0; }
    friend bool operator==(const MailTypes&, const MailTypes&) = default;
};

// "BEGIN,END", "ALL", "NONE"; nullopt where a word is none of Slurm's.
std::optional<MailTypes> parse_mail_types(std::string_view text);
// As `scontrol show job` prints them.
std::string to_text(MailTypes types);

// Why a mail program is not given this address; empty: it may be. Such programs take what begins
// with "-" for an option, with "|" for a command and with "/" or "+" for a file, and would act on
// it as the controller's user.
std::string objection_to_address(std::string_view address);

}  // namespace berth
