// SPDX-License-Identifier: MIT
#include "analyze/what_if.h"

#include "analyze/bottleneck.h"
#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace strata {

namespace {

bool is_relu(const Layer& layer) {
    return std::holds_alternative<Activation>(layer.op);
}

// The saving of a step whose time shrinks by `share`.
struct Saving {
    const StepResult* step = nullptr;
    double share = 1;
};

StepResult shortened(const StepResult& step, double share) {
    StepResult part = step;
    for (Seconds& time : std::get<Samples>(part.time).values) {
        time = time * share;
    }
    return part;
}

std::optional<Estimate> sum_of_savings(const std::vector<Saving>& savings) {
    std::vector<StepResult> parts;
    for (const Saving& saving : savings) {
        parts.push_back(shortened(*saving.step, saving.share));
    }
    std::vector<const StepResult*> steps;
    for (const StepResult& part : parts) {
        steps.push_back(&part);
    }
    return sum_of(steps);
}

// The root of the sum of two squared errors.
Seconds both(Seconds one, Seconds other) {
    return Seconds{std::hypot(one.value, other.value)};
}

Estimate difference(const Estimate& now, const Estimate& gain) {
    const Seconds left = now.median - gain.median;
    return {.median = left,
            .low = left - both(now.median - now.low, gain.high - gain.median),
            .high = left + both(now.high - now.median, gain.median - gain.low),
            .minimum = std::min(left, now.minimum - gain.high),
            .samples = std::min(now.samples, gain.samples)};
}

// (now - gain) / now. The iteration's error enters as a relative error of gain / now.
Ratio rest_of(const Estimate& now, const Estimate& gain) {
    const double share = gain.median / now.median;
    const double more = std::hypot((gain.high - gain.median) / now.median,
                                   share * ((now.median - now.low) / now.median));
    const double less = std::hypot((gain.median - gain.low) / now.median,
                                   share * ((now.high - now.median) / now.median));
    return {1 - share, 1 - share - more, 1 - share + less};
}

class Forecaster {
public:
    Forecaster(const Run& run, const Graph& graph, FusionMethod method)
        : run_(run), graph_(graph), method_(method), device_(ceilings_of(run)) {}

    void add(const FusedChain& chain) {
        for (const LayerId id : chain.followers) {
            const Layer& layer = graph_.layers[id];
            if (method_ == FusionMethod::traffic || is_relu(layer)) {
                add(chain, layer);
            }
        }
    }

    FusionForecast finish() {
        forecast_.now = end_to_end_of(run_);
        forecast_.gain = sum_of_savings(all_);
        if (forecast_.now && forecast_.gain) {
            forecast_.after = difference(*forecast_.now, *forecast_.gain);
            forecast_.expected = rest_of(*forecast_.now, *forecast_.gain);
        }
        return std::move(forecast_);
    }

private:
    void add(const FusedChain& chain, const Layer& layer) {
        std::vector<Saving> savings;
        std::vector<const StepResult*> steps;
        for (const StepResult& step : run_.steps) {
            const auto* samples = std::get_if<Samples>(&step.time);
            const bool counts = method_ == FusionMethod::removal || step.pass == Pass::forward;
            if (step.layer == layer.name && step.kind == StepKind::compute && counts &&
                samples != nullptr && !samples->values.empty()) {
                steps.push_back(&step);
                savings.push_back({&step, saved_share(step, layer)});
                forecast_.traffic_saved += saved_traffic(step, layer);
            }
        }
        if (steps.empty()) {
            return;
        }
        forecast_.steps_saved += steps.size();
        forecast_.layers.push_back({layer.name, graph_.layers[chain.first].name, kind_of(layer.op),
                                    *sum_of(steps), *sum_of_savings(savings)});
        all_.insert(all_.end(), savings.begin(), savings.end());
    }

    // The sum's other operand is read as before.
    Bytes kept_traffic(const StepResult& step, const Layer& layer) const {
        const bool is_sum = std::holds_alternative<Elementwise>(layer.op);
        return is_sum && method_ == FusionMethod::traffic ? step.written : Bytes{};
    }

    // The result is written as before, instead of the tensor between the layers.
    Bytes saved_traffic(const StepResult& step, const Layer& layer) const {
        return step.read + step.written - kept_traffic(step, layer);
    }

    double saved_share(const StepResult& step, const Layer& layer) const {
        const Bytes traffic = step.read + step.written;
        const double by_traffic = traffic > Bytes{} ? saved_traffic(step, layer) / traffic : 1;
        if (method_ == FusionMethod::removal || device_ == nullptr) {
            return by_traffic;
        }
        const Seconds median = estimate(std::get<Samples>(step.time)).median;
        const StepBound bound = bound_of(step, median, *device_, arithmetic_of(run_.settings));
        const double arithmetic = bound.compute ? *bound.compute / median : 0;
        return std::clamp(std::min(by_traffic, 1 - arithmetic), 0.0, 1.0);
    }

    const Run& run_;
    const Graph& graph_;
    FusionMethod method_;
    const Device* device_;
    std::vector<Saving> all_;
    FusionForecast forecast_;
};

}  // namespace

std::vector<FusedChain> chains_in(const Graph& graph, Mode mode, FusionScope scope) {
    std::vector<FusedChain> chains = fused_chains(graph, mode);
    if (scope == FusionScope::all) {
        return chains;
    }
    std::erase_if(chains, [&](const FusedChain& chain) {
        return !is_relu(graph.layers[chain.followers.front()]);
    });
    return chains;
}

FusionForecast forecast_of_fusion(const Run& run, const Graph& graph, FusionScope scope,
                                  FusionMethod method) {
    if (run.settings.execution.engine.fusion != Fusion::none) {
        throw Error(fmt::format("run {} is fused already: choose one without --fuse", run.id),
                    ExitCode::usage);
    }
    Forecaster forecaster(run, graph, method);
    for (const FusedChain& chain : chains_in(graph, run.settings.execution.numerics.mode, scope)) {
        forecaster.add(chain);
    }
    FusionForecast forecast = forecaster.finish();
    if (forecast.layers.empty()) {
        throw Error(fmt::format("nothing in run {} of {} can be fused by {}: no such layer is the "
                                "only reader of a convolution or a fully connected layer",
                                run.id, printable(run.settings.network), name_of(scope)),
                    ExitCode::usage);
    }
    return forecast;
}

bool agree(const Ratio& predicted, const Ratio& measured) {
    return predicted.low <= measured.high && measured.low <= predicted.high;
}

}  // namespace strata
