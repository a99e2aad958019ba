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

// `backward` is backward_data and backward_weights together; some libraries run them so.
enum class RecurrentPass { forward, backward_data, backward_weights, backward };
inline constexpr std::array<std::string_view, 4> names_of(RecurrentPass) {
    return {"forward", "backward_data", "backward_weights", "backward"};
}

// A layer of recurrent cells over a sequence. Its input enters each gate unchanged (cuDNN's
// skip-input), so all arithmetic is that of the hidden weights, gates hidden x hidden. A layer with
// weights for its input also needs the product of both.
struct RecurrentProblem {
    RecurrentCell cell = RecurrentCell::lstm;
    std::int64_t hidden = 1;
    std::int64_t batch = 1;
    std::int64_t steps = 1;
    RecurrentPass pass = RecurrentPass::forward;
    Arithmetic arithmetic = Arithmetic::f32;
    double element_bytes = 4;

    double gates() const;  // 1 (RNN), 4 (LSTM) and 3 (GRU)
    Bytes weights() const;
    Flops flops() const;  // of the pass
};

// The gradient of the hidden weights: one product over all steps and sequences.
GemmProblem weights_product(const RecurrentProblem& problem);

// How a library runs the steps: with a product for each, or with one kernel that keeps the weights
// in registers and shared memory (Diamos et al., "Persistent RNNs: stashing recurrent weights
// on-chip", ICML 2016).
enum class RecurrentAlgorithm { stepwise, persistent };
inline constexpr std::array<std::string_view, 2> names_of(RecurrentAlgorithm) {
    return {"stepwise", "persistent"};
}

// Rates of a step's product.
struct StepRates {
    double efficiency = 0.5;  // of the device's peak
    Seconds multiply{60e-9};  // latency of a multiply-add along k
};

// Rates of one pass on a device. Each is positive; a fit moves them.
struct RecurrentRates {
    Seconds launch{50e-6};  // of the whole layer
    // The launches and elementwise operations of a step, by cell.
    std::array<Seconds, 3> step = {Seconds{20e-6}, Seconds{20e-6}, Seconds{20e-6}};
    // The extra time of each of the first steps, until launches run ahead of the device.
    Seconds first_step{20e-6};
    double first_steps = 100;
    // For 16 sequences or fewer, 32, 64, and 128 or more; rates between them are interpolated.
    // Libraries use different kernels for each, and not always fast ones: a step of 32 may take
    // longer than one of 64.
    std::array<StepRates, 4> by_batch = {StepRates{.efficiency = 0.15},
                                         StepRates{.efficiency = 0.4}, StepRates{.efficiency = 0.6},
                                         StepRates{.efficiency = 0.8}};
    double dram_efficiency = 0.85;    // of the stated bandwidth
    double cache_share = 1;           // of the L2 cache, available to weights between steps
    double overlap = 2.5;             // the exponent that combines the bounds of a step
    double weights_efficiency = 0.9;  // of the peak, for the gradient of the weights in `backward`
    Seconds synchronisation{5e-6};    // of all processors, between steps of a persistent kernel
};

// Rates before any measurement: for NVIDIA's architectures before Volta, where sums take longer and
// narrow products reach less; rates since Volta are known only from the V100.
RecurrentRates prior_recurrent_rates(const DeviceDescription& device);

// A prediction and its terms. Terms of steps cover all steps together.
struct RecurrentPrediction {
    RecurrentAlgorithm algorithm = RecurrentAlgorithm::stepwise;
    Seconds time;
    Seconds launch;      // of the layer, and the first steps' extra time
    Seconds steps;       // launches and elementwise operations, or synchronisation
    Seconds arithmetic;  // of the steps' products
    Seconds latency;     // of the products' sums
    Seconds dram;        // weights that no cache holds, read again in each step
    Seconds weights;     // of `backward`: the weights' gradient
};

// Whether the weights fit in the registers and shared memory of all processors.
bool can_persist(const RecurrentProblem& problem, const DeviceDescription& device);

// The time of a pass: launch + steps (step + (arithmetic^p + latency^p + dram^p)^(1/p)) +
// first_step steps / (1 + steps / first_steps).
//
// A step multiplies hidden weights and states: arithmetic = 2 gates hidden^2 batch / (peak x
// efficiency), latency = k x multiply, with k = hidden forward and gates hidden backward, and dram
// = weights beyond the L2 cache over the bandwidth reached. A persistent kernel reads the weights
// once; its steps take their arithmetic and a synchronisation. backward_weights is one product
// instead: see weights_product(). (The forms are ours, with fitted parameters.)
//
// Requires: a pass other than backward_weights; for a persistent kernel, can_persist(). Throws
// Error if the device lacks a number.
RecurrentPrediction predict_recurrent(const RecurrentProblem& problem, RecurrentAlgorithm algorithm,
                                      const DeviceDescription& device, const RecurrentRates& rates);

// The algorithm with the shorter prediction among those that can run.
RecurrentAlgorithm planned_algorithm(const RecurrentProblem& problem,
                                     const DeviceDescription& device, const RecurrentRates& rates);

}  // namespace strata
