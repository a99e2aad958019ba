// SPDX-License-Identifier: MIT
#pragma once

#include "record/algorithm.h"
#include "report/document.h"

#include <nlohmann/json_fwd.hpp>

#include <span>
#include <vector>

namespace strata {

// Every algorithm for every different convolution of a network at one or several batches, the
// fastest of each pass first; algorithms of one rank are not distinguishable:
//
//   alexnet, batch 32, f32: algorithms of 5 different convolutions on isa AVX-512
//   layer  pass     rank  algorithm         workspace  time [ms]    rate ...  multiplications error
//   conv2  forward  1 =   winograd-4x4-5x5    25.8 MB  0.21 ± 0.01  6,750     39.5 G          2e-6
//   conv2  forward  1 =   fft-tiled           31.0 MB  0.21 ± 0.01  ...
//   conv2  forward  –     winograd-4x4-3x3          –  –¹
//
// then the cost and regret of each policy (user, heuristic, profiled), and the charts of Kim et al.
// (2017): time by algorithm and layer (Fig. 7), operations (Fig. 9), and, for several batches, time
// and memory over the batch (Fig. 8). An algorithm that was offered but not measured has no time
// but a reason.
Document algorithms_document(std::span<const AlgorithmComparison> batches);

// The table's columns: display flags are checked before anything is measured.
std::vector<Column> algorithm_columns();

// The results in the order shown: the passes of a layer together, the fastest algorithm first,
// those without a time last and in the order offered.
std::vector<const AlgorithmResult*> in_order(const AlgorithmComparison& comparison);

// Only the charts; a chart is left out if its numbers are unknown.
std::vector<Block> algorithm_charts(std::span<const AlgorithmComparison> batches);

// "algorithms" and "policies" of docs/schema/algorithms.json.
nlohmann::ordered_json algorithms_json(std::span<const AlgorithmComparison> comparisons);

}  // namespace strata
