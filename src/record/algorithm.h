// SPDX-License-Identifier: MIT
#pragma once

#include "graph/execution.h"
#include "measure/measurement.h"
#include "op/work.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// How far a result lies from sums in double precision over the same operands.
struct AlgorithmError {
    double max = 0;            // largest difference over the largest value
    double relative_l2 = 0;    // length of the vector of differences over that of the values
    std::size_t elements = 0;  // compared; fewer than the result has: drawn evenly from it
};

// The result of one way of computing a layer's pass.
struct AlgorithmResult {
    std::string layer;    // the first of those that have this problem
    std::string problem;  // as one line of text that strata can run again
    int layers = 1;       // how many have it
    Pass pass = Pass::forward;
    std::string algorithm;       // the name by which it is asked for: "direct", "fft-tiled"
    std::string implementation;  // empty where it cannot do the pass, as notes and layout are
    std::string notes;
    std::string layout;
    std::optional<Bytes> workspace;        // nothing where it cannot do the pass
    Flops flops;                           // that the pass asks for, whatever the algorithm does
    std::optional<Operations> operations;  // that the algorithm does; unknown of a library's own
    Measurement time;
    std::optional<double> error;  // a source's own: to another algorithm (backend/algorithms.h)
    std::optional<AlgorithmError> exact_error;
    std::optional<bool> is_deterministic;  // two runs gave the same bits
    bool is_heuristic = false;             // what the library chooses if it may
    bool is_asked = false;                 // what the command's --algorithm runs
    // Among those of its layer's pass, from 1; equal ranks cannot be distinguished. 0: no time.
    int rank = 0;
};

// How the samples of one layer's algorithms were taken: each algorithm's in a row, or in rounds in
// which they took turns, so that the n-th samples of all belong together.
enum class AlgorithmSampling { in_a_row, in_turn };

// All of a network on one device.
struct AlgorithmComparison {
    std::string network;
    std::int64_t batch = 1;
    std::string dtype;
    std::string device;
    std::vector<AlgorithmResult> results = {};
    Bytes memory = {};  // of the whole network at its peak, without workspaces
    AlgorithmSampling sampling = AlgorithmSampling::in_a_row;
    std::string asked = "direct";  // the value of --algorithm
};

// Choices as one line of text, the first that fits a layer first:
// "conv* forward=winograd-4x4-3x3+conv1 backward_data=brgconv:avx2 (tuned)". What names a layer's
// problem or is a glob of layers, a pass, an algorithm or the library's own implementation, and
// where the choice comes from unless it is the user's. No choices: "none".
std::string text_of(const std::vector<AlgorithmChoice>& choices);

// Inverse of text_of; a pass may also be spelt with '-'. Nothing for other text.
std::optional<std::vector<AlgorithmChoice>> parse_choices(std::string_view text);

}  // namespace strata
