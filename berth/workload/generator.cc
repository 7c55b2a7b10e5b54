#include "berth/workload/generator.h"

#include <algorithm>
#include <array>
#include <vector>

#include "berth/base/rng.h"
#include "berth/base/text.h"

namespace berth::workload {
namespace {

// A distribution by its quantiles: at these thousandths it has these values, and lies evenly
// between.
struct Quantile {
    std::int64_t thousandths, value;
};

std::int64_t draw(std::span<const Quantile> quantiles, Rng& rng) {
    constexpr std::int64_t kFine = 1000;  // Of a thousandth.
    const std::int64_t at = rng.between(0, 1000 * kFine - 1);
    std::size_t i = 1;
    while (i + 1 < quantiles.size() && quantiles[i].thousandths * kFine <= at) ++i;
    const Quantile low = quantiles[i - 1], high = quantiles[i];
    const std::int64_t span = (high.thousandths - low.thousandths) * kFine;
    return low.value + (high.value - low.value) * (at - low.thousandths * kFine) / span;
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

// Philly (ATC '19), measured on the trace that ElasticFlow ships; outcomes as in the paper.
constexpr auto kPhilly1 = std::to_array<Quantile>(
    {{0, 1},         {20, 42},       {50, 52},         {100, 62},     {200, 76},     {300, 215},
     {400, 600},     {500, 1117},    {600, 1728},      {700, 2464},   {800, 3754},   {850, 5342},
     {900, 8512},    {930, 12'341},  {950, 19'137},    {970, 44'246}, {980, 68'259}, {990, 135'404},
     {995, 266'986}, {999, 868'927}, {1000, 3'256'045}});
constexpr auto kPhilly2 = std::to_array<Quantile>({{0, 2},
                                                   {100, 11},
                                                   {300, 17},
                                                   {500, 21},
                                                   {600, 25},
                                                   {700, 33},
                                                   {800, 150},
                                                   {850, 22'366},
                                                   {900, 73'625},
                                                   {930, 137'945},
                                                   {950, 197'392},
                                                   {970, 268'985},
                                                   {980, 343'945},
                                                   {990, 526'030},
                                                   {995, 810'065},
                                                   {999, 1'521'148},
                                                   {1000, 2'582'803}});
constexpr auto kPhilly4 = std::to_array<Quantile>({{0, 3},
                                                   {50, 75},
                                                   {100, 138},
                                                   {200, 406},
                                                   {300, 1696},
                                                   {400, 7475},
                                                   {500, 17'431},
                                                   {600, 36'341},
                                                   {700, 78'716},
                                                   {800, 106'319},
                                                   {850, 151'663},
                                                   {900, 184'519},
                                                   {950, 274'339},
                                                   {970, 449'510},
                                                   {990, 908'661},
                                                   {995, 1'213'031},
                                                   {999, 2'641'566},
                                                   {1000, 2'750'674}});
constexpr auto kPhilly8 = std::to_array<Quantile>({{0, 1},
                                                   {50, 125},
                                                   {100, 216},
                                                   {200, 783},
                                                   {300, 3940},
                                                   {400, 12'390},
                                                   {500, 23'683},
                                                   {600, 64'753},
                                                   {700, 140'815},
                                                   {800, 203'140},
                                                   {850, 242'280},
                                                   {900, 352'409},
                                                   {950, 525'631},
                                                   {970, 670'069},
                                                   {990, 1'066'894},
                                                   {995, 2'010'727},
                                                   {999, 2'658'784},
                                                   {1000, 4'628'226}});
constexpr auto kPhilly16 = std::to_array<Quantile>({{0, 1},
                                                    {50, 35},
                                                    {100, 69},
                                                    {200, 345},
                                                    {300, 924},
                                                    {400, 4322},
                                                    {500, 28'475},
                                                    {600, 54'928},
                                                    {700, 78'055},
                                                    {800, 160'464},
                                                    {850, 184'816},
                                                    {900, 252'560},
                                                    {950, 446'126},
                                                    {970, 522'661},
                                                    {990, 1'152'387},
                                                    {1000, 1'710'643}});
constexpr auto kPhillySizes = std::to_array<Size>({{93'160, 1, kPhilly1},
                                                   {2210, 2, kPhilly2},
                                                   {2274, 4, kPhilly4},
                                                   {1998, 8, kPhilly8},
                                                   {240, 16, kPhilly16},
                                                   {80, 32, kPhilly16},
                                                   {38, 64, kPhilly16}});
constexpr auto kPhillyGaps = std::to_array<Quantile>({{0, 0},
                                                      {80, 0},
                                                      {100, 1},
                                                      {200, 2},
                                                      {300, 3},
                                                      {400, 5},
                                                      {500, 8},
                                                      {600, 13},
                                                      {700, 26},
                                                      {800, 101},
                                                      {850, 201},
                                                      {900, 361},
                                                      {930, 519},
                                                      {950, 599},
                                                      {980, 600},
                                                      {990, 601},
                                                      {995, 725},
                                                      {999, 2293},
                                                      {1000, 20'000}});
constexpr auto kPhillyAccounts =
    std::to_array<std::int64_t>({501, 196, 121, 90, 24, 18, 17, 14, 9, 5, 5});

// Helios' Venus (SC '21): sizes as the seeds' audit has them, run times after the published median
// and mean.
constexpr auto kVenusSmall = std::to_array<Quantile>({{0, 1},
                                                      {100, 10},
                                                      {250, 40},
                                                      {500, 180},
                                                      {650, 700},
                                                      {750, 2200},
                                                      {850, 7200},
                                                      {900, 14'000},
                                                      {950, 43'000},
                                                      {980, 130'000},
                                                      {990, 230'000},
                                                      {999, 900'000},
                                                      {1000, 2'000'000}});
constexpr auto kVenusLarge = std::to_array<Quantile>({{0, 1},
                                                      {100, 15},
                                                      {250, 70},
                                                      {500, 420},
                                                      {650, 2400},
                                                      {750, 9000},
                                                      {850, 30'000},
                                                      {900, 60'000},
                                                      {950, 140'000},
                                                      {980, 300'000},
                                                      {990, 450'000},
                                                      {999, 1'300'000},
                                                      {1000, 3'000'000}});
constexpr auto kVenusSizes = std::to_array<Size>({{52'500, 1, kVenusSmall},
                                                  {6800, 2, kVenusSmall},
                                                  {7800, 4, kVenusSmall},
                                                  {22'600, 8, kVenusLarge},
                                                  {6000, 16, kVenusLarge},
                                                  {3000, 32, kVenusLarge},
                                                  {1300, 64, kVenusLarge}});
constexpr auto kVenusGaps = std::to_array<Quantile>({{0, 0},
                                                     {300, 2},
                                                     {500, 20},
                                                     {700, 80},
                                                     {800, 160},
                                                     {900, 330},
                                                     {950, 600},
                                                     {990, 1500},
                                                     {1000, 6000}});
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
