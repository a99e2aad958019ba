// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/convolution/method.h"
#include "backend/cpu/kernels/isa.h"

#include <array>
#include <string>
#include <vector>

// Compares a convolution method with an independent convolution in double precision.
namespace strata::cpu {

inline constexpr std::array tested_passes = {Pass::forward, Pass::backward_data,
                                             Pass::backward_weights};
inline constexpr std::array tested_isas = {Isa::avx512, Isa::avx2, Isa::baseline};

// Limits our loops to an instruction set while it lives; afterwards they use the processor's.
struct CappedIsa {
    explicit CappedIsa(Isa isa) { cap_isa(isa); }
    ~CappedIsa() { cap_isa(Isa::avx512); }
};

// A problem by its extents, with defaults for those not named. y's extents follow from them.
struct ProblemShape {
    Dims x;       // [N, C, H, W] or [N, C, W]
    Dims filter;  // [K, R, S] or [K, S]
    Dims stride = {};
    Dims dilation = {};
    Dims pad_begin = {};
    Dims pad_end = {};
    std::int64_t groups = 1;
    bool bias = false;
    bool sum = false;
    bool relu = false;
    bool constant_weights = false;
    int threads = 2;
};
ConvolutionProblem problem_of(Pass pass, const ProblemShape& shape);

// Extents that fill no vector, block or tile, with strides, padding, dilation and groups, for
// methods that support them all.
std::vector<ProblemShape> ragged_shapes();

std::string text_of(const ConvolutionProblem& problem);

// The method of this name; a failed check if there is none.
const ConvolutionMethod& method_named(std::string_view name);

// The outcome of a run, after the method computed what it keeps of constant weights. Operands and
// workspace had exactly the stated sizes, with guard values on both sides; results and workspace
// began as NaN.
struct Outcome {
    std::string implementation;
    OperandOrders orders;
    std::vector<float> result;  // y or the gradient of x or of the weights, in plain order
    std::vector<float> bias_gradient;
    std::vector<double> expected;
    std::vector<double> expected_bias_gradient;
    // In words: a write outside an operand, a changed input, nonzero padding channels of a block, a
    // sum that differs if it is written over its addend.
    std::vector<std::string> faults;

    // The largest difference over the largest magnitude expected; infinite if a result is NaN.
    double max_error() const;
    double max_bias_error() const;
    // The L2 norm of the difference over that of the expected values.
    double relative_l2() const;
};

// Throws Refusal if the method refuses.
Outcome outcome_of(const ConvolutionMethod& method, const ConvolutionProblem& problem,
                   const OperandOrders& preferred = {});

// The reason for the refusal; empty if the method accepts the problem.
std::string refusal_of(const ConvolutionMethod& method, const ConvolutionProblem& problem);

}  // namespace strata::cpu
