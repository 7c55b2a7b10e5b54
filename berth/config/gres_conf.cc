// gres.conf: the devices behind a node's GRES: files, near cores, NVLinks.
#include <algorithm>

#include "berth/base/hostlist.h"
#include "berth/base/text.h"
#include "berth/config/draft.h"

namespace berth::config {
namespace {

const std::vector<std::string_view> kGresKeys = {"NodeName",   "Name",          "Type",  "File",
                                                 "Cores",      "Count",         "Links", "Flags",
                                                 "AutoDetect", "MultipleFiles", "CPUs"};

void check_gres_keys(Draft& draft, const Line& line) {
    for (const Pair& pair : line.pairs) {
        const bool known =
            std::ranges::any_of(kGresKeys, [&](auto key) { return iequals(key, pair.key); });
        if (!known) {
            std::string text = "there is no option " + pair.key + " in gres.conf";
            if (const auto meant = nearest(pair.key, kGresKeys))
                text += "; did you mean " + *meant + "?";
            draft.error(line, pair, text);
        } else if (!pair.value) {
            draft.error(line, pair, pair.key + " has no value");
        } else if (iequals(pair.key, "Flags")) {
            draft.warning(line, pair, "Flags=" + *pair.value + " has no effect yet");
        }
    }
}

std::string value_or_empty(const Line& line, std::string_view key) {
    const Pair* pair = line.find(key);
    return pair == nullptr ? std::string() : pair->value.value_or("");
}

std::vector<NodeId> nodes_of(Draft& draft, const Line& line) {
    std::vector<NodeId> nodes;
    const Pair* pair = line.find("NodeName");
    if (pair == nullptr || !pair->value) {
        for (std::size_t i = 0; i < draft.spec.nodes.size(); ++i)
            nodes.push_back(NodeId::from_index(i));
        return nodes;
    }
    const auto names = expand_hostlist(*pair->value);
    if (!names.ok()) {
        draft.error(line, *pair, names.error().message);
        return nodes;
    }
    for (const std::string& name : names.value()) {
        if (const auto node = draft.spec.find_node(name)) {
            nodes.push_back(*node);
        } else {
            draft.warning(line, *pair, "NodeName=" + name + ": slurm.conf describes no such node");
        }
    }
    return nodes;
}

// The GRES of the node that a record is about: same name, and same type where the record gives one.
const NodeGres* gres_of(const Draft& draft, NodeId node, const std::string& name,
                        const std::string& type) {
    for (const NodeGres& gres : draft.node_gres[node.index()]) {
        if (gres.name == name && (type.empty() || gres.type.empty() || gres.type == type))
            return &gres;
    }
    return nullptr;
}

std::int64_t devices_named(const Draft& draft, const NodeSpec& node, const std::string& name) {
    return std::ranges::count_if(node.devices, [&](const Device& d) {
        return draft.spec.dimensions.at(d.dimension).name == name;
    });
}

std::int64_t configured(const Draft& draft, NodeId node, const std::string& name) {
    std::int64_t count = 0;
    for (const NodeGres& gres : draft.node_gres[node.index()])
        count += gres.name == name ? gres.count : 0;
    return count;
}

std::string to_text(const std::vector<std::int32_t>& numbers) {
    std::string text;
    for (const std::int32_t n : numbers) text += (text.empty() ? "" : ",") + std::to_string(n);
    return text;
}

struct Links {
    std::vector<std::int32_t> row;
    bool was_peer_list = false;
};

// Links is a row of link counts with -1 at the device itself. A list without -1 is what people
// write who mean "these are its peers": it is read as that.
std::optional<Links> parse_links(const std::string& text, std::int64_t own, std::int64_t count) {
    std::vector<std::int32_t> numbers;
    for (const auto part : split(text, ',')) {
        const auto number = parse_int64(trim(part));
        if (!number.ok() || number.value() < -1 || number.value() > 1000) return std::nullopt;
        numbers.push_back(static_cast<std::int32_t>(number.value()));
    }
    if (std::ranges::find(numbers, -1) != numbers.end()) return Links{numbers, false};
    std::vector<std::int32_t> row(static_cast<std::size_t>(count), 0);
    for (const std::int32_t peer : numbers) {
        if (peer >= count) return std::nullopt;
        row[static_cast<std::size_t>(peer)] = 1;
    }
    if (own < count) row[static_cast<std::size_t>(own)] = -1;
    return Links{row, true};
}

// One record, for one node: its files as devices.
class GresRecord {
public:
    GresRecord(Draft& draft, const Line& line) : draft_(draft), line_(line) {
        name_ = value_or_empty(line, "Name");
        type_ = value_or_empty(line, "Type");
    }

