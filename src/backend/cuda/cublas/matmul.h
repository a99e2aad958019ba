// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/program.h"
#include "graph/execution.h"

namespace strata::cuda {

// A stack of matrices in memory: rows lie `row_stride` elements apart, matrices `batch_stride`.
// `transposed`: the product takes its columns for rows.
struct Matrix {
    ElementType type = ElementType::f32;
    std::int64_t row_stride = 0;
    std::int64_t batch_stride = 0;
    bool transposed = false;
};

// y[m,n] = scale a[m,k] b[k,n] (+ y, + bias[n]), for each of a batch. Sums are f32, of f32 operands
// by `single_precision`.
struct Matmul {
    std::int64_t m = 0;
    std::int64_t n = 0;
    std::int64_t k = 0;
    std::int64_t batch = 1;
    Matrix a = {};
    Matrix b = {};
    Matrix y = {};
    float scale = 1;
    bool accumulates = false;
    bool has_bias = false;  // of y's type
    SinglePrecision single_precision = SinglePrecision::full;
    int choice = 0;  // of the algorithms that the library's heuristic names, its first choice first
};

// The product by cuBLASLt. Views: a, b, y, bias. Settling it throws DeviceError (library_refused)
// where the library has no algorithm of that choice.
Call matmul_call(const Matmul& matmul, std::vector<TensorView> views);

// Its text for a step: "cublaslt".
inline constexpr const char* matmul_implementation = "cublaslt";

}  // namespace strata::cuda
