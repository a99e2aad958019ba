// SPDX-License-Identifier: MIT
#include "backend/cpu/convolution/winograd_codelets.h"

namespace strata::cpu::winograd {

const WinogradTable& winograd_portable() {
    using Vector = float __attribute__((vector_size(16)));
    static constexpr WinogradTable table = winograd_table<Vector>();
    return table;
}

}  // namespace strata::cpu::winograd
