// SPDX-License-Identifier: MIT
#include "analyze/above_roof.h"

#include "base/text.h"
#include "record/step_times.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

namespace {

// A last-level cache missing from a device file is less than eight times as large as the second
// (measure/ceilings.h); a device without caches in its file has none known.
constexpr double max_unlisted = 8;

Bytes capacity_of(const MemoryLevel& level) {
    return level.capacity.value_or(Bytes{});
}

// The total capacity of the caches nearer than a level.
Bytes nearer_capacity(const Device& device, const MemoryLevel& level) {
    Bytes largest;
    bool has_third = false;
    for (const MemoryLevel& one : device.memory) {
        if (&one == &level) {
            break;
        }
        largest = std::max(largest, capacity_of(one));
        has_third = has_third || one.name == "L3";
    }
    const bool is_main_memory = &level == &device.memory.back();
    return is_main_memory && !has_third ? max_unlisted * largest : largest;
}

AboveRoof reason_above_peak(const StepResult& step) {
    const auto saves = saves_arithmetic(step);
    return !saves   ? AboveRoof::may_save_arithmetic
           : *saves ? AboveRoof::saves_arithmetic
                    : AboveRoof::unexplained;
}

bool exceeds(double ratio) {
    return ratio > 1 + tolerated_excess;
}

class Search {
public:
    Search(const Run& run, const Device& device)
        : run_(run), device_(device), times_(step_times(run)), bounds_(bounds_of(run)) {}

    std::vector<RoofExcess> excesses() {
        for (std::size_t i = 0; i < run_.steps.size(); ++i) {
            const bool is_judged = times_[i] && bounds_[i].by_definition && times_[i]->samples > 1;
            if (is_judged) {
                compare_with_peak(i);
                compare_with_memory(i);
            }
        }
        return std::move(found_);
    }

private:
    void compare_with_peak(std::size_t i) {
        const Seconds bound = *bounds_[i].by_definition;
        if (!exceeds(bound / times_[i]->median)) {
            return;
        }
        const AboveRoof reason = reason_above_peak(run_.steps[i]);
        if (reason != AboveRoof::unexplained || exceeds(bound / times_[i]->high)) {
            const bool is_update = run_.steps[i].pass == Pass::update;
            found_.push_back(
                {.step = i,
                 .ceiling = (is_update ? "f32" : arithmetic_of(run_.settings)) + " peak",
                 .ratio = bound / times_[i]->median,
                 .reason = reason});
        }
    }

    // Main memory, and the cache that bounds the step instead.
    void compare_with_memory(std::size_t i) {
        for (const MemoryLevel& level : device_.memory) {
            const bool is_main_memory = &level == &device_.memory.back();
            if (is_main_memory || level.name + " bandwidth" == bounds_[i].ceiling) {
                compare_with(level, i);
            }
        }
    }

    void compare_with(const MemoryLevel& level, std::size_t i) {
        const StepResult& step = run_.steps[i];
        const Bytes traffic = step.read + step.written;
        const double ratio = traffic / level.bandwidth.value / times_[i]->median;
        if (!exceeds(ratio)) {
            return;
        }
        const Bytes served = std::min(traffic, 2 * nearer_capacity(device_, level));
        const Seconds bound = (traffic - served) / level.bandwidth.value;
        found_.push_back({.step = i,
                          .ceiling = level.name + " bandwidth",
                          .ratio = ratio,
                          .reason = exceeds(bound / times_[i]->high)
                                        ? AboveRoof::unexplained
                                        : AboveRoof::served_by_caches});
    }

    const Run& run_;
    const Device& device_;
    std::vector<std::optional<Estimate>> times_;
    std::vector<StepBound> bounds_;
    std::vector<RoofExcess> found_;
};

std::string name_of_step(const Run& run, const RoofExcess& excess) {
    const StepResult& step = run.steps[excess.step];
    return fmt::format("{} {}", step.layer, name_of(step.pass));
}

std::string_view explanation_of(AboveRoof reason) {
    switch (reason) {
        case AboveRoof::saves_arithmetic:
            return "Winograd and FFT execute fewer operations than are counted";
        case AboveRoof::may_save_arithmetic:
            return "fewer operations are executed than the definition has (Winograd or FFT; the "
                   "library does not say)";
        case AboveRoof::served_by_caches:
            return "caches still held data from the steps before";
        case AboveRoof::unexplained:
            break;
    }
    return "nothing explains it, so the ceiling is lower than this machine can reach; run `strata "
           "calibrate`";
}

// "conv1 forward, conv2 forward and 3 others".
std::string some_of(const std::vector<std::string>& names) {
    constexpr std::size_t max_named = 2;
    if (names.size() <= max_named) {
        return join(names, " and ");
    }
    return fmt::format("{}, {} and {} other{}", names[0], names[1], names.size() - max_named,
                       names.size() == max_named + 1 ? "" : "s");
}

}  // namespace

std::vector<RoofExcess> roof_excesses(const Run& run) {
    const Device* device = ceilings_of(run);
    const bool is_measured = run.origin == Origin::measured;
    return device == nullptr || device->memory.empty() || !is_measured
               ? std::vector<RoofExcess>()
               : Search(run, *device).excesses();
}

std::optional<Doubt> stale_ceilings_doubt(const Run& run) {
    auto excesses = roof_excesses(run);
    std::erase_if(excesses,
                  [](const RoofExcess& one) { return one.reason != AboveRoof::unexplained; });
    if (excesses.empty()) {
        return {};
    }
    const RoofExcess& worst = *std::ranges::max_element(excesses, {}, &RoofExcess::ratio);
    const std::string others =
        excesses.size() == 1 ? "" : fmt::format(" ({} more exceed a ceiling)", excesses.size() - 1);
    return Doubt{DoubtKind::stale_ceilings,
                 fmt::format("{} is {:.0f} % above the {}{}, and neither its algorithm nor caches "
                             "explain it: the calibration is stale, and shares of its ceilings are "
                             "too high; run `{}`",
                             name_of_step(run, worst), 100 * (worst.ratio - 1), worst.ceiling,
                             others, calibrate_command(run))};
}

std::optional<Doubt> doubtful_ceilings_doubt(const Run& run) {
    const Device* device = ceilings_of(run);
    const auto names = device == nullptr ? std::vector<std::string>() : doubtful_ceilings(*device);
    if (names.empty()) {
        return {};
    }
    return Doubt{DoubtKind::doubtful_ceilings,
                 fmt::format("the best values of {} were not reproduced within {:.0f} % during "
                             "calibration, because the machine was disturbed, so shares of {} may "
                             "be too high; run `{}` while the machine is idle",
                             join(names, ", "), 100 * repeated_within,
                             names.size() == 1 ? "it" : "them", calibrate_command(run))};
}

std::vector<std::string> roof_sentences(const Run& run) {
    const auto excesses = roof_excesses(run);
    std::vector<std::string> sentences;
    std::vector<std::pair<std::string, AboveRoof>> told;
    for (const RoofExcess& one : excesses) {
        const std::pair key{one.ceiling, one.reason};
        if (std::ranges::find(told, key) != told.end()) {
            continue;
        }
        told.push_back(key);
        std::vector<std::string> names;
        for (const RoofExcess& other : excesses) {
            if (std::pair{other.ceiling, other.reason} == key) {
                names.push_back(name_of_step(run, other));
            }
        }
        sentences.push_back(fmt::format("{} {} above the {}: {}.", some_of(names),
                                        names.size() == 1 ? "is" : "are", one.ceiling,
                                        explanation_of(one.reason)));
    }
    return sentences;
}

}  // namespace strata
