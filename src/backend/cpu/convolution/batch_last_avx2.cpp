// SPDX-License-Identifier: MIT
#include "backend/cpu/convolution/batch_last_codelets.h"

namespace strata::cpu::batch_last {

const Kernels& kernels_avx2() {
    using Vector = float __attribute__((vector_size(32)));
    static constexpr Kernels kernels = kernels_of<Vector, 6, 4, 3>();
    return kernels;
}

}  // namespace strata::cpu::batch_last
