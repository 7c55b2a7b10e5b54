// Remark: what Berth refuses, leaves out or treats differently of what a Slurm site had, and the
// line that had it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace berth::slurm {

enum class RemarkKind : unsigned char {
    refused,  // It is not moved, though it was meant to have an effect.
    differs,  // It is moved and acts in another way, or it is left out on purpose.
};

struct Remark {
    RemarkKind kind = RemarkKind::refused;
    std::size_t line = 0;  // From 1; 0: the text as a whole.
    std::string message;

    friend bool operator==(const Remark&, const Remark&) = default;
};
using Remarks = std::vector<Remark>;

// The error of a command as one line, without the command's name.
std::string one_line(std::string_view error);

// What a site can use in place of an option of QOS, accounts or users that Berth lacks, as the end
// of a message: "; instead: …". Empty: nothing.
std::string instead_of(std::string_view option);

}  // namespace berth::slurm
