// SPDX-License-Identifier: MIT
#pragma once

#include "predict/network.h"
#include "predict/sensitivity.h"
#include "record/run.h"
#include "report/document.h"

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// A network's prediction with its inputs.
struct PredictedNetwork {
    const Graph& graph;
    const NetworkPrediction& prediction;
    const DeviceModel& device;
    std::string title;  // "alexnet, batch 128, training, f32 on gtx-1080"
};

// Explains the predicted times of the layers that match a glob:
//
//   conv2 forward takes 1.59 ms: ampere_sgemm_128x64_nn in 264 blocks of 128 x 64 ...
//   kernel  term        time      binds
//   ...     arithmetic  1.42 ms   yes
//   The next best kernel ... would take 1.7 ms.
//   What would help: ...
//
// Throws Error if no layer matches.
Document explanation_document(const PredictedNetwork& network, std::string_view layers);

// The value of each resource for the whole and for every step, and which upgrade pays:
//
//   layer  pass     time    compute  latency  l2_bandwidth  l2_size  dram_bandwidth  launch  sum
//   conv1  forward  812 µs  0.93     0.01     ...                                             1.00
//
//   upgrade         1x       2x       4x       8x
//   dram_bandwidth  12.1 ms  10.4 ms  ...
Document sensitivity_document(const PredictedNetwork& network, const Sensitivity& sensitivity,
                              std::span<const UpgradeCurve> curves);

// The multiples of a resource that `sensitivity_document` shows.
inline constexpr std::array upgrade_factors = {1.0, 2.0, 4.0, 8.0};

// The same blocks, recomputed for a stored prediction; none if its network is a file, which may
// have changed, or its device is no longer described.
std::vector<Block> sensitivity_blocks(const Run& run);

}  // namespace strata
