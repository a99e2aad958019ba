// SPDX-License-Identifier: MIT
#include "record/engines.h"

#include <algorithm>
#include <array>

namespace strata {

namespace {

struct Engine {
    std::string_view name;
    Capabilities capabilities = {};
};

constexpr std::array engines = {
    Engine{"onednn",
           {Capability::cache_states, Capability::algorithm_choices, Capability::algorithm_trials,
            Capability::workspace_limit, Capability::layouts, Capability::separate_bias,
            Capability::fusion}},
    Engine{"cuda",
           {Capability::f16, Capability::tf32, Capability::layouts, Capability::fusion,
            Capability::algorithm_trials, Capability::workspace_limit, Capability::l1_bypass,
            Capability::profiling, Capability::cache_states, Capability::device_timeout}},
    Engine{"pytorch",
           {Capability::layouts, Capability::fusion, Capability::device_timeout,
            Capability::peer_options}},
    Engine{"tensorflow",
           {Capability::layouts, Capability::fusion, Capability::device_timeout,
            Capability::peer_options}},
    Engine{"jax",
           {Capability::layouts, Capability::fusion, Capability::device_timeout,
            Capability::peer_options}},
    Engine{"libtorch", {Capability::layouts, Capability::device_timeout, Capability::peer_options}},
    Engine{"onnxruntime",
           {Capability::fusion, Capability::device_timeout, Capability::peer_options}},
    Engine{"openvino", {Capability::fusion, Capability::device_timeout, Capability::peer_options}},
};

// Winograd tiles pay off from this many channels per group.
constexpr std::int64_t min_channels = 16;

// A tile of strata's own Winograd, which computes 4x4 results of windows of this side at once. The
// shares measured with AVX2 and AVX-512 (docs/results) over the convolutions of VGG-16 and AlexNet
// are 0.7 to 1.9 of the peak; the values here are below the middle.
struct WinogradOffer {
    std::int64_t side;
    ConvolutionAlgorithm algorithm;
    double usual_share;
};
constexpr std::array winograd_offers = {
    WinogradOffer{3, ConvolutionAlgorithm::winograd_4x4_3x3, 1.15},
    WinogradOffer{5, ConvolutionAlgorithm::winograd_4x4_5x5, 1.3},
};

// Measured likewise: 0.5 to 0.77 of the peak.
const AlgorithmOffer gemm_offer{ConvolutionAlgorithm::implicit_gemm, 0.65};

bool all_are(const Dims& dims, std::int64_t value) {
    return std::ranges::all_of(dims, [&](std::int64_t one) { return one == value; });
}

bool is_for_winograd(const Convolution& op, const Dims& x) {
    const std::int64_t channels = std::min(x[1], op.out_channels) / op.groups;
    return channels >= min_channels && all_are(op.stride, 1) && all_are(op.dilation, 1);
}

// Strata's own algorithms on a processor, for images in f32.
std::vector<AlgorithmOffer> offers_on_processors(const Convolution& op, const Dims& x) {
    std::vector<AlgorithmOffer> offers;
    for (const WinogradOffer& one : winograd_offers) {
        if (is_for_winograd(op, x) && op.kernel == Dims{one.side, one.side}) {
            offers.push_back({one.algorithm, one.usual_share});
        }
    }
    const bool is_depthwise = op.groups > 1 && op.groups == x[1];
    if (!is_depthwise) {
        offers.push_back(gemm_offer);
    }
    return offers;
}

}  // namespace

std::vector<AlgorithmOffer> offers_of(std::string_view backend, const Problem& problem, Pass pass,
                                      DataType dtype) {
    const auto* op = std::get_if<Convolution>(&problem.op);
    const bool has_own = capabilities_of(backend).has(Capability::algorithm_choices);
    if (op == nullptr || !has_own || op->kernel.size() != 2 || dtype != DataType::f32 ||
        pass == Pass::update || problem.activations.empty() ||
        problem.activations.front().tensor.dims.size() != 4 || op->groups < 1) {
        return {};
    }
    return offers_on_processors(*op, problem.activations.front().tensor.dims);
}

Capabilities capabilities_of(std::string_view backend) {
    const auto found = std::ranges::find(engines, backend, &Engine::name);
    return found == engines.end() ? Capabilities{} : found->capabilities;
}

}  // namespace strata
