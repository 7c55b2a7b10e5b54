#include "berth/workload/generator.h"

#include <algorithm>
#include <array>
#include <vector>

#include "berth/base/rng.h"
#include "berth/base/text.h"
#include "berth/workload/generator_philly.h"

namespace berth::workload {
namespace {

std::int64_t draw(std::span<const Quantile> quantiles, Rng& rng) {
    const std::int64_t at = rng.between(0, 999'999);
    std::size_t i = 1;
    while (i + 1 < quantiles.size() && quantiles[i].millionths <= at) ++i;
    const Quantile low = quantiles[i - 1], high = quantiles[i];
    const std::int64_t span = high.millionths - low.millionths;
    return low.value + (high.value - low.value) * (at - low.millionths) / span;
}

// So many in 100 000 ask for so many GPUs, and run for so many seconds.
struct Size {
    std::int64_t weight, gpus;
    std::span<const Quantile> seconds;
};

struct Shape {
    Mix mix;
    std::span<const Size> sizes;
    std::span<const Quantile> gaps;  // Between submissions, in seconds; the load scales them.
    std::span<const std::int64_t> accounts;  // Shares of the jobs, in thousandths.
    std::int64_t failed, cancelled;          // In thousandths.
};

// Philly (ATC '19): measured on the trace that ElasticFlow ships (generator_philly.h); outcomes as
// in the paper.
constexpr auto kPhillySizes = std::to_array<Size>({{93'160, 1, kPhilly1},
                                                   {2210, 2, kPhilly2},
                                                   {2274, 4, kPhilly4},
                                                   {1998, 8, kPhilly8},
                                                   {240, 16, kPhilly16},
                                                   {80, 32, kPhilly16},
                                                   {38, 64, kPhilly16}});
constexpr auto kPhillyAccounts =
    std::to_array<std::int64_t>({501, 196, 121, 90, 24, 18, 17, 14, 9, 5, 5});

// Helios' Venus (SC '21): sizes as the seeds' audit has them, run times after the published median
// and mean.
constexpr auto kVenusSmall = std::to_array<Quantile>({{0, 1},
                                                      {100'000, 6},
                                                      {250'000, 26},
                                                      {500'000, 117},
                                                      {650'000, 455},
                                                      {750'000, 1430},
                                                      {850'000, 4900},
                                                      {900'000, 9600},
                                                      {950'000, 29'300},
                                                      {980'000, 88'700},
                                                      {990'000, 157'000},
                                                      {999'000, 614'500},
                                                      {1'000'000, 1'365'400}});
constexpr auto kVenusLarge = std::to_array<Quantile>({{0, 1},
                                                      {100'000, 10},
                                                      {250'000, 46},
                                                      {500'000, 273},
                                                      {650'000, 1560},
                                                      {750'000, 5850},
                                                      {850'000, 20'500},
                                                      {900'000, 40'900},
                                                      {950'000, 95'500},
                                                      {980'000, 204'900},
                                                      {990'000, 307'200},
                                                      {999'000, 887'600},
                                                      {1'000'000, 2'048'200}});
constexpr auto kVenusSizes = std::to_array<Size>({{52'500, 1, kVenusSmall},
                                                  {6800, 2, kVenusSmall},
                                                  {7800, 4, kVenusSmall},
                                                  {22'600, 8, kVenusLarge},
                                                  {6000, 16, kVenusLarge},
                                                  {3000, 32, kVenusLarge},
                                                  {1300, 64, kVenusLarge}});
constexpr auto kVenusGaps = std::to_array<Quantile>({{0, 0},
                                                     {300'000, 2},
                                                     {500'000, 20},
                                                     {700'000, 80},
                                                     {800'000, 160},
                                                     {900'000, 330},
                                                     {950'000, 600},
                                                     {990'000, 1500},
                                                     {1'000'000, 6000}});
constexpr auto kVenusAccounts =
    std::to_array<std::int64_t>({220, 150, 120, 100, 80, 70, 60, 50, 40, 30, 25, 20, 15, 10, 10});

constexpr auto kShapes = std::to_array<Shape>(
    {{{"philly", "Microsoft's Philly: 93 % of jobs have one GPU, 2 % eight"},
      kPhillySizes,
      kPhillyGaps,
      kPhillyAccounts,
      172,
      135},
     {{"venus", "SenseTime's Venus: half of all jobs have one GPU, a quarter eight"},
      kVenusSizes,
      kVenusGaps,
      kVenusAccounts,
      202,
      272}});
constexpr std::array kMixes = {kShapes[0].mix, kShapes[1].mix};

const Size& pick_size(const Shape& shape, std::int64_t gpus_max, Rng& rng) {
    std::int64_t sum = 0;
    for (const Size& size : shape.sizes) sum += size.gpus <= gpus_max ? size.weight : 0;
    std::int64_t at = rng.between(1, sum);
    for (const Size& size : shape.sizes) {
        if (size.gpus > gpus_max) continue;
        if (at <= size.weight) return size;
        at -= size.weight;
    }
    return shape.sizes.front();
}

std::size_t pick_account(const Shape& shape, Rng& rng) {
    std::int64_t at = rng.between(1, 1000);
    for (std::size_t i = 0; i < shape.accounts.size(); ++i) {
        if (at <= shape.accounts[i]) return i;
        at -= shape.accounts[i];
    }
    return 0;
}

// An account has some twenty users: the first submits half, the next half of the rest, and so on.
std::size_t pick_user(Rng& rng) {
    std::size_t user = 0;
    while (user < 19 && rng.chance(50)) ++user;
    return user;
}

Outcome pick_outcome(const Shape& shape, Rng& rng) {
    const std::int64_t at = rng.between(1, 1000);
    if (at <= shape.failed) return Outcome::failed;
    return at <= shape.failed + shape.cancelled ? Outcome::cancelled : Outcome::completed;
}

// Users run variants of a few programs. A program has a size; its runs take similar times.
std::string name_of(std::int64_t gpus, Rng& rng) {
    return "train" + std::to_string(gpus) + "_" + std::to_string(rng.between(0, 9));
}

}  // namespace

std::span<const Mix> mixes() { return kMixes; }

Result<Workload> generate(std::string_view mix, const GeneratorOptions& options) {
    const auto shape =
        std::ranges::find_if(kShapes, [&](const Shape& one) { return one.mix.name == mix; });
    if (shape == kShapes.end()) {
        std::vector<std::string_view> names;
        names.reserve(kMixes.size());
        for (const Mix& one : kMixes) names.push_back(one.name);
        return Error{ErrorCode::not_found, "there is no mix '" + std::string(mix) +
                                               "' to generate; there are " + join(names, ", ")};
    }
    Rng rng(options.seed);
    Rng times = rng.fork(), sizes = rng.fork(), users = rng.fork();
    Workload workload;
    workload.rows = options.jobs;
    Duration at{};
    for (std::size_t i = 0; i < options.jobs; ++i) {
        const Size& size = pick_size(*shape, std::max<std::int64_t>(options.gpus_max, 1), sizes);
        TraceJob job;
        job.number = i + 1;
        job.submit = at;
        job.run_time = std::chrono::seconds(std::max<std::int64_t>(1, draw(size.seconds, sizes)));
        job.gpus = size.gpus;
        const std::size_t account = pick_account(*shape, users);
        job.account = "account" + std::to_string(account + 1);
        job.user =
            "user" + std::to_string(account + 1) + "_" + std::to_string(pick_user(users) + 1);
        job.name = name_of(size.gpus, users);
        job.outcome = pick_outcome(*shape, users);
        workload.jobs.push_back(std::move(job));
        at += std::chrono::milliseconds(draw(shape->gaps, times) * 1000 + times.between(0, 999));
    }
    finish(workload);
    return workload;
}

}  // namespace berth::workload
