// SPDX-License-Identifier: MIT
#include "predict/padding.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

namespace strata {

namespace {

// The choices for a product's plan.
struct Choices {
    std::span<const GemmKernel> candidates;
    const DeviceDescription& device;
    const GemmRates& rates;
};

ProductPlan plan_by(const GemmKernel& kernel, const GemmProblem& problem, const Choices& choices) {
    return {kernel, predict_gemm(problem, kernel, choices.device, choices.rates), problem};
}

void keep_shorter(ProductPlan& best, const GemmProblem& larger, const Choices& choices) {
    if (const auto kernel = planned_kernel_below(best.prediction.time, larger, choices.candidates,
                                                 choices.device, choices.rates)) {
        best = plan_by(*kernel, larger, choices);
    }
}

std::int64_t divided_up(std::int64_t value, std::int64_t part) {
    return (value + part - 1) / part;
}

bool contains(const GemmProblem& larger, const GemmProblem& smaller) {
    return larger.m >= smaller.m && larger.n >= smaller.n && larger.k >= smaller.k;
}

// The smallest products that contain this one and whose shapes have other rates (`group_of`).
std::vector<GemmProblem> at_other_groups(const GemmProblem& problem) {
    constexpr std::array<std::int64_t, 4> first_rows = {17, 33, 65, 129};
    std::vector<GemmProblem> found;
    const auto add = [&](std::int64_t m, std::int64_t n, std::int64_t k) {
        GemmProblem larger = problem;
        larger.m = std::max(m, problem.m);
        larger.n = std::max(n, problem.n);
        larger.k = std::max(k, problem.k);
        const std::string_view group = group_of(larger);
        const bool is_known = std::ranges::any_of(found, [&](const GemmProblem& other) {
            return group_of(other) == group && contains(larger, other);
        });
        if (group != group_of(problem) && !is_known) {
            found.push_back(larger);
        }
    };
    const std::int64_t wide = most_columns_of_narrow + 1;
    const std::int64_t shallow = divided_up(problem.k, deep_beside_sides);
    for (const std::int64_t rows : first_rows) {
        add(rows, 0, 0);
        add(rows, wide, 0);
        add(rows, shallow, 0);
    }
    add(0, wide, 0);
    add(shallow, 0, 0);
    add(0, shallow, 0);
    add(0, 0, deep_beside_sides * std::max(problem.m, problem.n) + 1);
    return found;
}

bool has_groups(const GemmProblem& problem, const GemmRates& rates) {
    return rates.kernels.contains(group_of(problem));
}

// The next longer sum that can be split once more; nothing if more splits were possible already.
std::optional<GemmProblem> at_next_split(const ProductPlan& plan) {
    const std::int64_t next = std::int64_t{2} * plan.kernel.splits * shallowest_split;
    if (plan.kernel.splits >= most_splits || next <= plan.padded.k) {
        return {};
    }
    GemmProblem larger = plan.padded;
    larger.k = next;
    return larger;
}

// The batches between which rates differ, so close together that no step between two of them is
// noticeably shorter than both.
std::vector<std::int64_t> batches_with_rates() {
    constexpr double first = 16, parts_of_doubling = 16, doublings = 3;
    std::vector<std::int64_t> batches;
    for (double part = 0; part <= doublings * parts_of_doubling; ++part) {
        batches.push_back(std::lround(first * std::exp2(part / parts_of_doubling)));
    }
    return batches;
}

}  // namespace

ProductPlan planned_product(const GemmProblem& problem, std::span<const GemmKernel> candidates,
                            const DeviceDescription& device, const GemmRates& rates) {
    const Choices choices{candidates, device, rates};
    ProductPlan best =
        plan_by(planned_kernel(problem, candidates, device, rates), problem, choices);
    if (has_groups(problem, rates)) {
        for (const GemmProblem& larger : at_other_groups(problem)) {
            keep_shorter(best, larger, choices);
        }
    }
    if (const auto longer = at_next_split(best)) {
        keep_shorter(best, *longer, choices);
    }
    return best;
}

std::optional<ConvolutionProblem> padded_for_matrix_units(const ConvolutionProblem& problem,
                                                          const DeviceDescription& device) {
    if (problem.is_depthwise() || !has_matrix_units(device, problem.arithmetic)) {
        return {};
    }
    const auto padded = [&](std::int64_t all) {
        return problem.groups * channels_of_matrix_units *
               divided_up(all / problem.groups, channels_of_matrix_units);
    };
    ConvolutionProblem larger = problem;
    larger.c = padded(problem.c);
    larger.k = padded(problem.k);
    const bool is_larger = larger.c > problem.c || larger.k > problem.k;
    return is_larger ? std::optional(larger) : std::nullopt;
}

RecurrentPrediction planned_steps(const RecurrentProblem& problem, const DeviceDescription& device,
                                  const RecurrentRates& rates) {
    static const std::vector<std::int64_t> batches = batches_with_rates();
    RecurrentProblem larger = problem;
    const auto predict = [&] {
        return predict_recurrent(larger, RecurrentAlgorithm::stepwise, device, rates);
    };
    RecurrentPrediction best = predict();
    for (const std::int64_t batch : batches) {
        if (batch > problem.batch) {
            larger.batch = batch;
            const RecurrentPrediction other = predict();
            best = other.time < best.time ? other : best;
        }
    }
    return best;
}

}  // namespace strata
