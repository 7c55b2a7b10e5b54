// What srun and a step read from each other, and the file patterns of users.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "berth/model/file_pattern.h"
#include "berth/model/step_io.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(bytes), size);
    berth::StepFrameReader reader;
    reader.add(text.substr(0, size / 2));
    for (int part = 0; part < 2; ++part) {
        for (;;) {
            const auto frame = reader.next();
            if (!frame.ok() || !*frame) break;
            (void)berth::read_hello(**frame, "token");
            (void)berth::read_exit(**frame);
            (void)berth::read_window(**frame);
            (void)berth::read_exchange(**frame);
        }
        reader.add(text.substr(size / 2));
    }
    (void)berth::expand_output_path(text, "/tmp", {});
    return 0;
}
