// SPDX-License-Identifier: MIT
#include "measure/ceilings.h"

#include "base/error.h"
#include "base/text.h"
#include "measure/clock.h"
#include "measure/kernels/kernels.h"
#include "measure/kernels/tiles.h"
#include "measure/rates.h"
#include "measure/team.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>

namespace strata {
namespace {

constexpr std::string_view avx2_instructions = "avx2 fma";
constexpr double mebibyte = 1 << 20;
constexpr std::size_t samples_at_once = 20;
constexpr std::size_t min_samples = 2 * samples_at_once;  // a slow phase may outlast one batch
constexpr std::size_t agreeing = 3;
constexpr double agreement = 1.02;
constexpr std::size_t trials = 3;
constexpr std::size_t segments_of_main_memory = 16;

// The measurement of one memory level.
struct LevelPlan {
    std::string name;
    std::optional<Bytes> capacity = {};
    Bytes working_set = {};
    std::size_t segments = 1;  // each sample moves another segment, to keep samples short
    std::vector<MemoryPattern> patterns = {};
    std::string note = {};
};

bool can_run(const Host& host, std::string_view instructions) {
    const auto flags = split(instructions, ' ');
    return instructions.empty() || std::ranges::all_of(flags, [&](std::string_view flag) {
               return has_instructions(host, flag);
           });
}

bool best_times_agree(std::vector<Seconds> times) {
    const auto last = times.begin() + agreeing - 1;
    std::ranges::nth_element(times, last);
    return *last <= agreement * *std::ranges::min_element(times);
}

class Calibration {
public:
    Calibration(const Host& host, int threads, const CeilingEffort& effort,
                const std::function<void(const std::string&)>& progress)
        : host_(host), threads_(threads), effort_(effort), progress_(progress) {}

    Device measure() const {
        Device device{.name = device_name(host_, threads_),
                      .model = host_.model,
                      .threads = threads_,
                      .compute = {},
                      .memory = {}};
        const bool has_tiles = has_instructions(host_, "amx_tile") && allow_tiles();
        for (const std::string_view dtype : {"f32", "f64", "bf16", "s8"}) {
            add_arithmetic(device, dtype, has_tiles);
        }
        for (const Cache& cache : host_.caches) {
            if (const auto working_set = working_set_of(cache)) {
                add_level(device, {.name = fmt::format("L{}", cache.level),
                                   .capacity = capacity_for(cache, threads_),
                                   .working_set = *working_set,
                                   .patterns = {MemoryPattern::read, MemoryPattern::triad}});
            }
        }
        add_main_memory(device);
        return device;
    }

private:
    void tell(std::string_view what, std::string_view kernel) const {
        if (progress_) {
            progress_(fmt::format("{}: {}", what, kernel));
        }
    }

    std::span<const int> processors() const {
        return std::span(host_.processors).first(static_cast<std::size_t>(threads_));
    }

    // Samples of work timed by `times_of(repetitions, samples)`; `work` is the work of all threads
    // in one repetition.
    template <class TimesOf>
    Rates rates_of(std::string_view kernel, double work, const TimesOf& times_of) const {
        SteadyClock clock;
        const Seconds begin = clock.now();
        const Seconds once = std::ranges::min(times_of(1, trials));
        const auto repetitions = static_cast<std::size_t>(
            std::clamp(effort_.time_of_sample / std::max(once, Seconds{1e-9}), 1.0, 1e9));
        std::vector<Seconds> times;
        while (times.size() < min_samples ||
               (!best_times_agree(times) && clock.now() - begin < effort_.max_time_per_kernel)) {
            const auto more = times_of(repetitions, samples_at_once);
            times.insert(times.end(), more.begin(), more.end());
        }
        return rates_from(std::string(kernel), work * static_cast<double>(repetitions), times);
    }

    void add_arithmetic(Device& device, std::string_view dtype, bool has_tiles) const {
        std::vector<Rates> all, narrow;
        for (const ComputeKernel& kernel : arithmetic_kernels(dtype, has_tiles)) {
            tell(dtype, kernel.name);
            all.push_back(arithmetic_rates(kernel));
            if (dtype == "f32" && kernel.instructions == avx2_instructions) {
                narrow.push_back(all.back());
            }
        }
        if (!all.empty()) {
            device.compute.push_back(
                {.dtype = std::string(dtype), .peak = best_of<FlopRate>(all, "")});
        }
        // (Some processors do twice as much with registers twice as wide, others do not.)
        if (!narrow.empty() && has_instructions(host_, "avx512f")) {
            device.compute.push_back(
                {.dtype = std::string(f32_of_avx2), .peak = best_of<FlopRate>(narrow, "")});
        }
    }

    // All kernels that can run; portable loops only if there is nothing better.
    std::vector<ComputeKernel> arithmetic_kernels(std::string_view dtype, bool has_tiles) const {
        std::vector<ComputeKernel> kernels = compute_kernels();
        std::erase_if(kernels, [&](const ComputeKernel& kernel) {
            const bool needs_tiles = kernel.instructions.starts_with("amx_tile");
            return kernel.dtype != dtype || !can_run(host_, kernel.instructions) ||
                   (needs_tiles && !has_tiles);
        });
        const auto is_portable = [](const ComputeKernel& k) { return k.instructions.empty(); };
        if (!std::ranges::all_of(kernels, is_portable)) {
            std::erase_if(kernels, is_portable);
        }
        return kernels;
    }

