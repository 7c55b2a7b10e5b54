// MetricPage: metrics of one page in the making, and the text that Prometheus reads.
#pragma once

#include <prometheus/metric_family.h>

#include <string>
#include <utility>
#include <vector>

namespace berth {

using MetricLabels = std::vector<std::pair<std::string, std::string>>;

class MetricPage {
public:
    // A family begins; its samples follow. One without any is named all the same, so that whoever
    // looks for it learns what it would be.
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
    // Families that the library has counted.
    void append(std::vector<prometheus::MetricFamily> families);

    std::string text() const;

private:
    void begin(std::string name, std::string help, prometheus::MetricType type);

    std::vector<prometheus::MetricFamily> families_;
};

}  // namespace berth
