// SPDX-License-Identifier: MIT
#include "backend/cpu/onednn/lowering.h"
#include "backend/cpu/onednn/view_calls.h"

namespace strata::cpu {

// By loops over all of memory: the library's sum uses its reference implementation, which is a
// hundred times slower, for padded blocks and for many narrow terms.
Lowering::Work Lowering::sum_of(const std::vector<TensorView>& terms, const TensorView& sum) {
    return {{"strata:loops", text_of(sum.desc)},
            {},
            {sum_call(terms, sum, stored_elements_of(sum.desc))}};
}

}  // namespace strata::cpu