    Rates arithmetic_rates(const ComputeKernel& kernel) const {
        constexpr std::size_t rounds = 1000;  // in one repetition: about 10 us
        const double work = kernel.operations * rounds * threads_;
        return rates_of(kernel.name, work, [&](std::size_t repetitions, std::size_t samples) {
            return run_rounds(processors(), samples, [&](std::size_t) {
                return [&kernel, repetitions] { kernel.run(rounds * repetitions); };
            });
        });
    }

    std::optional<Bytes> working_set_of(const Cache& cache) const {
        const Bytes capacity = capacity_for(cache, threads_);
        if (cache.level < 3) {
            return capacity / 2;
        }
        const auto second = std::ranges::find(host_.caches, 2, &Cache::level);
        if (second == host_.caches.end()) {
            return {};
        }
        const Bytes working_set = 4 * capacity_for(*second, threads_);
        const bool fits = 2 * working_set <= capacity && working_set <= max_memory();
        return fits ? std::optional(working_set) : std::nullopt;
    }

    Bytes max_memory() const {
        return std::min(effort_.max_memory, host_.memory.value_or(4 * effort_.max_memory) / 4);
    }

    void add_main_memory(Device& device) const {
        const Bytes last =
            host_.caches.empty() ? Bytes{} : capacity_for(host_.caches.back(), threads_);
        const Bytes working_set = std::min(std::max(4 * last, Bytes{64 * mebibyte}), max_memory());
        std::string note = fmt::format(", {:.0f} MiB", working_set.value / mebibyte);
        if (working_set < 2 * last) {
            note += fmt::format(", only {:.1f} times the last cache, which served part of it",
                                working_set / last);
        }
        add_level(device, {.name = "DRAM",
                           .working_set = working_set,
                           .segments = segments_of_main_memory,
                           .patterns = {MemoryPattern::read, MemoryPattern::streaming},
                           .note = note});
    }

    void add_level(Device& device, const LevelPlan& plan) const {
        const std::size_t parts = plan.segments * static_cast<std::size_t>(threads_);
        const std::size_t floats =
            static_cast<std::size_t>(plan.working_set.value / sizeof(float)) / parts /
            memory_granule * memory_granule;
        if (floats == 0) {
            return;
        }
        const Segments segments(processors(), plan.segments, floats);
        std::vector<Rates> all;
        for (const MemoryPattern pattern : plan.patterns) {
            const MemoryKernel kernel = widest_kernel(pattern);
            tell(plan.name, kernel.name);
            all.push_back(memory_rates(kernel, segments));
        }
        device.memory.push_back({.name = plan.name,
                                 .capacity = plan.capacity,
                                 .bandwidth = best_of<Bandwidth>(all, plan.note)});
    }

    // The last kernel in the list that can run; without streaming stores it is the plain triad.
    MemoryKernel widest_kernel(MemoryPattern pattern) const {
        std::vector<MemoryKernel> kernels = memory_kernels();
        std::erase_if(kernels, [&](const MemoryKernel& kernel) {
            return kernel.pattern != pattern || !can_run(host_, kernel.instructions);
        });
        return kernels.empty() ? widest_kernel(MemoryPattern::triad) : kernels.back();
    }

    Rates memory_rates(const MemoryKernel& kernel, const Segments& segments) const {
        const double work = segments.bytes() * threads_;
        return rates_of(kernel.name, work, [&](std::size_t passes, std::size_t samples) {
            return run_rounds(processors(), samples, [&](std::size_t thread) {
                return [&, thread, passes, round = std::size_t{0}]() mutable {
                    kernel.run(segments.of(thread, round++), passes);
                };
            });
        });
    }

    const Host& host_;
    const int threads_;
    const CeilingEffort effort_;
    const std::function<void(const std::string&)>& progress_;
};

}  // namespace

Device measure_ceilings(const Host& host, int threads, const CeilingEffort& effort,
                        const std::function<void(const std::string&)>& progress) {
    check(threads >= 1 && static_cast<std::size_t>(threads) <= host.processors.size(),
          "ceilings are measured on processors of this process");
    Device device = Calibration(host, threads, effort, progress).measure();
    for (ComputeCeiling& ceiling : device.compute) {
        ceiling.peak.is_doubtful = true;
    }
    for (MemoryLevel& level : device.memory) {
        level.bandwidth.is_doubtful = true;
    }
    return device;
}

Device repeat_until_agreed(const std::function<Device()>& measure, const Repetition& limits,
                           Clock& clock) {
    const Seconds begin = clock.now();
    Device best = measure();
    for (std::size_t pass = 1; pass < limits.max_passes && !doubtful_ceilings(best).empty() &&
                               clock.now() - begin < limits.max_time;
         ++pass) {
        best = best_of_both(best, measure()).device;
    }
    return best;
}

}  // namespace strata
