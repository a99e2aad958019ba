// SPDX-License-Identifier: MIT
#pragma once

#include "predict/attention.h"
#include "predict/convolution.h"
#include "predict/gemm.h"
#include "predict/recurrent.h"
#include "predict/streaming.h"
#include "predict/training_step.h"

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace strata {

// A product and the kernel that ran it, if the table says so.
struct GemmRow {
    GemmProblem problem;
    std::optional<GemmKernel> kernel = {};
};

// Attention by the algorithm that the table names; by the faster one if it names none.
struct AttentionRow {
    AttentionProblem problem;
    std::optional<AttentionAlgorithm> algorithm = {};
    std::string library = {};  // whose kernels ran it, as the table calls it; or nothing
};

// The class of fused attention in 16 bits: "attention 16 bits decode", followed by the library's
// name for that of one library.
std::string attention_class(AttentionPhase phase, std::string_view library);

// A convolution and what ran it, if the table says so.
struct ConvolutionRow {
    ConvolutionProblem problem;
    std::optional<ConvolutionKernel> kernel = {};
};

// The class of products of 16-bit numbers that are added in fp32.
inline constexpr std::string_view products_of_16_bits = "gemm 16 bits";

// A line of a table of problems.
struct ProblemRow {
    std::vector<std::string> fields = {};  // as in the table
    std::size_t time_field = 0;            // index of the measured time; fields.size(): none
    std::string device = {};               // as the table calls it; empty: no such column
    // Problems whose rates are fitted together: "linear", "bmm", "gemm fp32", "gemm 16 bits",
    // "softmax by warps", "recurrent fp32 forward", "convolution fp32 backward_data", "attention 16
    // bits decode vllm".
    std::string problem_class = {};
    std::variant<GemmRow, StreamingProblem, ConvolutionRow, RecurrentProblem, TrainingStepProblem,
                 AttentionRow>
        problem = {};
    std::optional<Seconds> measured = {};
};

// Problems with measured times, as public data sets publish them.
struct ProblemTable {
    std::vector<std::string> columns = {};
    std::vector<ProblemRow> rows = {};
};

// A table in CSV with one of these headers, in any order; other columns are kept:
//
//   device, op, batch, m, n, k, milliseconds, kernel, grid, block      (NeuSight's products)
//   device, op, precision, rows, columns, milliseconds                 (NeuSight's other operators)
//   device, precision, m, n, k, a_transposed, b_transposed, milliseconds     (DeepBench's products)
//   device, precision, batch, heads, kv_heads, queries, keys, width, window, cache, mask, pass,
//   algorithm, library, milliseconds                                             (attention)
//   device, layers, nodes, inputs, outputs, batch, milliseconds   (steps of ParaDnn's networks)
//   device, precision, cell, hidden, batch, timesteps, pass, milliseconds    (its recurrent layers)
//
//   device, n, c, hw, k, rs, stride, pad, milliseconds, kernels           (NeuSight's convolutions)
//   device, precision, n, c, h, w, k, r, s, pad_h, pad_w, stride_h, stride_w, dilation_h,
//   dilation_w, groups, pass, algorithm, milliseconds                               (DeepBench's)
//
// milliseconds, kernel, grid, block, kernels, device, precision of other operators, kv_heads,
// window, cache, mask, pass, algorithm, library, dilation_h, dilation_w and groups may be absent,
// except a convolution's pass.
// DeepBench's recurrent layers run step by step, and the gradients of their weights are products.
// Throws Error that names the line if a number is invalid, and if the header is another one.
ProblemTable read_problems(std::string_view csv, std::string_view origin);

// The same for a file, or for ParaDnn's results in JSON (predict/training_step.h), which do not
// name a device: those in a file called tpu_... ran on a TPU v2. Also throws Error if the file
// cannot be read.
ProblemTable read_problem_file(const std::string& path);

}  // namespace strata
