// SPDX-License-Identifier: MIT
#include "base/error.h"
#include "predict/fit.h"
#include "predict/named_rates.h"
#include "predict/rates.h"
#include "predict/row_rates.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace strata {

namespace {

// Groups of products with unknown kernels have few rows each, of several kernels.
constexpr double stronger_for_groups = 15;

template <class Rates>
void add_parameters(Rates& rates, std::vector<FitParameter>& parameters) {
    for (const NamedRate& rate : named_rates(rates)) {
        if (*rate.value > 0) {  // the model has it
            parameters.push_back({rate.value, rate.pull});
        }
    }
}

template <class Rates>
std::vector<FitParameter> simple_parameters(Rates& rates) {
    std::vector<FitParameter> parameters;
    add_parameters(rates, parameters);
    return parameters;
}

std::vector<double> measured_of(std::span<const ProblemRow* const> rows) {
    std::vector<double> seconds;
    for (const ProblemRow* const row : rows) {
        check(row->measured.has_value(), "rates are fitted to measured rows");
        seconds.push_back(row->measured->value);
    }
    return seconds;
}

// Fits the parameters to the rows' times by a prediction of each, and returns the sum of the
// errors' absolute logarithms.
template <class Predict>
double fit_to(std::span<const ProblemRow* const> rows, const std::vector<FitParameter>& parameters,
              Predict predict_one, FitSearch search = FitSearch::slopes) {
    const auto predict = [&](std::span<double> predicted) {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            predicted[i] = predict_one(i).value;
        }
    };
    const std::vector<double> measured = measured_of(rows);
    fit(parameters, measured, predict, search);
    std::vector<double> predicted(rows.size());
    predict(predicted);
    double left = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        left += std::abs(std::log(predicted[i] / measured[i]));
    }
    return left;
}

template <class Problem>
const Problem& problem_in(const ProblemRow* row) {
    return std::get<Problem>(row->problem);
}

GemmRates fitted_products(std::span<const ProblemRow* const> rows,
                          const DeviceDescription& device) {
    const GemmRow& first = std::get<GemmRow>(rows.front()->problem);
    GemmRates rates = prior_rates_of(first, device);
    for (const ProblemRow* const row : rows) {
        const GemmRow& product = std::get<GemmRow>(row->problem);
        const std::string kernel(product.kernel ? std::string_view(product.kernel->name)
                                                : group_of(product.problem));
        ++rates.kernels.try_emplace(kernel, rates.usual).first->second.rows;
    }
    const std::vector<FitParameter> parameters = parameters_of(rates);
    const std::vector<GemmKernel> candidates =
        candidate_kernels(rates, units_of(first.problem, device));
    fit_to(
        rows, parameters,
        [&](std::size_t i) {
            return predict_product(problem_in<GemmRow>(rows[i]), candidates, device, rates);
        },
        runs_alone(first, device) ? FitSearch::slopes_and_single_moves : FitSearch::slopes);
    return rates;
}

// The rates of algorithms that none of the rows could take stay as assumed. Like fitted ones, they
// are then of this device's sustained share, which other devices divide by.
void share_unfitted(std::span<const std::vector<ConvolutionKernel>> candidates,
                    const DeviceDescription& device, ConvolutionRates& rates) {
    const auto share_without = [&](LibraryAlgorithm algorithm, double& rate) {
        const bool is_taken = std::ranges::any_of(candidates, [&](const auto& of_row) {
            return std::ranges::find(of_row, algorithm, &ConvolutionKernel::algorithm) !=
                   of_row.end();
        });
        rate *= is_taken ? 1 : sustained_share(device);
    };
    share_without(LibraryAlgorithm::fused_winograd, rates.fused_winograd);
    share_without(LibraryAlgorithm::winograd_3x3, rates.batched_products);
    share_without(LibraryAlgorithm::tiled_fft, rates.fft);
}

