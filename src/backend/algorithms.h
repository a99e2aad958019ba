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

// Of strata's own convolution kernels: raised when one of them changes its speed or is added, so
// that tunings with older ones are made anew.
inline constexpr int convolution_kernels_version = 2;

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

// A convolution as one line of text, equal for layers with the same computation: it does not matter
// whether the image comes from outside or from a layer. Requires: is_convolution.
std::string convolution_problem(const Graph& graph, const Layer& layer);

// What was decided for a layer's pass: the first of the choices that names its problem or the
// layer; null: nothing. Requires: is_convolution.
const AlgorithmChoice* choice_for(const EngineOptions& engine, const Graph& graph,
                                  const Layer& layer, Pass pass);

// Knows all algorithms for a convolution, of which an Executable shows only the chosen one.
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
