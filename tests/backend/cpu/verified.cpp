// SPDX-License-Identifier: MIT
#include "tests/backend/cpu/verified.h"

#include "backend/cpu/onednn/engine.h"
#include "backend/cpu/onednn/isa.h"

namespace strata::testing {

std::string verify_graph(const Graph& graph, const Execution& execution) {
    return verify_graph(*cpu::make_backend(), graph, execution);
}

std::string lack_of(DataType dtype) {
    return cpu::make_backend()->refusal_of(kept_execution(Mode::training, dtype));
}

std::string lack_of_winograd() {
    if (!cpu::make_backend()->info().version.starts_with("2.")) {
        return "oneDNN 3 has no Winograd convolution";
    }
    return cpu::effective_isa() == cpu::Isa::avx512
               ? std::string()
               : "oneDNN 2 has Winograd's convolution only for AVX-512";
}

}  // namespace strata::testing
