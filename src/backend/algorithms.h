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

// One way in which a convolution's pass can be computed.
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

// A convolution as one line of text, equal for layers that are computed alike: whether its image
// comes from outside or from a layer makes no difference. Requires: is_convolution.
std::string convolution_problem(const Graph& graph, const Layer& layer);

// Where ways are known that an Executable does not show, because it has chosen.
class AlgorithmSource {
public:
    virtual ~AlgorithmSource() = default;

    // What the choice is on: "NVIDIA H200".
    virtual std::string device() const = 0;

    // Every algorithm for every different convolution of the graph and each of its passes, in the
    // library's order: of equal layers the first.
    virtual std::vector<Algorithm> algorithms(const Graph& graph, const Execution& execution) = 0;
};

}  // namespace strata
