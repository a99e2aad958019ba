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

// The error of a result against sums in double precision over the same operands.
struct AlgorithmError {
    double max = 0;            // largest difference over the largest value
    double relative_l2 = 0;    // norm of the differences over the norm of the values
    std::size_t elements = 0;  // compared values; if fewer than the result's, drawn evenly
};

// The result of one algorithm for a layer's pass.
struct AlgorithmResult {
    std::string layer;    // the first layer that has this problem
    std::string problem;  // the problem as one line of text that strata can run
    int layers = 1;       // how many layers have it
    Pass pass = Pass::forward;
    std::string algorithm;       // the name in --algorithm: "direct", "fft-tiled"
    std::string implementation;  // empty, like notes and layout, if it cannot compute the pass
    std::string notes;
    std::string layout;
    std::optional<Bytes> workspace;  // nothing if it cannot compute the pass
    Flops flops;                     // operations of the pass, whatever the algorithm executes
    std::optional<Operations>
        operations;  // operations that the algorithm executes; unknown for a library's
    Measurement time;
    std::optional<double> error;  // the source's, against another algorithm (backend/algorithms.h)
    std::optional<AlgorithmError> exact_error;
    std::optional<bool> is_deterministic;  // two runs gave the same bits
    bool is_heuristic = false;             // what `auto` chooses
    bool is_asked = false;                 // the choice of --algorithm, unless that is auto
    // Its rank within its layer's pass, from 1; equal ranks are indistinguishable. 0: no time.
    int rank = 0;
};

// How the samples of one layer's algorithms were taken: one algorithm after another, or in rounds
// in which all alternated, so that the n-th samples of all belong together.
enum class AlgorithmSampling { in_a_row, in_turn };

// The algorithms of a whole network on one device.
struct AlgorithmComparison {
    std::string network;
    std::int64_t batch = 1;
    std::string dtype;
    std::string device;
    std::vector<AlgorithmResult> results = {};
    Bytes memory = {};  // peak of the whole network, without workspaces
    AlgorithmSampling sampling = AlgorithmSampling::in_a_row;
    std::string asked = "auto";  // the value of --algorithm
};

// Choices as one line of text, the first that fits a layer first: "conv*
// forward=winograd-4x4-3x3+conv1 backward_data=brgconv:avx2 (tuned)". Each choice has a layer's
// problem or a glob of layers, a pass, an algorithm or an implementation of the library, and its
// source unless that is the user. No choices: "none".
std::string text_of(const std::vector<AlgorithmChoice>& choices);

// Inverse of text_of; a pass may also be spelt with '-'. Nothing for other text.
std::optional<std::vector<AlgorithmChoice>> parse_choices(std::string_view text);

}  // namespace strata