    bool is_wrong() {
        if (line_.has("File") && line_.has("MultipleFiles")) {
            draft_.error(
                line_, *line_.find("MultipleFiles"),
                "File and MultipleFiles are mutually exclusive; keep MultipleFiles for MIG");
            return true;
        }
        const bool is_one = line_.has("MultipleFiles");
        const Pair* file = line_.find(is_one ? "MultipleFiles" : "File");
        if (file == nullptr) return read_count(nullptr);
        const auto files = expand_hostlist(file->value.value_or(""));
        if (!files.ok()) {
            draft_.error(line_, *file, file->key + ": " + files.error().message);
            return true;
        }
        files_ = is_one ? std::vector<std::string>{join(*files, ",")} : *files;
        return read_count(file);
    }

    // True if the node has this GRES.
    bool add_to(NodeId id) {
        const NodeGres* gres = gres_of(draft_, id, name_, type_);
        if (gres == nullptr) return false;
        NodeSpec& node = draft_.spec.nodes.edit(id.index());
        const std::int64_t total = configured(draft_, id, name_);
        for (const std::string& file : files_) {
            const std::int64_t index = devices_named(draft_, node, name_);
            if (index >= total) {
                if (!said_too_many_) {
                    draft_.warning(line_, (file.empty() ? "Count" : "File=" + file) +
                                              " exceeds the " + std::to_string(total) +
                                              " of Gres=" + name_ +
                                              " in slurm.conf and is ignored");
                }
                said_too_many_ = true;
                break;
            }
            // Lines that name no files are about no more GPUs of a type than Gres= has.
            if (file.empty() && devices_of(node, *gres) >= gres->count) break;
            add_device(node, *gres, file, index, total);
        }
        return true;
    }

private:
    // How many GPUs a line without File is about. Of any other name nothing but their number is
    // known then. True if it is wrong.
    bool read_count(const Pair* file) {
        if (name_ != "gpu") return false;
        const Pair* pair = line_.find("Count");
        const auto count = parse_count(pair == nullptr ? "1" : pair->value.value_or(""));
        if (!count || *count == 0) {
            draft_.error(line_, *pair, "Count should be a whole number from 1 on, like 4");
            return true;
        }
        const auto most = static_cast<std::int64_t>(kDevicesPerNodeMax);
        if (file == nullptr) files_.resize(static_cast<std::size_t>(std::min(*count, most)));
        if (pair == nullptr || file == nullptr || std::ssize(files_) == *count) return false;
        draft_.error(line_, *pair,
                     "Count=" + *pair->value + " does not agree with " + file->key +
                         ", which names " + std::to_string(files_.size()) +
                         "; leave Count out or correct it");
        return true;
    }
    std::int64_t devices_of(const NodeSpec& node, const NodeGres& gres) const {
        const auto dimension = draft_.spec.dimensions.find(gres.name, gres.type);
        return dimension ? std::ranges::count(node.devices, *dimension, &Device::dimension) : 0;
    }
    void add_device(NodeSpec& node, const NodeGres& gres, const std::string& file,
                    std::int64_t index, std::int64_t total) {
        const auto dimension = draft_.spec.dimensions.find(gres.name, gres.type);
        if (!dimension || node.devices.size() >= kDevicesPerNodeMax) return;
        Device device{
            .dimension = *dimension, .index = static_cast<std::uint32_t>(index), .file = file};
        set_cores(node, device);
        set_links(device, index, total);
        node.devices.push_back(std::move(device));
    }
    void set_cores(const NodeSpec& node, Device& device) {
        const Pair* pair = line_.has("Cores") ? line_.find("Cores") : line_.find("CPUs");
        if (pair == nullptr || !pair->value) return;
        const auto near = BitSet::parse(*pair->value, node.cores());
        if (near.ok()) {
            device.cores = near.value();
        } else if (!said_cores_) {
            said_cores_ = true;
            draft_.error(line_, *pair,
                         "Cores=" + *pair->value + " on " + node.name + ", which has cores 0 to " +
                             std::to_string(node.cores() - 1));
        }
    }
    void set_links(Device& device, std::int64_t index, std::int64_t total) {
        const Pair* pair = line_.find("Links");
        if (pair == nullptr || !pair->value) return;
        const auto links = parse_links(*pair->value, index, total);
        if (said_links_) {
            if (links) device.links = links->row;
            return;
        }
        said_links_ = true;
        if (!links) {
            draft_.error(
                line_, *pair,
                "Links=" + *pair->value +
                    " should be a row of link counts with -1 for the device itself, like -1,4,4,4");
        } else if (links->was_peer_list) {
            draft_.warning(line_, *pair,
                           "Links=" + *pair->value +
                               " has no -1 for the device itself: read as the list of its peers; "
                               "as a row of link counts it is Links=" +
                               to_text(links->row));
        }
        if (links) device.links = links->row;
    }

