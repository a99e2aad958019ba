// SPDX-License-Identifier: MIT
#pragma once

#include "parallel/step.h"
#include "record/run.h"
#include "report/document.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace strata {

// A step of a network that several devices share, predicted or measured.
struct DividedStep {
    Settings settings;  // network and the batch of all devices together
    std::string device;
    std::string links;
    ParallelPlan plan;
    Origin origin = Origin::modelled;
    std::string compression = {};  // of measured gradients: "1-bit"; empty: plan.gradient_bits
    std::string reason = {};       // why it has no time; empty: it has one
    ParallelStep step = {};
    std::optional<PredictedInterval> interval = {};  // of the step
    double single_examples_per_s = 0;                // of one device; 0: not known
    std::optional<Seconds> measured = {};            // of a predicted step, what the same one took
    std::vector<std::string> layers = {};            // names, by step.layers
    std::optional<bool> fits = {};                   // whether the device's memory holds it
    std::optional<Bytes> device_memory = {};         // of one device, if it is known
    std::size_t split_layers = 0;                    // layers with products that devices share
    std::vector<std::string> whole_layers = {};      // those that each device computes for itself

    double examples_per_s() const { return static_cast<double>(settings.batch) / step.time.value; }
    double speedup() const { return examples_per_s() / single_examples_per_s; }
};

// Whether the parts of the communication by layer are shown. They are then the document's records,
// which a selection sorts and limits.
enum class LayerParts { omitted, shown };

// What the most devices gain and why it is not more, and a row for each plan:
//
//   alexnet, batch 256, titan-x over pcie-3-root, data parallel, overlap on, 32-bit gradients: 4
//   devices are predicted to be 1.19 times as fast as one. Of their step, 67 % is communication
//   that nothing hides, most of it for fc6.
//
//   devices  step    examples/s  speed-up  efficiency  exposed  hidden   memory  fits
//         4  248 ms        1033      1.19        30 %   166 ms  55.9 ms  1.1 GB  yes
Document parallel_document(std::span<const DividedStep> steps, LayerParts layers);

}  // namespace strata
