// SPDX-License-Identifier: MIT
#pragma once

#include "predict/convolution.h"
#include "predict/gemm.h"
#include "predict/streaming.h"

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace strata {

// A product with the kernel that ran it, where the table says so.
struct GemmRow {
    GemmProblem problem;
    std::optional<GemmKernel> kernel = {};
};

// A convolution with what ran it, where the table says so.
struct ConvolutionRow {
    ConvolutionProblem problem;
    std::optional<ConvolutionKernel> kernel = {};
};

// Why a row cannot be predicted: "recurrent layers cannot be predicted yet".
struct Unpredictable {
    std::string reason;
};

// A line of a table of problems.
struct ProblemRow {
    std::vector<std::string> fields = {};  // as they are in the table
    std::size_t time_field = 0;            // which of them is the measured time; their number: none
    std::string device = {};               // as the table calls it; empty: it has no such column
    // Problems whose rates are fitted together: "linear", "bmm", "gemm fp32", "softmax by warps",
    // "convolution backward-data fp32".
    std::string problem_class = {};
    std::variant<Unpredictable, GemmRow, StreamingProblem, ConvolutionRow> problem = {};
    std::optional<Seconds> measured = {};
};

// Problems with measured times, as public data sets publish them.
struct ProblemTable {
    std::vector<std::string> columns = {};
    std::vector<ProblemRow> rows = {};
};

// A table in CSV with one of these headers, in any order; further columns are kept:
//
//   device, op, batch, m, n, k, milliseconds, kernel, grid, block      (NeuSight's products)
//   device, op, rows, columns, milliseconds                            (NeuSight's other operators)
//   device, precision, m, n, k, a_transposed, b_transposed, milliseconds     (DeepBench's products)
//
//   device, n, c, hw, k, rs, stride, pad, milliseconds, kernels              (NeuSight's
//   convolutions) device, precision, n, c, h, w, k, r, s, pad_h, pad_w, stride_h, stride_w, pass,
//   algorithm, milliseconds (DeepBench's)
//
// milliseconds, kernel, grid, block, kernels, algorithm and device may be absent. Tables of
// recurrent layers are read, and their rows are unpredictable. Throws Error that names the line
// where a number is none, and where the header is another.
ProblemTable read_problems(std::string_view csv, std::string_view origin);

// The same of a file. Throws Error also where it cannot be read.
ProblemTable read_problem_file(const std::string& path);

}  // namespace strata
