// GpuWatch: reads a meter at regular intervals, on a thread of its own, since drivers may be slow.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "berth/base/log.h"
#include "berth/base/time.h"
#include "berth/host/hardware/gpu_meter.h"

namespace berth {

class GpuWatch {
public:
    // `tell` and `warn` are called on that thread. A failure is logged once, until a reading
    // succeeds.
    GpuWatch(std::unique_ptr<GpuMeter> meter, Duration every, LogSink& log,
             std::function<void(std::vector<GpuReading>)> tell,
             std::function<void(std::vector<GpuFault>)> warn);
    ~GpuWatch();

private:
    void watch();
    void look();

    std::unique_ptr<GpuMeter> meter_;
    Duration every_;
    LogSink& log_;
    std::function<void(std::vector<GpuReading>)> tell_;
    std::function<void(std::vector<GpuFault>)> warn_;
    bool failing_ = false;
    std::mutex mutex_;
    std::condition_variable ended_;
    bool ending_ = false;
    std::thread thread_;
};

}  // namespace berth
