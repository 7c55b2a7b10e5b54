#include "berth/host/hardware/gpu_watch.h"

namespace berth {

GpuWatch::GpuWatch(std::unique_ptr<GpuMeter> meter, Duration every, LogSink& log,
                   std::function<void(std::vector<GpuReading>)> tell,
                   std::function<void(std::vector<GpuFault>)> warn)
    : meter_(std::move(meter)),
      every_(every),
      log_(log),
      tell_(std::move(tell)),
      warn_(std::move(warn)),
      thread_([this] { watch(); }) {}

GpuWatch::~GpuWatch() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    ended_.notify_all();
    thread_.join();
}

void GpuWatch::watch() {
    std::unique_lock lock(mutex_);
    while (!ending_) {
        lock.unlock();
        look();
        lock.lock();
        ended_.wait_for(lock, every_, [this] { return ending_; });
    }
}

void GpuWatch::look() {
    Result<std::vector<GpuReading>> readings = meter_->read();
    const bool failed = !readings.ok();
    if (failed && !failing_) {
        log_.write(
            LogLevel::warning, "agent",
            "GPUs are not read, so placement by load does without: " + readings.error().message);
    } else if (!failed && failing_) {
        log_.write(LogLevel::info, "agent", "GPUs are read again");
    }
    failing_ = failed;
    if (!failed) tell_(std::move(readings).value());
    if (std::vector<GpuFault> faults = meter_->faults(); !faults.empty()) {
        warn_(std::move(faults));
    }
}

}  // namespace berth
