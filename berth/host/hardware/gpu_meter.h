// GpuMeter: current readings of the node's GPUs: from NVIDIA's library, or, for other makers' GPUs,
// from a file that another program keeps up to date.
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
    // The readable GPUs, by the node's own numbers. May take a tenth of a second for each.
    virtual Result<std::vector<GpuReading>> read() = 0;
    // Faults since the last call. A fault is reported once, and again only after it has passed.
    virtual std::vector<GpuFault> faults() { return {}; }
};

// For those GPUs of the node whose device file belongs to NVIDIA's driver. `not_found`: there is no
// driver or no GPU. `failed_precondition`: none of the node's GPUs is NVIDIA's.
Result<std::unique_ptr<GpuMeter>> nvml_meter(const NodeSpec& node, const Dimensions& dimensions,
                                             const char* library = kNvml,
                                             const char* mig_minors = kMigMinors);

// Reads a file with one line for each GPU: number, utilisation (percent), memory in use (percent),
// temperature (degrees Celsius), power (percent of the limit); "-" if unknown. Fault lines may
// stand between them: "3 fault xid 79", "3 fault lost", "3 fault too hot". A file older than a
// minute or an unreadable line is an error.
std::unique_ptr<GpuMeter> file_meter(std::string path);

// The content of such a file. Errors name the line.
struct MeterText {
    std::vector<GpuReading> readings;
    std::vector<GpuFault> faults;
};
Result<MeterText> parse_readings(std::string_view text);

}  // namespace berth
