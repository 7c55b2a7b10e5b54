#include "berth/slurm/step/step_output.h"

#include <algorithm>
#include <cstring>
#include <ostream>

#include "berth/base/bitmask.h"

namespace berth::slurm {
namespace {

std::string ending_text(ExitStatus exit) {
    if (exit.signal != 0) return strsignal(exit.signal);
    return "Exited with exit code " + std::to_string(exit.code);
}

int code_of(ExitStatus exit) { return exit.signal != 0 ? 128 + exit.signal : exit.code; }

}  // namespace

bool is_end_notice(const StepFrame& frame) {
    return frame.kind == StepFrameKind::standard_error &&
           frame.bytes.starts_with("slurmstepd: error: *** STEP ");
}

void StepOutput::print_line(std::ostream& stream, std::uint32_t task, std::string_view line) const {
    if (!style_.label) {
        stream << line;
        return;
    }
    std::string labelled = task_label(task, style_.tasks);
    stream << labelled.append(line);  // In one piece: standard error is unbuffered.
}

void StepOutput::write(const StepFrame& frame) {
    const bool is_err = frame.kind == StepFrameKind::standard_error;
    std::ostream& stream = is_err ? err_ : out_;
    if (style_.unbuffered && !style_.label) {
        stream << frame.bytes << std::flush;
        return;
    }
    std::string& text = partial_[{frame.task, is_err}];
    text += frame.bytes;
    std::size_t at = 0;
    for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', at)) {
        print_line(stream, frame.task, std::string_view(text).substr(at, end + 1 - at));
        at = end + 1;
    }
    text.erase(0, at);
    if (text.size() > kStepFrameBytesMax) {  // A line without an end: do not keep it all.
        print_line(stream, frame.task, style_.label ? text + "\n" : text);
        text.clear();
    }
    stream.flush();
}

void StepOutput::task_ended(std::uint32_t task, ExitStatus exit) { ends_[task] = exit; }

void StepOutput::flush() {
    for (auto& [key, text] : partial_) {
        if (text.empty()) continue;
        print_line(key.second ? err_ : out_, key.first, text + (style_.label ? "\n" : ""));
        text.clear();
    }
    out_.flush();
    err_.flush();
}

int StepOutput::exit_code() const {
    int code = 0;
    for (const auto& [task, exit] : ends_) code = std::max(code, code_of(exit));
    return code;
}

void StepOutput::print_failures(const std::vector<std::string>& node_of_task, std::ostream& to) {
    std::map<std::pair<std::string, std::string>, BitSet>
        alike;  // By node and ending: which tasks.
    for (const auto& [task, exit] : ends_) {
        if (!printed_.insert(task).second) continue;
        if (code_of(exit) == 0 || task >= node_of_task.size()) continue;
        auto& tasks =
            alike.try_emplace({node_of_task[task], ending_text(exit)}, BitSet(node_of_task.size()))
                .first->second;
        tasks.set(task);
    }
    for (const auto& [key, tasks] : alike) {
        to << "srun: error: " + key.first + ": " + (tasks.count() == 1 ? "task " : "tasks ") +
                  tasks.to_list() + ": " + key.second + "\n";
    }
}

}  // namespace berth::slurm
