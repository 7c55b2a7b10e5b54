// MetricPage: builds the text of one page of metrics for Prometheus.
#pragma once

#include <prometheus/metric_family.h>

#include <string>
#include <utility>
#include <vector>

namespace berth {

using MetricLabels = std::vector<std::pair<std::string, std::string>>;

class MetricPage {
public:
    // Begins a family; its samples follow. A family without samples still appears, so that users
    // can see that it exists.
    void gauge(std::string name, std::string help) {
        begin(std::move(name), std::move(help), prometheus::MetricType::Gauge);
    }
    void counter(std::string name, std::string help) {
        begin(std::move(name), std::move(help), prometheus::MetricType::Counter);
    }
    void sample(double value, MetricLabels labels = {});
    void sample(std::int64_t value, MetricLabels labels = {}) {
        sample(static_cast<double>(value), std::move(labels));
    }
    // A gauge with one sample and no labels.
    void one(std::string name, std::string help, std::int64_t value) {
        gauge(std::move(name), std::move(help));
        sample(value);
    }

    void declare(std::string name, std::string help, prometheus::MetricType type) {
        begin(std::move(name), std::move(help), type);
    }
    // Families of prometheus-cpp.
    void append(std::vector<prometheus::MetricFamily> families);

    std::string text() const;

private:
    void begin(std::string name, std::string help, prometheus::MetricType type);

    std::vector<prometheus::MetricFamily> families_;
};

}  // namespace berth
