#include "berth/slurm/admin/scontrol_partition.h"

#include "berth/base/text.h"
#include "berth/model/invalid_argument.h"
#include "berth/model/partition_keys.h"

namespace berth::slurm {
namespace {

struct Word {
    std::string_view text, key, value;
    char sign = '=';  // '+' and '-' of "Nodes+=" and "Nodes-=".
};

bool names_partition(std::string_view key) {
    return iequals(key, "PartitionName") || iequals(key, "partition");
}

// Slurm's words for a value that is wrong; our own for one that is only not built.
Error wrong_value(const Word& word, const PartitionKey& key, const Error& why) {
    switch (key.value) {
        case PartitionValue::nodes:
        case PartitionValue::oversubscribe:
        case PartitionValue::preempt_mode: return why;
        case PartitionValue::state:
            return invalid_argument(
                "Invalid input: " + std::string(word.text) +
                "\nscontrol: error: Acceptable State values are UP, DOWN, DRAIN and INACTIVE");
        default: return invalid_argument("Invalid input " + std::string(word.text));
    }
}

Word word_of(std::string_view text) {
    const std::size_t equals = text.find('=');
    Word word{.text = text, .key = text.substr(0, equals), .value = {}};
    if (equals != std::string_view::npos) word.value = text.substr(equals + 1);
    if (!word.key.empty() && (word.key.back() == '+' || word.key.back() == '-')) {
        word.sign = word.key.back();
        word.key.remove_suffix(1);
    }
    return word;
}

Status set(PartitionChange& change, const Word& word) {
    const PartitionKey* const key = find_partition_key(word.key);
    const bool listed = word.sign == '=' || (key != nullptr && key->value == PartitionValue::nodes);
    if (key == nullptr || !listed) {
        return invalid_argument("Update of this parameter is not supported: " +
                                std::string(word.text) + "\n\nscontrol: error: Request aborted");
    }
    if (key->value == PartitionValue::without_effect ||
        key->value == PartitionValue::billing_weights) {
        return invalid_argument(std::string(key->name) + " is not supported yet");
    }
    PartitionChange read;
    PartitionChange& target = word.sign == '=' ? change : read;
    if (const Status done = set_value(target, *key, word.value); !done.ok()) {
        return wrong_value(word, *key, done.error());
    }
    if (word.sign == '+') change.nodes_added = *std::move(read.nodes);
    if (word.sign == '-') change.nodes_removed = *std::move(read.nodes);
    return Done{};
}

}  // namespace

std::string partition_named(const std::vector<std::string>& words) {
    for (const std::string& text : words) {
        const Word word = word_of(text);
        if (names_partition(word.key)) return std::string(word.value);
    }
    return {};
}

Result<api::PartitionCall> parse_partition(const std::vector<std::string>& words) {
    api::PartitionCall call;
    for (const std::string& text : words) {
        const Word word = word_of(text);
        if (text.find('=') == std::string::npos) {
            if (iequals(text, "partition")) continue;
            return invalid_argument("Invalid input: " + text +
                                    "\nscontrol: error: Request aborted");
        }
        if (names_partition(word.key)) {
            call.name = word.value;
        } else if (const Status done = set(call.change, word); !done.ok()) {
            return done.error();
        }
    }
    return call;
}

}  // namespace berth::slurm
