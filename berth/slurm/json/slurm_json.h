// SlurmJson: what --json and --yaml print, in the shapes of Slurm's data_parser v0.0.44. Written
// incrementally, so a long list takes no memory.
#pragma once

#include <iosfwd>
#include <string>

#include "berth/base/result.h"
#include "berth/slurm/text/invocation.h"
#include "berth/slurmrest/shape_writer.h"

namespace berth::slurm {

using slurmrest::Notation;

// The value of --json or --yaml: none, or a version that is supported.
Status check_shape(const char* value);

// A base, since the writer that writes into it is one.
struct WrittenText {
    std::string text;
};

class SlurmJson : private WrittenText, public slurmrest::ShapeWriter {
public:
    SlurmJson(std::ostream& out, Notation notation);

    // Ends the document, with "meta", "errors" and "warnings", and writes it out.
    void finish(const Invocation& call, const std::string& cluster);
    void flush();  // Writes out what there is so far.

private:
    std::ostream& out_;
    const Notation notation_;
};

}  // namespace berth::slurm
