// SPDX-License-Identifier: MIT
#pragma once

#include "graph/execution.h"
#include "graph/graph.h"
#include "measure/measurement.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace strata {

// The version of strata's own kernels for convolutions and linear layers: raised when one of them
// becomes faster or slower or is added, so that tunings with older ones are repeated.
inline constexpr int tuned_kernels_version = 5;

// One way to compute a convolution's pass.
struct Algorithm {
    LayerId layer = 0;
    Pass pass = Pass::forward;
    std::string implementation = {};  // as the library names it: "cudnn:eng34 k2=1"
    std::string notes = {};           // "tensor cores", "winograd, nondeterministic"
    std::string layout = {};
    Bytes workspace = {};
    Measurement time = {};             // skipped: offered, not measured
    std::optional<double> error = {};  // largest difference from another algorithm without tensor
                                       // cores, over that one's largest value
};

bool is_convolution(const Op& op);

// Fully connected and recurrent layers: products with weights.
bool is_linear(const Op& op);

// Whether the algorithm of a single layer's pass can be chosen.
inline bool has_algorithms(const Op& op) {
    return is_convolution(op) || is_linear(op);
}

// The algorithm of such a layer's passes if none was chosen.
inline PassAlgorithm usual_algorithm(const Op& op) {
    return is_linear(op) ? PassAlgorithm(LinearAlgorithm::usual) : ConvolutionAlgorithm::automatic;
}

// A layer's computation as one line of text, equal for layers that compute the same, whether their
// input comes from outside or from a layer. Requires: has_algorithms.
std::string problem_text(const Graph& graph, const Layer& layer);

// Whether the choice names the layer or its problem, and an algorithm of its kind.
bool is_for(const AlgorithmChoice& choice, const Graph& graph, const Layer& layer);

// The choice for a layer's pass: the first one for its kind of layer that names its problem or the
// layer; null if there is none. Requires: has_algorithms.
const AlgorithmChoice* choice_for(const EngineOptions& engine, const Graph& graph,
                                  const Layer& layer, Pass pass);

// Knows all algorithms for a convolution; an Executable shows only the chosen one.
class AlgorithmSource {
public:
    virtual ~AlgorithmSource() = default;

    // The device that the algorithms are for: "NVIDIA H200".
    virtual std::string device() const = 0;

    // Every algorithm for every distinct convolution of the graph and each of its passes, in the
    // library's order. Of equal layers, only the first is listed.
    virtual std::vector<Algorithm> algorithms(const Graph& graph, const Execution& execution) = 0;
};

}  // namespace strata
