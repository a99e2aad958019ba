// SPDX-License-Identifier: MIT
#include "tests/backend/onednn/verified.h"

#include "backend/onednn/engine.h"
#include "backend/onednn/isa.h"

namespace strata::testing {

std::string verify_graph(const Graph& graph, const Execution& execution) {
    return verify_graph(*onednn::make_backend(), graph, execution);
}

std::string lack_of(DataType dtype) {
    return onednn::make_backend()->refusal_of(kept_execution(Mode::training, dtype));
}

std::string lack_of_winograd() {
    if (!onednn::make_backend()->info().version.starts_with("2.")) {
        return "oneDNN 3 has no Winograd convolution";
    }
    return onednn::effective_isa() == onednn::Isa::avx512
               ? std::string()
               : "oneDNN 2 has Winograd's convolution for AVX-512 alone";
}

}  // namespace strata::testing