// The fit with a library, and its sum of the errors' absolute logarithms. Of the time that every
// kernel takes, it moves what the host takes up to cuDNN 7, whose rows were launched one by one,
// and what the device takes later.
std::pair<ConvolutionRates, double> fitted_with(std::span<const ProblemRow* const> rows,
                                                const DeviceDescription& device, double library) {
    ConvolutionRates rates = with_library(prior_of(*rows.front(), device),
                                          convolution_of(*rows.front()).problem.pass, library);
    std::vector<FitParameter> parameters = parameters_of(rates);
    const double* const fixed =
        library >= padding_library ? &rates.launch.value : &rates.start.value;
    std::erase_if(parameters, [&](const FitParameter& one) { return one.value == fixed; });
    std::vector<std::vector<ConvolutionKernel>> candidates;
    for (const ProblemRow* const row : rows) {
        const ConvolutionRow& problem = convolution_of(*row);
        candidates.push_back(candidate_kernels(problem.problem, device, library, problem.kernel));
    }
    if (library >= padding_library) {
        share_unfitted(candidates, device, rates);
    }
    const double left = fit_to(
        rows, parameters,
        [&](std::size_t i) {
            return predict_fastest(convolution_of(*rows[i]).problem, candidates[i], device, rates)
                .time;
        },
        library >= padding_library ? FitSearch::slopes_and_single_moves : FitSearch::slopes);
    return {rates, left};
}

// Tables do not say which library ran, so this tries each and takes the best fit. (Devices since
// Ampere have none from before cuDNN 8.)
ConvolutionRates fitted_convolutions(std::span<const ProblemRow* const> rows,
                                     const DeviceDescription& device) {
    auto best = fitted_with(rows, device, prior_of(*rows.front(), device).library);
    constexpr std::array libraries = {5.0, 7.0};  // before and after Winograd for all passes
    for (const double library : libraries) {
        if (best.first.library >= padding_library) {
            break;
        }
        auto other = fitted_with(rows, device, library);
        if (other.second < best.second) {
            best = std::move(other);
        }
    }
    return best.first;
}

StreamingRates fitted_streaming(std::span<const ProblemRow* const> rows,
                                const DeviceDescription& device) {
    StreamingRates rates = prior_streaming_rates(device);
    fit_to(rows, parameters_of(rates), [&](std::size_t i) {
        return predict_streaming(problem_in<StreamingProblem>(rows[i]), device, rates).time;
    });
    return rates;
}

RecurrentRates fitted_recurrent(std::span<const ProblemRow* const> rows,
                                const DeviceDescription& device) {
    RecurrentRates rates = prior_recurrent_rates(device);
    fit_to(rows, simple_parameters(rates), [&](std::size_t i) {
        return predict_recurrent(problem_in<RecurrentProblem>(rows[i]),
                                 RecurrentAlgorithm::stepwise, device, rates)
            .time;
    });
    return rates;
}

// The sum of the errors' absolute logarithms after a fit with these choices. `forward` has the
// times of the forward passes of rows with both passes.
double fit_attention(std::span<const ProblemRow* const> rows, std::span<const double> forward,
                     const DeviceDescription& device, FusedRates& rates) {
    return fit_to(rows, simple_parameters(rates), [&](std::size_t i) {
        AttentionProblem problem = attention_of(*rows[i]).problem;
        problem.pass =
            problem.phase() == AttentionPhase::backward ? AttentionPass::backward : problem.pass;
        return Seconds{forward[i]} + predict_fused(problem, device, rates).time;
    });
}

// The kernels that a library may have for a phase: how they pack and divide.
std::vector<FusedRates> choices_of(AttentionPhase phase) {
    constexpr double all = 1024, some = 32, none = 1;
    const FusedRates prior = prior_fused_rates(phase);
    std::vector<FusedRates> choices;
    if (phase == AttentionPhase::decode) {
        for (const double heads : {all, some}) {
            for (const double parts : {all, none}) {
                choices.push_back(prior);
                choices.back().packed_heads = heads;
                choices.back().ungrouped_parts = parts;
            }
        }
        return choices;
    }
    for (const double queries : {none, all * all}) {
        choices.push_back(prior);
        choices.back().packed_queries = queries;
        if (phase != AttentionPhase::prefill) {
            break;  // packing needs heads with shared keys
        }
    }
    return choices;
}

FusedRates fitted_attention(std::span<const ProblemRow* const> rows,
                            std::span<const double> forward, const DeviceDescription& device) {
    std::optional<FusedRates> best;
    double least = 0;
    for (FusedRates rates : choices_of(attention_of(*rows.front()).problem.phase())) {
        const double left = fit_attention(rows, forward, device, rates);
        if (!best || left < least) {
            best = rates;
            least = left;
        }
    }
    return *best;
}

