// SPDX-License-Identifier: MIT
#include "backend/cpu/onednn/convolution_choice.h"

#include "backend/algorithms.h"
#include "backend/cpu/convolution/winograd.h"
#include "base/enumeration.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace strata::cpu {

namespace {

using dnnl::algorithm;

// Larger tiles first; 6x6 only on request, because its transforms lose more digits.
constexpr std::array<std::string_view, 2> tiles_of_3x3 = {"winograd-4x4-3x3", "winograd-2x2-3x3"};
constexpr std::array<std::string_view, 2> tiles_of_5x5 = {"winograd-4x4-5x5", "winograd-2x2-5x5"};

// The library's own Winograd is faster, if it exists.
std::vector<ConvolutionWay> winograd_ways(const Convolution& op) {
    std::vector<ConvolutionWay> ways = {LibraryWay{algorithm::convolution_winograd}};
    for (const std::string_view tile : op.kernel == Dims{3, 3} ? tiles_of_3x3 : tiles_of_5x5) {
        ways.emplace_back(OwnWay{tile});
    }
    return ways;
}

// Why no tile is worth trying; empty if one may be.
std::string unfit_for_winograd(const Graph& graph, const Layer& layer) {
    const auto* op = std::get_if<Convolution>(&layer.op);
    if (op == nullptr) {
        return "it needs a plain convolution";
    }
    const std::int64_t inputs = graph.tensors[layer.inputs[0]].tensor.dims[1] / op->groups;
    const bool is_grouped = op->groups > 1;
    const std::int64_t channels =
        is_grouped ? std::min(inputs, op->out_channels / op->groups) : inputs;
    if (channels < winograd::min_channels) {
        return fmt::format("{} channels{}: it needs {}", channels, is_grouped ? " in a group" : "",
                           winograd::min_channels);
    }
    const bool has_tiles = op->kernel == Dims{3, 3} || op->kernel == Dims{5, 5};
    return has_tiles ? "" : "it needs windows of 3x3 or 5x5";
}

// Whether the batch of images is requested last, for which the library has only slow loops.
bool is_batch_last(const EngineOptions& engine, const Layer& layer) {
    const auto* op = std::get_if<Convolution>(&layer.op);
    return engine.image_layout == ImageLayout::batch_last && op != nullptr &&
           op->kernel.size() == 2;
}

std::vector<ConvolutionWay> ways_of(ConvolutionAlgorithm asked, const Layer& layer) {
    switch (asked) {
        case ConvolutionAlgorithm::direct:
        case ConvolutionAlgorithm::automatic:
        case ConvolutionAlgorithm::fastest:
            return {};
        case ConvolutionAlgorithm::winograd:
            return winograd_ways(std::get<Convolution>(layer.op));
        default:
            return {OwnWay{name_of(asked)}};
    }
}

}  // namespace

AskedAlgorithm asked_algorithm(const Lowering& lowering, const Layer& layer, Pass pass) {
    const Graph& graph = lowering.graph();
    const EngineOptions& engine = lowering.execution().engine;
    const AlgorithmChoice* choice = choice_for(engine, graph, layer, pass);
    AskedAlgorithm asked;
    if (choice != nullptr && !choice->implementation.empty()) {
        asked.name = choice->implementation;
        asked.ways = {LibraryWay{algorithm::convolution_direct, choice->implementation},
                      LibraryWay{algorithm::convolution_winograd, choice->implementation}};
    } else {
        const ConvolutionAlgorithm named =
            choice == nullptr ? engine.algorithm
                              : std::get<ConvolutionAlgorithm>(choice->algorithm.kind);
        asked.name = name_of(named);
        if (named == ConvolutionAlgorithm::winograd) {
            asked.refusal = unfit_for_winograd(graph, layer);
        }
        asked.is_open =
            named == ConvolutionAlgorithm::automatic || named == ConvolutionAlgorithm::fastest;
        if (asked.refusal.empty()) {
            asked.ways = ways_of(named, layer);
        }
    }
    asked.source = choice == nullptr ? "" : name_of(choice->source);
    asked.ways.push_back(is_batch_last(engine, layer) ? ConvolutionWay{OwnWay{direct_method}}
                                                      : ConvolutionWay{LibraryWay{}});
    return asked;
}

void AskedAlgorithm::expect(std::string_view method) {
    ways.emplace_back(OwnWay{method});
    std::ranges::rotate(ways, ways.end() - 1);
    source = source.empty() ? name_of(ChoiceSource::model) : source;
}

StepChoice choice_of(const AskedAlgorithm& asked, std::size_t taken, const std::string& refusal) {
    const std::string& reason = refusal.empty() ? asked.refusal : refusal;
    const bool is_last = taken + 1 == asked.ways.size();
    if (is_last && asked.is_open) {
        return {};  // nothing was asked that it falls short of
    }
    return {asked.name, asked.source, is_last ? reason : ""};
}

StepChoice choice_of_direct(const Lowering& lowering, const Layer& layer, Pass pass) {
    const AskedAlgorithm asked = asked_algorithm(lowering, layer, pass);
    const bool asks_for_ours = std::ranges::any_of(
        asked.ways, [](const auto& way) { return std::holds_alternative<OwnWay>(way); });
    return choice_of(asked, asked.ways.size() - 1,
                     asks_for_ours ? "strata has it only for plain convolutions" : "");
}

std::string algorithm_of(std::string_view implementation) {
    if (implementation.find("wino") != implementation.npos) {
        return "winograd";
    }
    return implementation.find("gemm") != implementation.npos &&
                   implementation.find("brgemm") == implementation.npos
               ? "gemm"
               : "direct";
}

}  // namespace strata::cpu
