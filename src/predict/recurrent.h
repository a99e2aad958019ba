// SPDX-License-Identifier: MIT
#pragma once

#include "predict/gemm.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace strata {

enum class RecurrentCell { vanilla, lstm, gru };
inline constexpr std::array<std::string_view, 3> names_of(RecurrentCell) {
    return {"vanilla", "lstm", "gru"};
}

// `backward` is backward_data and backward_weights together, as some libraries run them.
enum class RecurrentPass { forward, backward_data, backward_weights, backward };
inline constexpr std::array<std::string_view, 4> names_of(RecurrentPass) {
    return {"forward", "backward_data", "backward_weights", "backward"};
}

// A layer of recurrent cells over a sequence. Its input enters each gate as it is (cuDNN's
// skip-input), so that all arithmetic is that of the hidden weights, gates hidden x hidden. A layer
// with weights for its input also takes the product of input_product().
struct RecurrentProblem {
    RecurrentCell cell = RecurrentCell::lstm;
    std::int64_t hidden = 1;
    std::int64_t batch = 1;
    std::int64_t steps = 1;
    RecurrentPass pass = RecurrentPass::forward;
    Arithmetic arithmetic = Arithmetic::f32;
    double element_bytes = 4;

    double gates() const;  // 1, 4 and 3
    Bytes weights() const;
    Flops flops() const;  // of the pass
};

// The gradient of the hidden weights: one product over all steps and sequences.
GemmProblem weights_product(const RecurrentProblem& problem);

// What the weights of an input with so many features cost before the first step: one product.
GemmProblem input_product(const RecurrentProblem& problem, std::int64_t features);

// How a library runs the steps: each by a product of its own, or all by one kernel that keeps the
// weights in registers and shared memory (Diamos et al., "Persistent RNNs: stashing recurrent
// weights on-chip", ICML 2016).
enum class RecurrentAlgorithm { stepwise, persistent };
inline constexpr std::array<std::string_view, 2> names_of(RecurrentAlgorithm) {
    return {"stepwise", "persistent"};
}

// What a step's product reaches.
struct StepRates {
    double efficiency = 0.5;  // of the device's peak
    Seconds multiply{60e-9};  // latency of a multiply-add along k
};

// Rates of one pass on a device. Each is positive; a fit moves them.
struct RecurrentRates {
    Seconds launch{50e-6};  // of the whole layer
    // A step's launches and elementwise operations, by cell.
    std::array<Seconds, 3> step = {Seconds{20e-6}, Seconds{20e-6}, Seconds{20e-6}};
    // What each of the first steps takes besides, until launches run ahead of the device.
    Seconds first_step{20e-6};
    double first_steps = 100;
    // With 16 sequences or fewer, 32, 64, and 128 or more; what is between two of them is between
    // their rates. Libraries take other kernels for each, and not always fast ones: a step of 32
    // may take longer than one of 64.
    std::array<StepRates, 4> by_batch = {StepRates{.efficiency = 0.15},
                                         StepRates{.efficiency = 0.4}, StepRates{.efficiency = 0.6},
                                         StepRates{.efficiency = 0.8}};
    double dram_efficiency = 0.85;    // of the stated bandwidth
    double cache_share = 1;           // of the L2 cache that weights may fill from step to step
    double overlap = 2.5;             // the exponent that joins the bounds of a step
    double weights_efficiency = 0.9;  // of the peak: the gradient of the weights, in `backward`
    Seconds synchronisation{5e-6};    // of all processors, between steps of a persistent kernel
};

// Rates before anything is measured: those of NVIDIA's architectures before Volta, on which sums
// take longer and narrow products reach less; what holds from Volta on is known of the V100 alone.
RecurrentRates prior_recurrent_rates(const DeviceDescription& device);

// A prediction with the terms that it is made of. Those of steps are of all steps together.
struct RecurrentPrediction {
    RecurrentAlgorithm algorithm = RecurrentAlgorithm::stepwise;
    Seconds time;
    Seconds launch;      // of the layer, and what the first steps take besides
    Seconds steps;       // launches and elementwise operations, or synchronisation
    Seconds arithmetic;  // of the steps' products
    Seconds latency;     // of their sums
    Seconds dram;        // weights that no cache holds, each step anew
    Seconds weights;     // of `backward`: the gradient of the weights
};

// Whether the weights fit into the registers and shared memory of all processors.
bool can_persist(const RecurrentProblem& problem, const DeviceDescription& device);

// The time of a pass: launch + steps (step + (arithmetic^p + latency^p + dram^p)^(1/p)) +
// first_step steps / (1 + steps / first_steps).
//
// A step multiplies hidden weights and states: arithmetic = 2 gates hidden^2 batch / (peak x
// efficiency), latency = k x multiply, where k is hidden forward and gates hidden backward, and
// dram = weights beyond the L2 cache over the bandwidth reached. A persistent kernel reads weights
// once, and a step takes its arithmetic and a synchronisation. backward_weights is one product and
// takes neither: see weights_product(). (Forms of ours, whose parameters are fitted.)
//
// Requires: another pass than backward_weights; for a persistent kernel, can_persist(). Throws
// Error where the device lacks a number.
RecurrentPrediction predict_recurrent(const RecurrentProblem& problem, RecurrentAlgorithm algorithm,
                                      const DeviceDescription& device, const RecurrentRates& rates);

// The algorithm with the shorter prediction, among those that can run.
RecurrentAlgorithm planned_algorithm(const RecurrentProblem& problem,
                                     const DeviceDescription& device, const RecurrentRates& rates);

}  // namespace strata
