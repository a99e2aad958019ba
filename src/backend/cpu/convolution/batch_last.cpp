// SPDX-License-Identifier: MIT
#include "backend/cpu/convolution/batch_last.h"

#include "backend/cpu/kernels/isa.h"

#include <algorithm>

namespace strata::cpu {

namespace batch_last {

NamedKernels widest_kernels() {
    const Isa isa = widest_isa();
    if (isa == Isa::avx512) {
        return {&kernels_avx512(), "avx512"};
    }
    return isa == Isa::avx2 ? NamedKernels{&kernels_avx2(), "avx2"}
                            : NamedKernels{&kernels_portable(), "portable"};
}

void pack_row(const RowPart& part, float* to) {
    const Index begin =
        part.row == nullptr ? part.count : std::clamp(-part.column, Index{0}, part.count);
    const Index end =
        part.row == nullptr ? part.count : std::clamp(part.width - part.column, begin, part.count);
    std::fill_n(to, begin * part.lanes, 0.0F);
    std::fill_n(to + end * part.lanes, (part.count - end) * part.lanes, 0.0F);
    if (begin == end) {
        return;
    }
    const float* from = part.row + (part.column + begin) * part.images + part.first;
    to += begin * part.lanes;
    if (part.used == part.images && part.used == part.lanes) {
        std::copy_n(from, (end - begin) * part.lanes, to);
        return;
    }
    for (Index i = begin; i < end; ++i, from += part.images, to += part.lanes) {
        std::copy_n(from, part.used, to);
        std::fill_n(to + part.used, part.lanes - part.used, 0.0F);
    }
}

}  // namespace batch_last

std::unique_ptr<PreparedConvolution> prepare_batch_last(const ConvolutionProblem& problem,
                                                        const OperandOrders&) {
    return problem.pass == Pass::backward_weights ? batch_last::prepare_weights(problem)
                                                  : batch_last::prepare_sums(problem);
}

}  // namespace strata::cpu
