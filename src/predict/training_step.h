// SPDX-License-Identifier: MIT
#pragma once

#include "predict/systolic.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace strata {

// A training step of a fully connected network on a board of TPUs, whose cores divide the batch:
// `layers` hidden layers of `nodes` units between inputs and outputs, as ParaDnn generates them
// (Wang, Wei and Brooks, "A systematic methodology for analysis of deep learning hardware and
// software platforms", MLSys 2020).
struct TrainingStepProblem {
    std::int64_t layers = 1;
    std::int64_t nodes = 1;
    std::int64_t inputs = 1;
    std::int64_t outputs = 1;
    std::int64_t batch = 1;
    std::int64_t cores = 8;

    double parameters() const;
    Flops flops() const;  // of the products, on all cores
};

// Rates of such steps. Each is positive; a fit moves them. What their products reach is
// SystolicRates' efficiency and dram_efficiency.
struct TrainingStepRates {
    SystolicRates product{.launch = Seconds{25e-6}, .efficiency = 0.9, .dram_efficiency = 0.5};
    Seconds step{0.5e-3};  // of the whole
    // What moves besides weights, gradients and activations once each: copies, other formats.
    double weight_copies = 1.5;
    double activation_copies = 2;
    double optimizer_passes = 2;  // over the parameters
    Bandwidth all_reduce{13e9};   // of gradients, between cores
    Bandwidth infeed{5.5e9};      // of samples and labels, from the host to the board
    Seconds infeed_wait{2e-3};    // of a batch
    double label_elements = 1;    // that enter for each output of a sample: 1 is one-hot
    double overlap = 4;           // the exponent that joins the board's time and the infeed's
};

// A prediction with the terms that it is made of. The step takes the longer of the infeed and the
// sum of the others.
struct TrainingStepPrediction {
    Seconds time;
    Seconds launch;
    Seconds products;  // of all layers, forward and backward
    Seconds optimizer;
    Seconds all_reduce;
    Seconds infeed;
};

// time = (board^p + infeed^p)^(1/p). The board takes launches; for each layer of a inputs and c
// units the longer of its three products' cycles (two for the first layer, whose input has no
// gradient) and its traffic, 4 (weight_copies a c + activation_copies b (a + c)) bytes, b samples
// on a core; the optimizer's passes over the parameters, and the sum of the gradients between
// cores. The infeed moves samples and labels to the board. (Forms of ours, fitted to ParaDnn's
// measurements.) Throws Error where the device is no TPU or lacks a number.
TrainingStepPrediction predict_training_step(const TrainingStepProblem& problem,
                                             const DeviceDescription& device,
                                             const TrainingStepRates& rates);

// ParaDnn's published results, JSON with the lists `labels`
// ("layer_L-node_n-input_I-output_O-bs_B") and `step_per_sec`, as a table of problems
// (predict/problems.h) of that device. Throws Error that names what is missing or malformed.
std::string paradnn_csv(std::string_view json, std::string_view device, std::string_view origin);

}  // namespace strata