    Draft& draft_;
    const Line& line_;
    std::string name_, type_;
    std::vector<std::string> files_;
    bool said_too_many_ = false, said_links_ = false, said_cores_ = false;
};

void read_record(Draft& draft, const Line& line) {
    const std::string name = value_or_empty(line, "Name");
    if (!draft.gres_types.contains(name)) {
        return draft.error(line, "Name=" + name + ": add " + name + " to GresTypes in slurm.conf");
    }
    draft.gres_type_lines.erase(name);  // Spoken for: here, if it comes to nothing.
    if (note_parts(draft, line, name)) return;
    GresRecord record(draft, line);
    if (record.is_wrong()) return;
    bool used = false;
    for (const NodeId node : nodes_of(draft, line)) used = record.add_to(node) || used;
    if (used) return;
    const std::string count = value_or_empty(line, "Count");
    const std::string type = value_or_empty(line, "Type");
    draft.warning(line, "Name=" + name + (count.empty() ? "" : " Count=" + count) +
                            " is ignored: no node has " + name + (type.empty() ? "" : ":" + type) +
                            " in its Gres= in slurm.conf (add " + name +
                            (type.empty() ? "" : ":" + type) + ":" + (count.empty() ? "N" : count) +
                            ")");
}

// Said once, where it would have found something.
void note_auto_detect(Draft& draft, const NodeSpec& node) {
    if (!draft.auto_detect) return;
    const auto [line, how] = *std::exchange(draft.auto_detect, std::nullopt);
    draft.note(line, how,
               "AutoDetect cannot reach the nodes from here and knows only the number of GPUs of " +
                   node.name +
                   "; run `berth detect` there and put the lines that it prints into this file");
}

}  // namespace

void read_gres_conf(Draft& draft, const std::vector<Line>& lines) {
    for (const Line& line : lines) {
        check_gres_keys(draft, line);
        if (line.has("Name")) {
            read_record(draft, line);
        } else if (line.pairs.size() == 1 && iequals(line.pairs.front().key, "NodeName")) {
            draft.warning(
                line, "NodeName=" + value_or_empty(line, "NodeName") +
                          " alone on a line has no effect: the lines below apply to every node; "
                          "write NodeName= on each line that is for some nodes only");
        } else if (const Pair* how = line.find("AutoDetect"); how != nullptr) {
            if (!iequals(how->value.value_or(""), "off")) draft.auto_detect = {line, *how};
        } else {
            draft.error(line, "a line of gres.conf needs Name=");
        }
    }
}

void finish_devices(Draft& draft) {
    for (std::size_t i = 0; i < draft.spec.nodes.size(); ++i) {
        NodeSpec& node = draft.spec.nodes.edit(i);
        for (const NodeGres& gres : draft.node_gres[i]) {
            if (gres.name != "gpu")
                continue;  // Of any other name, devices are only what gres.conf lists.
            const auto dimension = draft.spec.dimensions.find(gres.name, gres.type);
            if (!dimension) continue;  // One kind too many, as was said.
            for (std::int64_t n = std::ranges::count(node.devices, *dimension, &Device::dimension);
                 n < gres.count && node.devices.size() < kDevicesPerNodeMax; ++n) {
                const auto index =
                    static_cast<std::uint32_t>(devices_named(draft, node, gres.name));
                node.devices.push_back({.dimension = *dimension, .index = index});
                note_auto_detect(draft, node);
            }
        }
        std::ranges::stable_sort(node.devices, {}, [&](const Device& device) {
            return std::pair(draft.spec.dimensions.at(device.dimension).name, device.index);
        });
    }
    for (const auto& [name, line] : draft.gres_type_lines) {
        if (draft.spec.dimensions.knows_name(name)) continue;
        draft.findings.add(
            Severity::warning, draft.slurm_conf, line,
            "GresTypes names " + name + ", but no node has it in Gres= and gres.conf lists none");
    }
}

}  // namespace berth::config
