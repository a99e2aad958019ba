// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/program.h"
#include "graph/execution.h"

namespace strata::cuda {

// A stack of matrices in memory: rows are `row_stride` elements apart, matrices `batch_stride`. If
// `transposed`, the product uses its columns as rows.
struct Matrix {
    ElementType type = ElementType::f32;
    std::int64_t row_stride = 0;
    std::int64_t batch_stride = 0;
    bool transposed = false;
};

// y[m,n] = scale a[m,k] b[k,n] (+ y, + bias[n]), for each matrix of a batch. Sums are f32;
// `single_precision` says how f32 operands are multiplied.
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
    int choice = 0;  // index into the heuristic's list of algorithms, best first
};

// The product by cuBLASLt. Views: a, b, y, bias. Finalizing it throws DeviceError (library_refused)
// if the library has no algorithm for that choice.
Call matmul_call(const Matmul& matmul, std::vector<TensorView> views);

// Its name in a step: "cublaslt".
inline constexpr const char* matmul_implementation = "cublaslt";

}  // namespace strata::cuda
