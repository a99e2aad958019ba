// SPDX-License-Identifier: MIT
#include "run/algorithms.h"

#include "measure/sampler.h"
#include "op/convention.h"

#include <algorithm>
#include <array>

namespace strata {

namespace {

AlgorithmComparison empty_comparison(const Graph& graph, const Execution& execution,
                                     std::string device) {
    return {.network = graph.name,
            .batch = batch_of(graph),
            .dtype = std::string(name_of(execution.numerics.dtype)),
            .device = std::move(device),
            .results = {}};
}

AlgorithmResult result_for(const Graph& graph, const DistinctLayer& distinct, Pass pass) {
    const Layer& layer = graph.layers[distinct.layer];
    AlgorithmResult result;
    result.layer = layer.name;
    result.problem = distinct.problem;
    result.layers = distinct.layers;
    result.pass = pass;
    result.flops =
        count(layer.op, signature_of(graph, layer), pass, conventions().front(), UpdateCost{});
    return result;
}

// A network of one layer, iterated.
class LayerIteration final : public Iteration {
public:
    explicit LayerIteration(Executable& executable) : executable_(executable) {}
    Seconds run() override { return executable_.run(); }
    Seconds run_timed(std::span<Seconds> parts) override { return executable_.run_timed(parts); }
    std::size_t parts() const override { return executable_.steps().size(); }

private:
    Executable& executable_;
};

struct NoCalibration {
    Seconds operator()() const { return {1e-9}; }
};

std::string exact_glob(const std::string& name) {
    std::string glob;
    for (const char c : name) {
        glob += c == '*' || c == '?' || c == '[' || c == '\\' ? '?' : c;
    }
    return glob;
}

// The passes of one layer by one algorithm; refused ones and what the engine adds around them are
// no algorithms.
std::vector<AlgorithmResult> measured_layer(const Graph& graph, const DistinctLayer& distinct,
                                            const Execution& execution, Backend& backend,
                                            const Policy& policy) {
    const Graph alone = slice(graph, exact_glob(graph.layers[distinct.layer].name));
    const auto executable = backend.prepare(alone, execution);
    LayerIteration iteration(*executable);
    SteadyClock clock;
    const SampledIteration sampled =
        sample(iteration, policy, NoCalibration(), clock, SamplerHooks{}, {});
    std::vector<AlgorithmResult> results;
    for (std::size_t i = 0; i < executable->steps().size(); ++i) {
        const Step& step = executable->steps()[i];
        if (step.kind != StepKind::compute || step.pass == Pass::update || !step.runs()) {
            continue;
        }
        AlgorithmResult& result = results.emplace_back(result_for(graph, distinct, step.pass));
        result.implementation = step.implementation;
        result.notes = step.algorithm;
        result.layout = step.layout;
        result.workspace = step.workspace;
        result.time = sampled.parts[i];
    }
    return results;
}

bool is_known(const std::vector<AlgorithmResult>& known, const AlgorithmResult& one) {
    return std::ranges::any_of(known, [&](const AlgorithmResult& other) {
        return other.layer == one.layer && other.pass == one.pass &&
               other.implementation == one.implementation && other.notes == one.notes;
    });
}

}  // namespace

std::vector<DistinctLayer> distinct_convolutions(const Graph& graph) {
    std::vector<DistinctLayer> distinct;
    for (LayerId id = 0; id < graph.layers.size(); ++id) {
        const Layer& layer = graph.layers[id];
        if (!is_convolution(layer.op)) {
            continue;
        }
        const std::string problem = convolution_problem(graph, layer);
        const auto found = std::ranges::find(distinct, problem, &DistinctLayer::problem);
        if (found == distinct.end()) {
            distinct.push_back({id, problem, 1});
        } else {
            ++found->layers;
        }
    }
    return distinct;
}

AlgorithmComparison offered_algorithms(const Graph& graph, const Execution& execution,
                                       AlgorithmSource& source) {
    AlgorithmComparison comparison = empty_comparison(graph, execution, source.device());
    const auto distinct = distinct_convolutions(graph);
    for (Algorithm& offered : source.algorithms(graph, execution)) {
        const auto found = std::ranges::find(distinct, offered.layer, &DistinctLayer::layer);
        if (found == distinct.end()) {
            continue;
        }
        AlgorithmResult& result =
            comparison.results.emplace_back(result_for(graph, *found, offered.pass));
        result.implementation = std::move(offered.implementation);
        result.notes = std::move(offered.notes);
        result.layout = std::move(offered.layout);
        result.workspace = offered.workspace;
        result.time = std::move(offered.time);
        result.error = offered.error;
    }
    return comparison;
}

AlgorithmComparison measured_algorithms(const Graph& graph, const Execution& execution,
                                        Backend& backend, const Policy& policy,
                                        const AlgorithmProgress& progress) {
    AlgorithmComparison comparison = empty_comparison(graph, execution, backend.info().details);
    constexpr std::array algorithms = {ConvolutionAlgorithm::direct, ConvolutionAlgorithm::winograd,
                                       ConvolutionAlgorithm::automatic};
    const auto distinct = distinct_convolutions(graph);
    for (std::size_t i = 0; i < distinct.size(); ++i) {
        progress(graph.layers[distinct[i].layer].name,
                 static_cast<double>(i) / static_cast<double>(distinct.size()));
        for (const ConvolutionAlgorithm algorithm : algorithms) {
            Execution asked = execution;
            asked.engine.algorithm = algorithm;
            asked.numerics.first_layer_gradient = FirstLayerGradient::computed;
            for (AlgorithmResult& result :
                 measured_layer(graph, distinct[i], asked, backend, policy)) {
                if (!is_known(comparison.results, result)) {
                    comparison.results.push_back(std::move(result));
                }
            }
        }
    }
    return comparison;
}

}  // namespace strata
