// SPDX-License-Identifier: MIT
#include "predict/recurrent.h"

#include "base/error.h"

#include <algorithm>
#include <cmath>

namespace strata {

namespace {

constexpr Bytes registers_of_processor{256.0 * 1024};
// The other needs of a persistent kernel: accumulators, addresses, the step's states.
constexpr double share_for_weights = 0.6;
constexpr double persistent_efficiency = 0.5;

// Between two batches that have rates, this interpolates, so a step's time does not jump.
StepRates rates_for(std::int64_t batch, const RecurrentRates& rates) {
    constexpr double first = 16;
    const double last = static_cast<double>(rates.by_batch.size() - 1);
    const double place = std::clamp(std::log2(static_cast<double>(batch) / first), 0.0, last);
    const auto lower = static_cast<std::size_t>(place);
    const StepRates& one = rates.by_batch[lower];
    const double part = place - std::floor(place);
    if (part == 0) {
        return one;
    }
    const StepRates& next = rates.by_batch[lower + 1];
    return {.efficiency = one.efficiency * std::pow(next.efficiency / one.efficiency, part),
            .multiply = one.multiply * std::pow(next.multiply / one.multiply, part)};
}

// The multiply-adds that one element of a step's result sums.
double depth_of(const RecurrentProblem& problem) {
    const double hidden = static_cast<double>(problem.hidden);
    return problem.pass == RecurrentPass::forward ? hidden : problem.gates() * hidden;
}

Flops flops_of_step(const RecurrentProblem& problem) {
    const double hidden = static_cast<double>(problem.hidden);
    return Flops{2 * problem.gates() * hidden * hidden * static_cast<double>(problem.batch)};
}

// The share of the weights that the L2 cache does not keep between steps; a soft edge.
double outside_cache(const RecurrentProblem& problem, const DeviceDescription& device,
                     const RecurrentRates& rates) {
    if (!device.l2) {
        return 1;
    }
    const double filled = problem.weights() / (device.l2->value * rates.cache_share);
    return 1 - 1 / (1 + std::pow(filled, 4));
}

Seconds joined(Seconds a, Seconds b, Seconds c, double power) {
    const Seconds largest = std::max({a, b, c});
    return largest * std::pow(std::pow(a / largest, power) + std::pow(b / largest, power) +
                                  std::pow(c / largest, power),
                              1 / power);
}

// The terms of one step, for either algorithm.
struct StepTerms {
    Seconds fixed, arithmetic, latency, dram;
};

StepTerms stepwise_terms(const RecurrentProblem& problem, const DeviceDescription& device,
                         const RecurrentRates& rates) {
    const StepRates reached = rates_for(problem.batch, rates);
    const Bandwidth memory = device.dram_bandwidth->value * rates.dram_efficiency;
    return {.fixed = rates.step[static_cast<std::size_t>(problem.cell)],
            .arithmetic =
                flops_of_step(problem) / (peak_of(device, problem.arithmetic) * reached.efficiency),
            .latency = depth_of(problem) * reached.multiply,
            .dram = problem.weights() * outside_cache(problem, device, rates) / memory};
}

StepTerms persistent_terms(const RecurrentProblem& problem, const DeviceDescription& device,
                           const RecurrentRates& rates) {
    return {.fixed = rates.synchronisation,
            .arithmetic = flops_of_step(problem) /
                          (peak_of(device, problem.arithmetic) * persistent_efficiency),
            .latency = {},
            .dram = problem.weights() / device.dram_bandwidth->value /
                    static_cast<double>(problem.steps)};
}

}  // namespace

double RecurrentProblem::gates() const {
    switch (cell) {
        case RecurrentCell::vanilla:
            return 1;
        case RecurrentCell::lstm:
            return 4;
        case RecurrentCell::gru:
            break;
    }
    return 3;
}

Bytes RecurrentProblem::weights() const {
    const double each = static_cast<double>(hidden);
    return Bytes{gates() * each * each * element_bytes};
}

Flops RecurrentProblem::flops() const {
    const double passes = pass == RecurrentPass::backward ? 2 : 1;
    return flops_of_step(*this) * static_cast<double>(steps) * passes;
}

GemmProblem weights_product(const RecurrentProblem& problem) {
    return with_loads({.m = static_cast<std::int64_t>(problem.gates()) * problem.hidden,
                       .n = problem.hidden,
                       .k = problem.batch * problem.steps,
                       .arithmetic = problem.arithmetic,
                       .element_bytes = problem.element_bytes,
                       .a_is_transposed = true});
}

RecurrentRates prior_recurrent_rates(const DeviceDescription& device) {
    constexpr std::array<std::string_view, 3> before_volta = {"kepler", "maxwell", "pascal"};
    const auto is_of = [&](std::string_view name) { return device.architecture == name; };
    RecurrentRates rates;
    if (std::ranges::any_of(before_volta, is_of)) {
        return rates;
    }
    constexpr Seconds short_latency{18e-9};
    constexpr std::array from_volta_on = {0.5, 0.7, 0.8, 0.9};
    for (std::size_t i = 0; i < rates.by_batch.size(); ++i) {
        rates.by_batch[i].multiply = short_latency;
        if (!is_of("vega")) {
            rates.by_batch[i].efficiency = from_volta_on[i];
        }
    }
    return rates;
}

bool can_persist(const RecurrentProblem& problem, const DeviceDescription& device) {
    if (!device.processors || !device.shared_memory) {
        return false;
    }
    const Bytes room = (registers_of_processor + device.shared_memory->value) *
                       device.processors->value.value * share_for_weights;
    return problem.weights() <= room;
}

RecurrentPrediction predict_recurrent(const RecurrentProblem& problem, RecurrentAlgorithm algorithm,
                                      const DeviceDescription& device,
                                      const RecurrentRates& rates) {
    check(problem.pass != RecurrentPass::backward_weights, "that pass is one product");
    const bool persists = algorithm == RecurrentAlgorithm::persistent;
    check(!persists || can_persist(problem, device), "weights that persist fit on the processors");
    const StepTerms step = persists ? persistent_terms(problem, device, rates)
                                    : stepwise_terms(problem, device, rates);
    const double steps = static_cast<double>(problem.steps);
    RecurrentPrediction found;
    found.algorithm = algorithm;
    found.launch = rates.launch;
    if (!persists) {
        found.launch += rates.first_step * (steps / (1 + steps / rates.first_steps));
    }
    found.steps = step.fixed * steps;
    found.arithmetic = step.arithmetic * steps;
    found.latency = step.latency * steps;
    found.dram = step.dram * steps;
    if (problem.pass == RecurrentPass::backward) {
        found.weights = flops_of_step(problem) * steps /
                        (peak_of(device, problem.arithmetic) * rates.weights_efficiency);
    }
    found.time = found.launch + found.steps +
                 joined(found.arithmetic, found.latency, found.dram, rates.overlap) + found.weights;
    return found;
}

RecurrentAlgorithm planned_algorithm(const RecurrentProblem& problem,
                                     const DeviceDescription& device, const RecurrentRates& rates) {
    if (!can_persist(problem, device)) {
        return RecurrentAlgorithm::stepwise;
    }
    const auto time = [&](RecurrentAlgorithm algorithm) {
        return predict_recurrent(problem, algorithm, device, rates).time;
    };
    return time(RecurrentAlgorithm::persistent) < time(RecurrentAlgorithm::stepwise)
               ? RecurrentAlgorithm::persistent
               : RecurrentAlgorithm::stepwise;
}

}  // namespace strata