// The times of the forward passes of rows with both passes; 0 for the others.
std::vector<double> forward_times(std::span<const ProblemRow* const> rows,
                                  const DeviceDescription& device, const DeviceRates& known) {
    std::vector<double> forward;
    for (const ProblemRow* const row : rows) {
        AttentionProblem problem = attention_of(*row).problem;
        const bool is_both = problem.pass == AttentionPass::both;
        problem.pass = AttentionPass::forward;
        const FusedRates* const found =
            find_fused_rates(known, problem.phase(), attention_of(*row).library);
        const FusedRates used = found == nullptr ? prior_fused_rates(problem.phase()) : *found;
        forward.push_back(is_both ? predict_fused(problem, device, used).time.value : 0);
    }
    return forward;
}

// Fits what ran in one kernel, as far as the table says; unfused rows follow from products and the
// softmax. For rows with both passes, the forward time follows from the forward rates among those
// fitted so far, else from the device's.
void add_fitted_attention(std::span<const ProblemRow* const> rows, const DeviceDescription& device,
                          DeviceRates& rates) {
    std::vector<const ProblemRow*> fused;
    std::ranges::copy_if(rows, std::back_inserter(fused), [](const ProblemRow* row) {
        return attention_of(*row).algorithm.value_or(AttentionAlgorithm::fused) ==
               AttentionAlgorithm::fused;
    });
    if (fused.empty()) {
        return;
    }
    DeviceRates known = rates;
    known.attention.merge(rates_of(device.name).attention);
    const std::vector<double> forward = forward_times(fused, device, known);
    rates.attention.insert_or_assign(fused.front()->problem_class,
                                     fitted_attention(fused, forward, device));
}

TrainingStepRates fitted_steps(std::span<const ProblemRow* const> rows,
                               const DeviceDescription& device) {
    TrainingStepRates rates;
    fit_to(rows, simple_parameters(rates), [&](std::size_t i) {
        return predict_training_step(problem_in<TrainingStepProblem>(rows[i]), device, rates).time;
    });
    return rates;
}

}  // namespace

std::vector<FitParameter> parameters_of(GemmRates& rates) {
    std::vector<FitParameter> parameters = simple_parameters(rates);
    for (auto& [name, kernel] : rates.kernels) {
        const auto begin = static_cast<std::ptrdiff_t>(parameters.size());
        add_parameters(kernel, parameters);
        if (!kernel_named(name, 1)) {
            std::for_each(parameters.begin() + begin, parameters.end(),
                          [](FitParameter& parameter) { parameter.pull *= stronger_for_groups; });
        }
    }
    if (rates.kernels.empty()) {
        add_parameters(rates.usual, parameters);
    }
    return parameters;
}

std::vector<FitParameter> parameters_of(StreamingRates& rates) {
    return simple_parameters(rates);
}

std::vector<FitParameter> parameters_of(ConvolutionRates& rates) {
    return simple_parameters(rates);
}

DeviceRates fit_rates(std::span<const ProblemRow* const> rows, const DeviceDescription& device) {
    std::map<std::string, std::vector<const ProblemRow*>> classes;
    for (const ProblemRow* const row : rows) {
        classes[row->problem_class].push_back(row);
    }
    DeviceRates rates;
    std::vector<std::span<const ProblemRow* const>> gradients;  // of attention; fitted last
    for (const auto& [name, members] : classes) {
        if (const auto* product = std::get_if<GemmRow>(&members.front()->problem)) {
            if (device.kind == DeviceKind::tpu) {
                continue;  // only training steps: systolic_rates()
            }
            require_processors(device, product->problem.arithmetic);
            rates.gemm.emplace(name, fitted_products(members, device));
        } else if (std::holds_alternative<ConvolutionRow>(members.front()->problem)) {
            require_processors(device, convolution_of(*members.front()).problem.arithmetic);
            rates.convolution.emplace(name, fitted_convolutions(members, device));
        } else if (std::holds_alternative<AttentionRow>(members.front()->problem)) {
            if (attention_of(*members.front()).problem.phase() == AttentionPhase::backward) {
                gradients.emplace_back(members);
            } else {
                add_fitted_attention(members, device, rates);
            }
        } else if (std::holds_alternative<RecurrentProblem>(members.front()->problem)) {
            rates.recurrent.emplace(name, fitted_recurrent(members, device));
        } else if (std::holds_alternative<TrainingStepProblem>(members.front()->problem)) {
            rates.training_step.emplace(name, fitted_steps(members, device));
        } else {
            rates.streaming.emplace(name, fitted_streaming(members, device));
        }
    }
    for (const auto& members : gradients) {
        add_fitted_attention(members, device, rates);
    }
    return rates;
}

}  // namespace strata
