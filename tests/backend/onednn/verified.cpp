// SPDX-License-Identifier: MIT
#include "tests/backend/onednn/verified.h"

#include "backend/onednn/engine.h"

namespace strata::testing {

std::string verify_graph(const Graph& graph, const Execution& execution) {
    return verify_graph(*onednn::make_backend(), graph, execution);
}

}  // namespace strata::testing
