// SPDX-License-Identifier: MIT
#include "predict/attention.h"

#include "base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace strata {

namespace {

constexpr double queries_of_a_block = 128;
constexpr double blocks_of_a_processor = 2;
constexpr double fused_kernels_backward = 3;  // row sums, gradients, conversion of dQ

double heads_of(const AttentionProblem& p) {
    return static_cast<double>(p.batch) * static_cast<double>(p.heads);
}

// The share of the scores that a causal mask leaves; the last query sees all keys.
double share_unmasked(const AttentionProblem& p) {
    if (p.mask == AttentionMask::none) {
        return 1;
    }
    const double queries = static_cast<double>(p.queries), keys = static_cast<double>(p.keys);
    const double seen = std::min(queries, keys);  // queries that see any key
    return seen * (2 * keys - seen + 1) / 2 / (queries * keys);
}

double scores(const AttentionProblem& p) {
    return heads_of(p) * static_cast<double>(p.queries) * static_cast<double>(p.keys);
}

// The products that an unfused pass takes.
std::vector<GemmProblem> unfused_products(const AttentionProblem& p) {
    const auto product = [&](std::int64_t m, std::int64_t n, std::int64_t k, bool transposed) {
        return GemmProblem{.batch = p.batch * p.heads,
                           .m = m,
                           .n = n,
                           .k = k,
                           .b_is_transposed = transposed,
                           .arithmetic = p.arithmetic,
                           .element_bytes = p.element_bytes};
    };
    const GemmProblem to_scores = product(p.queries, p.keys, p.width, true);
    const GemmProblem to_queries = product(p.queries, p.width, p.keys, false);
    const GemmProblem to_keys = product(p.keys, p.width, p.queries, false);
    if (p.pass == AttentionPass::forward) {
        return {to_scores, to_queries};
    }
    return {to_keys, to_scores, to_queries, to_keys};  // dV, dP, dQ and dK
}

AttentionPrediction predict_unfused(const AttentionProblem& problem,
                                    const DeviceDescription& device, const AttentionRates& rates) {
    AttentionPrediction found;
    const auto candidates = candidate_kernels(
        rates.products, units_of(GemmProblem{.arithmetic = problem.arithmetic}, device));
    for (const GemmProblem& product : unfused_products(problem)) {
        const GemmKernel kernel = planned_kernel(product, candidates, device, rates.products);
        const GemmPrediction part = predict_gemm(product, kernel, device, rates.products);
        found.launch += part.launch;
        found.products += part.time - part.launch;
        found.dram_traffic += part.dram_traffic;
    }
    const bool is_forward = problem.pass == AttentionPass::forward;
    const StreamingProblem softmax{.op = is_forward ? "softmax" : "softmax_backward",
                                   .rows = problem.batch * problem.heads * problem.queries,
                                   .columns = problem.keys,
                                   .element_bytes = problem.element_bytes};
    const StreamingPrediction part = predict_streaming(softmax, device, rates.softmax);
    found.launch += part.launch;
    found.softmax = part.time - part.launch;
    found.dram_traffic += softmax.traffic();
    found.time = found.launch + found.products + found.softmax;
    return found;
}

// What K and V, or what a block passes of them backward, take in the L2 cache and in memory.
struct FusedTraffic {
    Bytes l2, dram;
};

FusedTraffic fused_traffic(const AttentionProblem& p, double blocks, double in_flight,
                           const DeviceDescription& device) {
    const double passed = static_cast<double>(p.keys * 2 * p.width) * p.element_bytes;
    const double tiles = blocks / heads_of(p);
    const double heads_in_flight = std::max(1.0, in_flight / tiles);
    FusedTraffic traffic{.l2 = Bytes{blocks * passed * share_unmasked(p)}, .dram = p.compulsory()};
    if (!device.l2 || heads_in_flight * passed > device.l2->value.value) {
        // (By the first wave of each head they are read anyway.)
        const double waves = std::max(1.0, tiles / in_flight);
        traffic.dram += Bytes{heads_of(p) * passed * (waves - 1)};
    }
    return traffic;
}

AttentionPrediction predict_fused(const AttentionProblem& p, const DeviceDescription& device,
                                  const AttentionRates& rates) {
    const double processors = device.processors->value.value;
    const double blocks =
        heads_of(p) * std::ceil(static_cast<double>(p.queries) / queries_of_a_block);
    const double in_flight = processors * blocks_of_a_processor;
    // The busiest processor's share of the work, in whole blocks.
    const double slowed = std::ceil(blocks / processors) * processors / blocks *
                          (std::ceil(static_cast<double>(p.queries) / queries_of_a_block) *
                           queries_of_a_block / static_cast<double>(p.queries));
    const bool is_forward = p.pass == AttentionPass::forward;
    const double efficiency = is_forward ? rates.fused_forward : rates.fused_backward;
    const FusedTraffic traffic = fused_traffic(p, blocks, in_flight, device);
    const double clock = (device.boost_clock ? device.boost_clock : device.base_clock)->value.value;
    AttentionPrediction found;
    found.launch = rates.products.launch * (is_forward ? 1 : fused_kernels_backward);
    found.arithmetic = p.flops() / (peak_of(device, p.arithmetic) * efficiency) * slowed;
    found.exponentials =
        Seconds{scores(p) * share_unmasked(p) / (rates.exponentials * processors * clock) * slowed};
    found.l2 = traffic.l2 * (is_forward ? 1 : 2) / rates.products.l2;
    found.dram = traffic.dram /
                 (device.dram_bandwidth->value * std::min(1.0, rates.products.dram_efficiency));
    found.dram_traffic = traffic.dram;
    found.time =
        found.launch + std::max({found.arithmetic, found.exponentials, found.l2, found.dram});
    return found;
}

}  // namespace

Flops AttentionProblem::flops() const {
    const double products = pass == AttentionPass::forward ? 2 : 5;
    return Flops{products * 2 * scores(*this) * static_cast<double>(width) * share_unmasked(*this)};
}

Bytes AttentionProblem::compulsory() const {
    const double tensors = pass == AttentionPass::forward ? 1 : 2;
    return Bytes{tensors * heads_of(*this) * static_cast<double>(width) *
                 (2 * static_cast<double>(queries) + 2 * static_cast<double>(keys)) *
                 element_bytes};
}

AttentionRates prior_attention_rates(const DeviceDescription& device) {
    return {.products = prior_gemm_rates(device), .softmax = {}};
}

AttentionPrediction predict_attention(const AttentionProblem& problem, AttentionAlgorithm algorithm,
                                      const DeviceDescription& device,
                                      const AttentionRates& rates) {
    if (!device.lanes || !device.processors || !device.dram_bandwidth ||
        device.kind != DeviceKind::gpu) {
        throw Error(
            fmt::format("{} is no GPU with processors, lanes and dram_bandwidth, where "
                        "attention can be predicted",
                        device.name));
    }
    return algorithm == AttentionAlgorithm::unfused ? predict_unfused(problem, device, rates)
                                                    : predict_fused(problem, device, rates);
}

AttentionAlgorithm planned_algorithm(const AttentionProblem& problem,
                                     const DeviceDescription& device, const AttentionRates& rates) {
    const auto time = [&](AttentionAlgorithm algorithm) {
        return predict_attention(problem, algorithm, device, rates).time;
    };
    return time(AttentionAlgorithm::fused) < time(AttentionAlgorithm::unfused)
               ? AttentionAlgorithm::fused
               : AttentionAlgorithm::unfused;
}

}  // namespace strata
