// SPDX-License-Identifier: MIT
#pragma once

#include "device/description.h"
#include "predict/device_model.h"

namespace strata {

// A device's numbers as the ceilings that its runs are judged by, caches first. Where no source
// states the bandwidth of a cache, it follows from processors and clock, and its source says so.
Device ceilings_of(const DeviceDescription& device);

// What memory serves at least, by its ceilings.
struct LeastTraffic {
    Seconds cache;   // from the nearest cache that holds the traffic, else from the last one
    Seconds memory;  // what the caches together do not hold
};
LeastTraffic least_time(const Device& ceilings, Bytes traffic);

// The model's kernels of a pass. Fits know no ceilings: where the kernels would be faster than
// these allow for the operations and the compulsory traffic of the pass, the longest of them takes
// that much longer. An algorithm that saves operations has its own.
LayerPrediction predict_within(const DeviceModel& model, const Device& ceilings,
                               const LayerTask& task);

}  // namespace strata
