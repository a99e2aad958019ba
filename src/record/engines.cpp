// SPDX-License-Identifier: MIT
#include "record/engines.h"

#include "graph/expected_algorithm.h"

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
           {Capability::f16, Capability::tf32, Capability::layouts, Capability::fusion,
            Capability::algorithm_trials, Capability::device_timeout, Capability::peer_options}},
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

// What direct convolution reaches of the peak on processors with AVX2 and AVX-512: 0.8 to 0.95 in
// the forward passes of the networks to which the expectations were fitted.
constexpr double direct_share = 0.85;

// The rates with wider vectors hardly differ.
constexpr int avx2_bits = 256;

// 0.5 to 0.77 of the peak over the convolutions of VGG-16 and AlexNet (docs/results). Those of 1x1
// windows take 1.05 to 3 times as long as direct ones.
const AlgorithmOffer gemm_offer{ConvolutionAlgorithm::implicit_gemm, 0.65};

// Strata's own algorithms on a processor, for images in f32.
std::vector<AlgorithmOffer> offers_on_processors(const Problem& problem, const Convolution& op,
                                                 Pass pass) {
    const Signature signature = signature_of(problem);
    const Tensor& x = problem.activations.front().tensor;
    std::vector<AlgorithmOffer> offers;
    if (const auto expected = faster_than_direct(
            {.op = op, .x = x, .y = signature.outputs.front(), .pass = pass}, avx2_bits)) {
        offers.push_back({expected->algorithm, direct_share / expected->time_share});
    }
    const bool is_depthwise = op.groups > 1 && op.groups == x.dims[1];
    if (!is_depthwise && product(op.kernel) > 1) {
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
    return offers_on_processors(problem, *op, pass);
}

Capabilities capabilities_of(std::string_view backend) {
    const auto found = std::ranges::find(engines, backend, &Engine::name);
    return found == engines.end() ? Capabilities{} : found->capabilities;
}

}  // namespace strata
