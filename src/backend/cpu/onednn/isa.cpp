// SPDX-License-Identifier: MIT
#include "backend/cpu/onednn/isa.h"

#include "backend/cpu/onednn/compat.h"
#include "measure/kernels/tiles.h"

namespace strata::cpu {

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

bool has_tiles() {
    static const bool allowed = allow_tiles();
    return allowed && library_uses(dnnl::cpu_isa::avx512_core_amx);
}

int vector_bits() {
    const Isa isa = effective_isa();
    return isa == Isa::avx512 ? 512 : isa == Isa::avx2 ? 256 : 128;
}

}  // namespace strata::cpu
