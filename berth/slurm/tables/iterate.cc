#include "berth/slurm/tables/iterate.h"

#include <ostream>
#include <thread>

#include "berth/base/text.h"
#include "berth/slurm/text/print.h"
#include "berth/trust/wall_time.h"

namespace berth::slurm {

Result<std::chrono::seconds> parse_iterate(const std::string& text) {
    const auto number = parse_int64(text);
    if (number.ok() && *number > 0 && *number <= 1'000'000) return std::chrono::seconds(*number);
    return Error{ErrorCode::invalid_argument,
                 "invalid entry for --iterate=" + text + ": it takes seconds, 1 or more"};
}

int show_repeatedly(std::optional<std::chrono::seconds> every, bool header, Streams& streams,
                    const std::function<int()>& show) {
    if (!every) return show();
    for (;;) {
        if (header) streams.out << local_date_line(wall_time()) << '\n';
        const int code = show();
        streams.out << '\n' << std::flush;
        if (!streams.out) return code;
        std::this_thread::sleep_for(*every);
    }
}

}  // namespace berth::slurm
