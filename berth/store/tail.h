// Tail: which record was the last, in a file beside the state file ("berth.db.tail"). It is written
// after each commit and never synced, so it may be older than the state file but never newer. A
// state file that ends before its tail has lost records.
#pragma once

#include <optional>
#include <string>

#include "berth/base/result.h"
#include "berth/store/chain.h"

namespace berth {

std::string tail_path(const std::string& database);

// nullopt: there is no tail. A damaged one is an error.
Result<std::optional<Chain>> read_tail(const std::string& database);

class TailFile {
public:
    // Opens or creates the file. Its name and its first content are durable on return.
    static Result<TailFile> open(const std::string& database, Chain last);
    TailFile(TailFile&& other) noexcept;
    TailFile& operator=(TailFile&&) = delete;
    ~TailFile();

    // A single write within one sector, without a sync.
    Status write(Chain last);

private:
    TailFile(std::string path, int file) : path_(std::move(path)), file_(file) {}
    std::string path_;
    int file_;
};

// Why a state file that was recovered up to `found` is not the one that the tail describes;
// nullopt: it is. `at_tail`: the state file's chain at the tail's record, if that is still known.
std::optional<std::string> loss_told_by(const Chain& tail, const Chain& found,
                                        const std::optional<Chain>& at_tail);

}  // namespace berth
