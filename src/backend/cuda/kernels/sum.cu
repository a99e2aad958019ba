// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/reduction.h"

#include "backend/cuda/kernels/map.cuh"

namespace strata::cuda {

namespace {

template <int Terms>
struct Sum {
    __device__ void operator()(std::int64_t, const float* terms, float* sum) const {
        float total = terms[0];
        for (int k = 1; k < Terms; ++k) {
            total += terms[k];
        }
        sum[0] = total;
    }
};

template <int Terms>
Call sum_call(std::span<const TensorView> terms, const TensorView& sum) {
    std::array<ElementType, Terms + 1> types;
    types.fill(sum.format.type);
    Call call = {map<Terms, 1>("strata:sum", product(sum.dims), types, Sum<Terms>()), {}};
    call.views.assign(terms.begin(), terms.end());
    call.views.push_back(sum);
    return call;
}

Call sum_call_of(std::span<const TensorView> terms, const TensorView& sum) {
    switch (terms.size()) {
        case 2:
            return sum_call<2>(terms, sum);
        case 3:
            return sum_call<3>(terms, sum);
        default:
            return sum_call<4>(terms.first(4), sum);
    }
}

}  // namespace

std::vector<Call> sum_calls(const std::vector<TensorView>& terms, const TensorView& sum) {
    std::vector<TensorView> rest = terms;
    std::vector<Call> calls;
    while (rest.size() > 1) {
        const auto taken = static_cast<std::ptrdiff_t>(std::min<std::size_t>(rest.size(), 4));
        calls.push_back(sum_call_of(rest, sum));
        rest.erase(rest.begin(), rest.begin() + taken);
        rest.insert(rest.begin(), sum);
    }
    return calls;
}

}  // namespace strata::cuda
