// SPDX-License-Identifier: MIT
#pragma once

#include "predict/network.h"
#include "record/run.h"
#include "report/document.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace strata {

// All steps of one operator on a device, and which term of their kernels takes most of that time.
struct PredictedOperator {
    std::string operation;  // "convolution"
    Seconds time;
    Term binding = Term::launch;
    double binding_share = 0;  // of the time, in kernels that this term binds
};

// A network's prediction on one of several devices.
struct DeviceTime {
    Settings settings;
    std::string device;
    std::int64_t run = 0;
    std::optional<Seconds> time;  // empty if a layer has no prediction
    std::string reason = {};      // why not
    // How far such predictions are off: the stated errors of the rates, by their share of the time.
    // Empty if none is stated for more than a tenth of it.
    std::optional<double> error = {};
    std::optional<PredictedInterval> interval = {};  // of the time
    std::vector<PredictedOperator> operators = {};   // the longest first
    std::optional<double> dollars = {};              // for a million examples
    std::optional<double> joules = {};  // likewise, at the most that the device may draw
    Bytes memory;
    std::optional<bool> fits = {};

    // Whether it has a time and, as far as is known, the memory.
    bool can_run() const { return time && fits.value_or(true); }
};

// Of a run that is stored and was predicted like this; its memory is the caller's to add.
DeviceTime device_time(const Run& run, const Graph& graph, const NetworkPrediction& prediction,
                       const DeviceModel& model);

// One sentence for each network and its settings, the whole times, and the operators:
//
//   alexnet, batch 128: h100 is predicted to be fastest with 5.2 ms, 2.1 times as fast as a100-80.
//   v100 costs least, 0.41 USD for a million examples. Not compared: k40 (too little memory).
//   network  batch  device    time     error  examples/s  USD per million  memory   fits  run
//   alexnet  128    gtx-1080  86.1 ms  12 %   1490        0.12             1.1 GB   yes   3
//   operator     device    time     share  binds
//   convolution  gtx-1080  61.2 ms  71 %   arithmetic (93 %)
Document device_times_document(std::span<const DeviceTime> times);

}  // namespace strata
