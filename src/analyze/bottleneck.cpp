// SPDX-License-Identifier: MIT
#include "analyze/bottleneck.h"

#include "base/error.h"
#include "graph/expected_algorithm.h"
#include "record/engines.h"
#include "record/options.h"
#include "record/step_times.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

namespace {

// The minimum time by a ceiling, and that ceiling's name.
struct Candidate {
    Bottleneck verdict = Bottleneck::unknown;
    Seconds time;
    std::string ceiling;
};

Bytes traffic_of(const StepResult& step) {
    return step.read + step.written;
}

std::string_view dtype_of(const StepResult& step, std::string_view run_dtype) {
    return step.pass == Pass::update ? "f32" : run_dtype;
}

// All levels but the last are caches.
const MemoryLevel* cache_for(const Device& device, Bytes traffic) {
    const MemoryLevel* chosen = nullptr;
    for (std::size_t i = 0; i + 1 < device.memory.size(); ++i) {
        chosen = &device.memory[i];
        if (chosen->capacity && traffic <= *chosen->capacity) {
            return chosen;
        }
    }
    return chosen;
}

// Of all operations of the definition.
std::optional<Candidate> compute_candidate(const StepResult& step, const Device& device,
                                           std::string_view dtype) {
    const auto peak = peak_of(device, dtype_of(step, dtype));
    if (!peak || *peak <= FlopRate{0}) {
        return std::nullopt;
    }
    return Candidate{Bottleneck::compute, step.flops / *peak,
                     fmt::format("{} peak", dtype_of(step, dtype))};
}

// The share of these operations that the step executes, if its algorithm is known to save some.
double executed_share(const StepResult& step) {
    const std::string name = step.algorithm.substr(0, step.algorithm.find(','));  // before a reason
    const auto algorithm = value_named<ConvolutionAlgorithm>(name);
    const bool may_save = algorithm && *algorithm != ConvolutionAlgorithm::direct;
    const auto problem = may_save ? problem_in(step) : std::nullopt;
    const auto* op = problem ? std::get_if<Convolution>(&problem->op) : nullptr;
    if (op == nullptr) {
        return 1;
    }
    const Signature signature = signature_of(*problem);
    return product_share(*algorithm, {.op = *op,
                                      .x = signature.inputs.front().tensor,
                                      .y = signature.outputs.front(),
                                      .pass = step.pass})
        .value_or(1);
}

std::optional<Candidate> memory_candidate(const StepResult& step, const Device& device) {
    const auto bandwidth = memory_bandwidth_of(device);
    if (!bandwidth || *bandwidth <= Bandwidth{0}) {
        return std::nullopt;
    }
    return Candidate{Bottleneck::memory, traffic_of(step) / *bandwidth,
                     device.memory.back().name + " bandwidth"};
}

// Main memory, or the cache that must have served a step that is too fast for it.
Candidate traffic_candidate(const StepResult& step, Seconds time, const Device& device,
                            const Candidate& memory) {
    const auto* cache = cache_for(device, traffic_of(step));
    if (time >= memory.time || cache == nullptr || cache->bandwidth.value <= Bandwidth{0}) {
        return memory;
    }
    return {Bottleneck::cache, traffic_of(step) / cache->bandwidth.value,
            cache->name + " bandwidth"};
}

StepBound judged(const Candidate& decisive, Seconds time) {
    StepBound bound;
    bound.ceiling = decisive.ceiling;
    bound.bound = decisive.time;
    bound.achieved = decisive.time / time;
    bound.headroom = time - decisive.time;
    bound.verdict = *bound.achieved < explaining_share ? Bottleneck::overhead : decisive.verdict;
    return bound;
}

}  // namespace

std::optional<Problem> problem_in(const StepResult& step) {
    if (step.problem.empty()) {
        return std::nullopt;
    }
    try {
        Problem problem = parse_problem(step.problem);
        (void)signature_of(problem);  // throws if its shapes do not fit
        return problem;
    } catch (const Error&) {
        return std::nullopt;  // of another version, or with parameters that layers compute
    }
}

bool is_alias(const StepResult& step) {
    return step.implementation_kind == ImplementationKind::alias;
}

StepBound bound_of(const StepResult& step, Seconds time, const Device& device,
                   std::string_view dtype) {
    auto compute = compute_candidate(step, device, dtype);
    const auto memory = memory_candidate(step, device);
    if (!compute || !memory || time <= Seconds{0} || is_alias(step)) {
        return {};
    }
    const Seconds by_definition = compute->time;
    compute->time = by_definition * executed_share(step);
    const Candidate traffic = traffic_candidate(step, time, device, *memory);
    StepBound bound = judged(compute->time >= traffic.time ? *compute : traffic, time);
    bound.compute = compute->time;
    bound.by_definition = by_definition;
    bound.memory = memory->time;
    return bound;
}

const Device* ceilings_of(const Run& run) {
    // Earlier releases used the most recently measured ceilings for every run.
    const bool is_its_own = run.origin == Origin::modelled || run.ran_on_gpu() ||
                            (run.device && run.device->threads == run.settings.threads());
    return run.device && is_its_own ? &*run.device : nullptr;
}

std::string calibrate_command(const Run& run) {
    const std::string& backend = run.settings.backend;
    const bool is_framework = capabilities_of(backend).has(Capability::peer_options);
    return run.ran_on_gpu()
               ? fmt::format("strata calibrate --backend {}", is_framework ? "cuda" : backend)
               : fmt::format("strata calibrate --threads {}", run.settings.threads());
}

std::string arithmetic_of(const Settings& settings) {
    const Numerics& numerics = settings.execution.numerics;
    const bool is_narrowed =
        numerics.dtype == DataType::f32 && numerics.single_precision != SinglePrecision::full;
    return text_of(settings, is_narrowed ? "single_precision" : "dtype");
}

std::vector<StepBound> bounds_of(const Run& run) {
    std::vector<StepBound> bounds(run.steps.size());
    const Device* device = ceilings_of(run);
    const auto times = step_times(run);
    for (std::size_t i = 0; device != nullptr && i < bounds.size(); ++i) {
        if (times[i] && !is_inconclusive(times[i])) {
            bounds[i] =
                bound_of(run.steps[i], times[i]->median, *device, arithmetic_of(run.settings));
        }
    }
    return bounds;
}

}  // namespace strata
