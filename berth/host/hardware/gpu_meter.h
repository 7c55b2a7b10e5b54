// GpuMeter: what the node's GPUs are doing right now. From NVIDIA's library, or from a file that
// another program keeps up to date, for GPUs of other makers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "berth/base/result.h"
#include "berth/host/hardware/gpu_inventory.h"
#include "berth/model/cluster_spec.h"
#include "berth/model/gpu_fault.h"
#include "berth/model/gpu_reading.h"

namespace berth {

class GpuMeter {
public:
    virtual ~GpuMeter() = default;
    // Those that can be read, by the node's own numbers. May take a tenth of a second for each.
    virtual Result<std::vector<GpuReading>> read() = 0;
    // What has gone wrong with them since it was last asked. Each is told once, until it has passed
    // and comes again.
    virtual std::vector<GpuFault> faults() { return {}; }
};

// Of the node's GPUs whose device file is one of the driver's. `not_found` where there is no
// driver or no GPU, `failed_precondition` where none of them is NVIDIA's.
Result<std::unique_ptr<GpuMeter>> nvml_meter(const NodeSpec& node, const Dimensions& dimensions,
                                             const char* library = kNvml,
                                             const char* mig_minors = kMigMinors);

// A line for each GPU: its number, the utilisation, the memory in use, the temperature, the power;
// in percent, degrees Celsius, percent of the limit; "-" for what is not known. A file that was not
// written for a minute is an error, as is one with a line that cannot be read. Lines about what is
// wrong with a GPU may stand among them: "3 fault xid 79", "3 fault lost", "3 fault too hot".
std::unique_ptr<GpuMeter> file_meter(std::string path);

// The text of such a file. Errors name the line.
struct MeterText {
    std::vector<GpuReading> readings;
    std::vector<GpuFault> faults;
};
Result<MeterText> parse_readings(std::string_view text);

}  // namespace berth
