#include "berth/server/metrics/metric_page.h"

#include <prometheus/text_serializer.h>

#include <iterator>

#include "berth/base/assert.h"

namespace berth {

void MetricPage::begin(std::string name, std::string help, prometheus::MetricType type) {
    prometheus::MetricFamily& family = families_.emplace_back();
    family.name = std::move(name);
    family.help = std::move(help);
    family.type = type;
}

void MetricPage::sample(double value, MetricLabels labels) {
    BERTH_ASSERT(!families_.empty());
    prometheus::ClientMetric& metric = families_.back().metric.emplace_back();
    for (auto& [name, label] : labels) metric.label.push_back({std::move(name), std::move(label)});
    metric.gauge.value = metric.counter.value = value;
}

void MetricPage::append(std::vector<prometheus::MetricFamily> families) {
    families_.insert(families_.end(), std::make_move_iterator(families.begin()),
                     std::make_move_iterator(families.end()));
}

std::string MetricPage::text() const { return prometheus::TextSerializer().Serialize(families_); }

}  // namespace berth
