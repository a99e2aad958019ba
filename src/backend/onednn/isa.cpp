// SPDX-License-Identifier: MIT
#include "backend/onednn/isa.h"

#include "backend/onednn/compat.h"

#include <array>

namespace strata::onednn {

std::string_view text_of(Isa isa) {
    constexpr std::array<std::string_view, 5> texts = {"x86-64", "SSE4.1", "AVX", "AVX2",
                                                       "AVX-512"};
    return texts[static_cast<std::size_t>(isa)];
}

Isa effective_isa() {
    if (library_uses(dnnl::cpu_isa::avx512_core)) {
        return Isa::avx512;
    }
    if (library_uses(dnnl::cpu_isa::avx2)) {
        return Isa::avx2;
    }
    if (library_uses(dnnl::cpu_isa::avx)) {
        return Isa::avx;
    }
    return library_uses(dnnl::cpu_isa::sse41) ? Isa::sse41 : Isa::baseline;
}

}  // namespace strata::onednn
