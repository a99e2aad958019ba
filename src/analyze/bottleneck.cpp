// SPDX-License-Identifier: MIT
#include "analyze/bottleneck.h"

#include "base/error.h"
#include "graph/expected_algorithm.h"
#include "record/engines.h"
#include "record/options.h"
#include "record/step_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

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

// The share of these operations that the step's algorithm executes; nothing if it is not known.
std::optional<double> executed_share(const StepResult& step) {
    const auto algorithm = algorithm_of(step);
    const auto problem = algorithm ? problem_in(step) : std::nullopt;
    const auto* op = problem ? std::get_if<Convolution>(&problem->op) : nullptr;
    if (op == nullptr) {
        return {};
    }
    const Signature signature = signature_of(*problem);
    return product_share(*algorithm, {.op = *op,
                                      .x = signature.inputs.front().tensor,
                                      .y = signature.outputs.front(),
                                      .pass = step.pass});
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

Bottleneck verdict_on(const Candidate& decisive, Seconds time, std::optional<Seconds> fixed) {
    const bool is_explained = decisive.time / time >= explaining_share;
    if (!fixed) {
        return is_explained ? decisive.verdict : Bottleneck::overhead;
    }
    if (*fixed > decisive.time && *fixed / time >= explaining_share) {
        return Bottleneck::overhead;
    }
    return is_explained ? decisive.verdict : Bottleneck::kernel;
}

StepBound judged(const Candidate& decisive, Seconds time, std::optional<Seconds> fixed) {
    StepBound bound;
    bound.ceiling = decisive.ceiling;
    bound.bound = decisive.time;
    bound.achieved = decisive.time / time;
    bound.headroom = time - decisive.time;
    bound.fixed = fixed;
    bound.verdict = verdict_on(decisive, time, fixed);
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

std::optional<ConvolutionAlgorithm> algorithm_of(const StepResult& step) {
    using enum ConvolutionAlgorithm;
    const auto algorithm =
        value_named<ConvolutionAlgorithm>(step.algorithm.substr(0, step.algorithm.find(',')));
    return algorithm == automatic || algorithm == fastest ? std::nullopt : algorithm;
}

std::optional<bool> saves_arithmetic(const StepResult& step) {
    using enum ConvolutionAlgorithm;
    if (step.operation != "convolution" || step.pass == Pass::update) {
        return false;
    }
    const auto algorithm = algorithm_of(step);
    return algorithm ? std::optional(*algorithm != direct && *algorithm != gemm &&
                                     *algorithm != implicit_gemm)
                     : std::nullopt;
}

StepBound bound_of(const StepResult& step, Seconds time, const Device& device,
                   std::string_view dtype, std::optional<Seconds> fixed) {
    auto compute = compute_candidate(step, device, dtype);
    const auto memory = memory_candidate(step, device);
    if (!compute || !memory || time <= Seconds{0} || is_alias(step)) {
        return {};
    }
    const Seconds by_definition = compute->time;
    const auto executed = executed_share(step);
    if (!executed && saves_arithmetic(step).value_or(true) &&
        by_definition > (1 + tolerated_excess) * time) {
        StepBound none;
        none.executes_fewer = true;
        none.by_definition = by_definition;
        none.memory = memory->time;
        none.fixed = fixed;
        return none;
    }
    compute->time = by_definition * executed.value_or(1);
    const Candidate traffic = traffic_candidate(step, time, device, *memory);
    StepBound bound = judged(compute->time >= traffic.time ? *compute : traffic, time, fixed);
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
    if (const auto products = settings.device_changes.find("products");
        products != settings.device_changes.end()) {
        return products->second;
    }
    const Numerics& numerics = settings.execution.numerics;
    const bool is_asked = numerics.single_precision != SinglePrecision::full ||
                          settings.device_changes.contains("tf32");
    return numerics.dtype == DataType::f32 && is_asked ? std::string(name_of(SinglePrecision::tf32))
                                                       : text_of(settings, "dtype");
}

namespace {

// The time that launches and time stamps take of a GPU's step.
class FixedTimes {
public:
    FixedTimes(const Run& run, const Device& device) : run_(run), device_(device) {
        for (const TracedSpan& traced : run.trace ? run.trace->spans : std::vector<TracedSpan>()) {
            if (traced.pass) {
                ++kernels_[{traced.layer, *traced.pass}];
            }
        }
    }

    // Nothing if no part of it was measured or modelled. Reorders and accumulations are one kernel.
    std::optional<Seconds> of(const StepResult& step) const {
        if (step.launch) {
            return step.launch;
        }
        if (!run_.ran_on_gpu() || (!run_.empty_step && !device_.launch)) {
            return {};
        }
        const auto traced = kernels_.find({step.layer, step.pass});
        const bool is_counted = step.kind == StepKind::compute && traced != kernels_.end();
        const double kernels = is_counted ? traced->second : 1;
        const Seconds launch = device_.launch ? device_.launch->value : Seconds{};
        return run_.empty_step.value_or(Seconds{}) + kernels * launch;
    }

private:
    const Run& run_;
    const Device& device_;
    std::map<std::pair<std::string, Pass>, int> kernels_;
};

}  // namespace

std::vector<StepBound> bounds_of(const Run& run) {
    std::vector<StepBound> bounds(run.steps.size());
    const Device* device = ceilings_of(run);
    if (device == nullptr) {
        return bounds;
    }
    const auto times = step_times(run);
    const FixedTimes fixed(run, *device);
    for (std::size_t i = 0; i < bounds.size(); ++i) {
        if (times[i] && !is_inconclusive(times[i])) {
            bounds[i] = bound_of(run.steps[i], times[i]->median, *device,
                                 arithmetic_of(run.settings), fixed.of(run.steps[i]));
        }
    }
    return bounds;
}

}  // namespace strata
