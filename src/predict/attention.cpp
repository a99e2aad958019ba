// SPDX-License-Identifier: MIT
#include "predict/attention.h"

#include "base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <vector>

namespace strata {

namespace {

constexpr double rows_of_a_block = 128;
constexpr double rows_of_an_instruction = 16;
constexpr double keys_of_a_step = 64;
constexpr double overlap = 4;
constexpr double edge_of_residence = 0.05;  // of the resident bytes
constexpr double far = 30;                  // a logistic function is 0 from here on
// The widths that kernels exist for; others are padded, and larger ones use the last.
constexpr std::array<double, 6> widths = {64, 96, 128, 192, 256, 512};

double heads_of(const AttentionProblem& p) {
    return static_cast<double>(p.batch) * static_cast<double>(p.heads);
}

double kv_heads_of(const AttentionProblem& p) {
    return static_cast<double>(p.batch) *
           static_cast<double>(p.kv_heads == 0 ? p.heads : p.kv_heads);
}

// The largest number of keys that any query sees.
double most_keys(const AttentionProblem& p) {
    const std::int64_t keys = p.window == 0 ? p.keys : std::min(p.window, p.keys);
    return static_cast<double>(keys);
}

// The share of the scores inside mask and window; with a mask, the last query sees the last key.
double share_unmasked(const AttentionProblem& p) {
    const double queries = static_cast<double>(p.queries), keys = static_cast<double>(p.keys);
    const double most = most_keys(p);
    if (p.mask == AttentionMask::none) {
        return most / keys;
    }
    const double seeing = std::min(queries, keys);                  // queries that see any key
    const double before = keys - seeing;                            // keys that all of them may see
    const double growing = std::clamp(most - before, 0.0, seeing);  // seeing less than a window
    const double seen = growing * before + growing * (growing + 1) / 2 + (seeing - growing) * most;
    return seen / (queries * keys);
}

double scores(const AttentionProblem& p) {
    return heads_of(p) * static_cast<double>(p.queries) * static_cast<double>(p.keys);
}

// The products of an unfused pass.
std::vector<GemmProblem> unfused_products(const AttentionProblem& p) {
    const GemmProblem any{
        .batch = p.batch * p.heads, .arithmetic = p.arithmetic, .element_bytes = p.element_bytes};
    GemmProblem to_scores = any, to_queries = any, to_keys = any;
    std::tie(to_scores.m, to_scores.n, to_scores.k) = std::tie(p.queries, p.keys, p.width);
    std::tie(to_queries.m, to_queries.n, to_queries.k) = std::tie(p.queries, p.width, p.keys);
    std::tie(to_keys.m, to_keys.n, to_keys.k) = std::tie(p.keys, p.width, p.queries);
    to_scores.b_is_transposed = to_keys.a_is_transposed = true;
    for (GemmProblem* const product : {&to_scores, &to_queries, &to_keys}) {
        *product = with_loads(*product);
    }
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

// How a fused kernel is divided into blocks.
struct FusedBlocks {
    double blocks = 1;
    double rows = rows_of_a_block;  // computed by a block's instructions
    double mean = 1, most = 1;      // keys that a block passes; queries if backward
    double parts = 1;               // that these are divided into
};

// Blocks of `rows` rows of `along` queries or keys that pass all `across` of the others, of which
// masks leave `share`.
FusedBlocks blocks_over(double units, double rows, double along, double across, double share) {
    FusedBlocks found;
    const double tiles = std::ceil(rows / rows_of_a_block);
    found.blocks = units * tiles;
    found.rows = std::min(rows_of_a_block,
                          std::ceil(rows / rows_of_an_instruction) * rows_of_an_instruction);
    found.most = std::ceil(across / keys_of_a_step) * keys_of_a_step;
    // (A block on the diagonal also computes the masked part.)
    const double whole = share < 1 ? across * share + along / tiles / 2 : found.most;
    found.mean = std::clamp(whole, std::min(across, keys_of_a_step), found.most);
    return found;
}

FusedBlocks blocks_of(const AttentionProblem& p, double processors, const FusedRates& rates) {
    const double queries = static_cast<double>(p.queries), keys = static_cast<double>(p.keys);
    if (p.pass == AttentionPass::backward) {
        return blocks_over(heads_of(p), keys, keys, queries, share_unmasked(p));
    }
    const double group = heads_of(p) / kv_heads_of(p);
    const bool is_packed = group <= rates.packed_heads && queries <= rates.packed_queries;
    const double seen = most_keys(p);
    FusedBlocks found =
        blocks_over(is_packed ? kv_heads_of(p) : heads_of(p), is_packed ? queries * group : queries,
                    queries, seen, share_unmasked(p) * keys / seen);
    if (p.phase() == AttentionPhase::decode) {
        const double most = group > 1
                                ? found.most / rates.split_keys
                                : std::min(found.most / rates.split_keys, rates.ungrouped_parts);
        found.parts = std::max(1.0, std::min(processors / found.blocks, most));
    }
    return found;
}

double padded_width(const AttentionProblem& p) {
    const double width = static_cast<double>(p.width);
    const auto* const found = std::ranges::lower_bound(widths, width);
    return found == widths.end() ? width : *found;
}

// The time of a processor for one row and key, and for reading one key of K and V.
struct PairCost {
    double arithmetic, exponential, read;
};

PairCost cost_of_a_pair(const AttentionProblem& p, double processors, double clock,
                        const DeviceDescription& device, const FusedRates& rates) {
    const double width = padded_width(p);
    const double products = p.pass == AttentionPass::backward ? 5 : 2;
    const double efficiency = rates.efficiency * (width > widths[4]   ? rates.wider
                                                  : width > widths[2] ? rates.wide
                                                                      : 1);
    const double peak = peak_of(device, p.arithmetic).value / processors;
    const double bytes =
        2 * static_cast<double>(p.width) * (p.cache_bytes > 0 ? p.cache_bytes : p.element_bytes);
    return {.arithmetic = products * 2 * width / (peak * efficiency),
            .exponential = 1 / (rates.exponentials * clock),
            .read = bytes / (rates.l2 * clock)};
}

Seconds time_of_memory(const AttentionProblem& p, const DeviceDescription& device,
                       const FusedRates& rates) {
    const Bytes traffic = p.compulsory();
    double from_memory = 1;
    if (device.l2) {
        const double above =
            (traffic / (device.l2->value * rates.resident) - 1) / edge_of_residence;
        from_memory = 1 / (1 + std::exp(-std::min(above, far)));
    }
    const double share = std::min(rates.cached, 1.0);
    const Seconds time = traffic /
                         (device.dram_bandwidth->value * std::min(rates.dram_efficiency, 1.0)) *
                         (share + (1 - share) * from_memory);
    const Bytes held = device.l2 ? device.l2->value : Bytes{};
    return std::max(time, (traffic - held) / device.dram_bandwidth->value);
}

}  // namespace

Flops AttentionProblem::flops() const {
    const double products = pass == AttentionPass::forward    ? 2
                            : pass == AttentionPass::backward ? 5
                                                              : 7;
    return Flops{products * 2 * scores(*this) * static_cast<double>(width) * share_unmasked(*this)};
}

Bytes AttentionProblem::compulsory() const {
    const double tensors = pass == AttentionPass::forward    ? 1
                           : pass == AttentionPass::backward ? 2
                                                             : 3;
    const double seen =
        std::min(static_cast<double>(keys), most_keys(*this) + static_cast<double>(queries - 1));
    const double cached = cache_bytes > 0 ? cache_bytes : element_bytes;
    return Bytes{tensors * 2 * static_cast<double>(width) *
                 (heads_of(*this) * static_cast<double>(queries) * element_bytes +
                  kv_heads_of(*this) * seen * cached)};
}

AttentionPhase AttentionProblem::phase() const {
    if (pass != AttentionPass::forward) {
        return AttentionPhase::backward;
    }
    return queries == 1 && keys > 1        ? AttentionPhase::decode
           : mask == AttentionMask::causal ? AttentionPhase::prefill
                                           : AttentionPhase::encoder;
}

FusedRates prior_fused_rates(AttentionPhase phase) {
    FusedRates rates;
    if (phase == AttentionPhase::decode) {
        rates.efficiency = 0.3;
        rates.tail = 0.02;
        rates.block = Seconds{1.2e-6};
        rates.appended = 0.5;
    } else if (phase == AttentionPhase::backward) {
        rates.efficiency = 0.6;
    }
    return rates;
}

AttentionPrediction predict_fused(const AttentionProblem& p, const DeviceDescription& device,
                                  const FusedRates& rates) {
    const double processors = device.processors->value.value;
    const double clock = (device.boost_clock ? device.boost_clock : device.base_clock)->value.value;
    const FusedBlocks cut = blocks_of(p, processors, rates);
    const PairCost pair = cost_of_a_pair(p, processors, clock, device, rates);
    // The time of a block that passes this many.
    const auto latency = [&](double passed) { return rates.step * (passed / keys_of_a_step); };
    const double work = std::max(cut.rows * (pair.arithmetic + pair.exponential), pair.read);
    const auto block = [&](double passed) {
        return rates.block.value + latency(passed).value + passed * work;
    };
    const double begun = rates.block.value;
    const double longest = begun + (block(cut.most) - begun) / cut.parts;
    const double all = cut.blocks * block(cut.mean) / processors;
    const Seconds least = p.flops() / peak_of(device, p.arithmetic);
    const Seconds computing =
        std::max(Seconds{std::max(longest, all + rates.tail * longest)}, least);
    const Seconds beside = (cut.parts > 1 ? rates.split : Seconds{}) +
                           rates.sequence * static_cast<double>(p.batch) +
                           Seconds{rates.appended * heads_of(p) * static_cast<double>(p.queries) *
                                   static_cast<double>(p.width) / (processors * clock)};
    const Seconds of_a_block{block(cut.mean)};
    const auto share = [&](double seconds) { return computing * (Seconds{seconds} / of_a_block); };
    AttentionPrediction found;
    found.launch = rates.launch;
    found.exponentials = share(cut.mean * cut.rows * pair.exponential);
    found.arithmetic = share(cut.mean * cut.rows * pair.arithmetic);
    found.l2 = share(cut.mean * pair.read);
    found.latency = share(begun + latency(cut.mean).value) + beside;
    found.dram = time_of_memory(p, device, rates);
    found.dram_traffic = p.compulsory();
    const Seconds more = std::max(computing, found.dram);
    found.time =
        found.launch + beside +
        more * std::pow(std::pow(computing / more, overlap) + std::pow(found.dram / more, overlap),
                        1 / overlap);
    return found;
}

AttentionRates prior_attention_rates(const DeviceDescription& device) {
    AttentionRates rates{.products = prior_gemm_rates(device), .softmax = {}};
    for (std::size_t i = 0; i < rates.fused.size(); ++i) {
        rates.fused[i] = prior_fused_rates(static_cast<AttentionPhase>(i));
    }
    return rates;
}

AttentionPrediction& AttentionPrediction::operator+=(const AttentionPrediction& other) {
    time += other.time;
    launch += other.launch;
    products += other.products;
    softmax += other.softmax;
    arithmetic += other.arithmetic;
    exponentials += other.exponentials;
    latency += other.latency;
    l2 += other.l2;
    dram += other.dram;
    dram_traffic += other.dram_traffic;
    return *this;
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
    if (problem.pass == AttentionPass::both) {
        AttentionProblem one = problem;
        one.pass = AttentionPass::forward;
        AttentionPrediction sum = predict_attention(one, algorithm, device, rates);
        one.pass = AttentionPass::backward;
        sum += predict_attention(one, algorithm, device, rates);
        return sum;
    }
    return algorithm == AttentionAlgorithm::unfused
               ? predict_unfused(problem, device, rates)
               : predict_fused(problem, device, rates.fused_in(problem.phase()));
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
