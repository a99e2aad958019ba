// SPDX-License-Identifier: MIT
#include "predict/rates.h"

#include "base/error.h"
#include "predict/row_rates.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace strata {

void require_processors(const DeviceDescription& device, Arithmetic arithmetic) {
    peak_of(device, arithmetic);
    if (!device.lanes) {
        throw Error(
            fmt::format("{} has no lanes, which a prediction of products needs; add "
                        "them to its description",
                        device.name));
    }
}

Seconds predict_product(const GemmRow& row, std::span<const GemmKernel> candidates,
                        const DeviceDescription& device, const GemmRates& rates) {
    const GemmKernel kernel =
        row.kernel ? *row.kernel : planned_kernel(row.problem, candidates, device, rates);
    return predict_gemm(row.problem, kernel, device, rates).time;
}

GemmRates prior_rates_of(const GemmRow& product, const DeviceDescription& device) {
    return runs_alone(product, device) ? prior_matrix_rates(device) : prior_gemm_rates(device);
}

const ConvolutionRow& convolution_of(const ProblemRow& row) {
    return std::get<ConvolutionRow>(row.problem);
}

ConvolutionRates prior_of(const ProblemRow& row, const DeviceDescription& device) {
    return prior_convolution_rates(device, convolution_of(row).problem.pass);
}

const AttentionRow& attention_of(const ProblemRow& row) {
    return std::get<AttentionRow>(row.problem);
}

bool runs_alone(const GemmRow& product, const DeviceDescription& device) {
    return !product.kernel && has_matrix_units(device, product.problem.arithmetic);
}

bool runs_in_matrix_units(std::string_view problem_class) {
    constexpr std::array classes = {products_of_16_bits, std::string_view("gemm tf32"),
                                    std::string_view("gemm fp8"), std::string_view("gemm int8")};
    return std::ranges::find(classes, problem_class) != classes.end();
}

const GemmRates* find_products(const DeviceRates& rates, std::string_view problem_class) {
    auto found = rates.gemm.find(problem_class);
    if (found == rates.gemm.end() && runs_in_matrix_units(problem_class)) {
        found = rates.gemm.find(products_of_16_bits);
    }
    return found == rates.gemm.end() ? nullptr : &found->second;
}

const FusedRates* find_fused_rates(const DeviceRates& rates, AttentionPhase phase,
                                   std::string_view library) {
    AttentionPhase other = phase;
    if (phase == AttentionPhase::encoder || phase == AttentionPhase::prefill) {
        other =
            phase == AttentionPhase::encoder ? AttentionPhase::prefill : AttentionPhase::encoder;
    }
    for (const std::string_view of : {library, std::string_view()}) {
        for (const AttentionPhase one : {phase, other}) {
            const auto found = rates.attention.find(attention_class(one, of));
            if (found != rates.attention.end()) {
                return &found->second;
            }
        }
    }
    return nullptr;
}

AttentionRates attention_rates(const DeviceDescription& device, const DeviceRates& rates,
                               std::string_view library) {
    AttentionRates found = prior_attention_rates(device);
    if (const auto products = rates.gemm.find("bmm"); products != rates.gemm.end()) {
        found.products = products->second;
    }
    if (const auto softmax = rates.streaming.find("softmax by warps");
        softmax != rates.streaming.end()) {
        found.softmax = softmax->second;
    }
    for (std::size_t i = 0; i < found.fused.size(); ++i) {
        if (const auto* fused = find_fused_rates(rates, static_cast<AttentionPhase>(i), library)) {
            found.fused[i] = *fused;
        }
    }
    return found;
}

SystolicRates systolic_rates(const DeviceRates& rates) {
    return rates.training_step.empty() ? SystolicRates()
                                       : rates.training_step.begin()->second.product;
}

namespace {

// The classes whose rates an operator uses, best first: its own, for 16 bits also that of fp32,
// then that of another operator that a framework launches.
std::vector<std::string_view> names_of_stream(std::string_view name) {
    constexpr std::string_view other = "add", other_in_16_bits = "add 16 bits";
    if (!name.ends_with(in_16_bits)) {
        return {name, other};
    }
    return {name, name.substr(0, name.size() - in_16_bits.size()), other_in_16_bits, other};
}

}  // namespace

