// SPDX-License-Identifier: MIT
#include "backend/cpu/convolution/fft_plan.h"

namespace strata::cpu {

namespace {

bool is_fast(std::size_t size) {
    for (const std::size_t factor : {2U, 3U, 5U, 7U}) {
        while (size % factor == 0) {
            size /= factor;
        }
    }
    return size == 1;
}

}  // namespace

std::size_t fast_fft_size(std::size_t minimum) {
    while (!is_fast(minimum)) {
        ++minimum;
    }
    return minimum;
}

}  // namespace strata::cpu