Seconds predict_row(const ProblemRow& row, const DeviceDescription& device,
                    const DeviceRates& rates) {
    if (const auto* product = std::get_if<GemmRow>(&row.problem)) {
        const GemmRates* const fitted = find_products(rates, row.problem_class);
        if (device.kind == DeviceKind::tpu) {
            return predict_systolic_gemm(product->problem, device, systolic_rates(rates)).time;
        }
        require_processors(device, product->problem.arithmetic);
        const auto with = [&](const GemmRates& used) {
            return predict_product(
                *product,
                product->kernel ? std::vector<GemmKernel>()
                                : candidate_kernels(used, units_of(product->problem, device)),
                device, used);
        };
        return fitted == nullptr ? with(prior_rates_of(*product, device)) : with(*fitted);
    }
    if (const auto* convolution = std::get_if<ConvolutionRow>(&row.problem)) {
        require_processors(device, convolution->problem.arithmetic);
        const auto fitted = rates.convolution.find(row.problem_class);
        return predict_convolution(
                   convolution->problem, device,
                   fitted == rates.convolution.end() ? prior_of(row, device) : fitted->second,
                   convolution->kernel)
            .time;
    }
    if (const auto* layer = std::get_if<RecurrentProblem>(&row.problem)) {
        const auto fitted = rates.recurrent.find(row.problem_class);
        return predict_recurrent(
                   *layer, RecurrentAlgorithm::stepwise, device,
                   fitted == rates.recurrent.end() ? prior_recurrent_rates(device) : fitted->second)
            .time;
    }
    if (const auto* attention = std::get_if<AttentionRow>(&row.problem)) {
        const AttentionRates used = attention_rates(device, rates, attention->library);
        return predict_attention(attention->problem,
                                 attention->algorithm.value_or(
                                     planned_algorithm(attention->problem, device, used)),
                                 device, used)
            .time;
    }
    if (const auto* step = std::get_if<TrainingStepProblem>(&row.problem)) {
        const auto fitted = rates.training_step.find(row.problem_class);
        return predict_training_step(
                   *step, device,
                   fitted == rates.training_step.end() ? TrainingStepRates() : fitted->second)
            .time;
    }
    auto fitted = rates.streaming.end();
    for (const std::string_view name : names_of_stream(row.problem_class)) {
        fitted = fitted == rates.streaming.end() ? rates.streaming.find(name) : fitted;
    }
    return predict_streaming(
               std::get<StreamingProblem>(row.problem), device,
               fitted == rates.streaming.end() ? prior_streaming_rates(device) : fitted->second)
        .time;
}

Seconds roofline(const ProblemRow& row, const DeviceDescription& device) {
    const Bandwidth memory = device.dram_bandwidth->value;
    if (const auto* streaming = std::get_if<StreamingProblem>(&row.problem)) {
        return streaming->traffic() / memory;
    }
    if (const auto* convolution = std::get_if<ConvolutionRow>(&row.problem)) {
        return std::max(
            convolution->problem.flops() / peak_of(device, convolution->problem.arithmetic),
            convolution->problem.traffic() / memory);
    }
    if (const auto* layer = std::get_if<RecurrentProblem>(&row.problem)) {
        return std::max(layer->flops() / peak_of(device, layer->arithmetic),
                        layer->weights() / memory);
    }
    if (const auto* attention = std::get_if<AttentionRow>(&row.problem)) {
        const AttentionProblem& p = attention->problem;
        return std::max(p.flops() / peak_of(device, p.arithmetic), p.compulsory() / memory);
    }
    if (const auto* step = std::get_if<TrainingStepProblem>(&row.problem)) {
        const double chips = static_cast<double>(step->cores) / device.processors->value.value;
        return step->flops() / (peak_of(device, Arithmetic::f32) * chips);
    }
    const GemmProblem& p = std::get<GemmRow>(row.problem).problem;
    const double batch = static_cast<double>(p.batch), m = static_cast<double>(p.m),
                 n = static_cast<double>(p.n), k = static_cast<double>(p.k);
    return std::max(Flops{2 * batch * m * n * k} / peak_of(device, p.arithmetic),
                    Bytes{batch * (m * k + k * n + m * n) * p.element_bytes} / memory);
}

}  // namespace strata
